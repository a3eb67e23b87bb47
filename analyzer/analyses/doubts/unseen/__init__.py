"""Doubts about what was not seen: headers that were not found, and macros that stand in them."""
