"""Doubts about updates at an index from memory: no two threads may come to one element."""
