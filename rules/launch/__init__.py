"""Rules about launches: shapes and sizes that the hardware rejects or wastes."""
