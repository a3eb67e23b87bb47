"""Threads that leave an array whose size is known: by its declaration, or by the host."""
