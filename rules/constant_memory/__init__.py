"""Constant memory: how it is read, and that it is not written (CON)."""
