"""Divergence: lanes of a warp that take different ways (DIV)."""
