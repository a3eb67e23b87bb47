"""Doubts about blocks that wait for others: all of them may run, or run in order."""
