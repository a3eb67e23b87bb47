"""A thread's own storage: the memory space of each variable, reads of what was never written, the
heap and `printf` of device code; registers spilled, and estimated from the source.
"""
