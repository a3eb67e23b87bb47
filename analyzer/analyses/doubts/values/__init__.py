"""Doubts about what is read and written: it may be the same whoever comes first."""
