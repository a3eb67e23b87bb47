"""A translation unit cut up, no name looked up: where functions and classes begin and end
(outline), which are worth parsing, and their trees; macros that nobody defines, by where they
stand."""
