"""Doubts about the launch: the kernel may be made for other blocks than the one assumed."""
