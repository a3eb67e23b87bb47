"""Host code, run as its text says: which kernels it launches, with which grid and arguments."""
