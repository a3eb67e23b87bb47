"""LNC: launches: shapes and sizes that the hardware refuses or wastes."""
