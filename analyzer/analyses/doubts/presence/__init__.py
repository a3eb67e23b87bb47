"""Doubts about who comes: the two threads may never be at their accesses in one run."""
