"""Doubts about member masks: the numbers that part a warp may not be those of a real launch."""
