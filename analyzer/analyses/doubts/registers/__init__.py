"""Doubts about registers: the compiler may need fewer than was estimated."""
