"""Host code: which kernels it launches, with which grid, block and arguments."""
