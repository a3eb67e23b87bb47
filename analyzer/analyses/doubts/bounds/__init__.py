"""Doubts about accesses beyond the end of an array: the real block may stay inside."""
