"""Divergence: lanes of a warp that take different branches (DIV)."""
