"""Host code, run as its text says, statement by statement: which kernels, and which instances of
templates, it launches, with which grid and arguments.
"""
