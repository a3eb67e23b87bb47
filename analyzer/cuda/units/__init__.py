"""A translation unit: its outline, which of its parts are worth parsing, and their trees."""
