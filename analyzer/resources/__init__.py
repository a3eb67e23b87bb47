"""What a kernel takes of a multiprocessor, and how many of its blocks fit."""
