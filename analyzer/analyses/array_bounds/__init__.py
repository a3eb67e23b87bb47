"""Threads that leave an array whose size is known, and elements that no thread comes to."""
