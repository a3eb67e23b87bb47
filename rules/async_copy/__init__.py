"""Asynchronous copies (ASY)."""
