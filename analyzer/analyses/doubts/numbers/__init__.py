"""Doubts about numbers: the two threads may meet by a number that was chosen as an example."""
