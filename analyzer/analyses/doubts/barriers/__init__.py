"""Doubts about barriers that a part of a block misses: all threads may come, or none."""
