"""DIV: lanes of a warp that take different branches."""
