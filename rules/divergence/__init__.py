"""Rules about lanes of a warp that take different ways."""
