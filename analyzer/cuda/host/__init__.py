"""Host code, run as its text says, statement by statement: which kernels it launches, with which
grid and arguments.
"""
