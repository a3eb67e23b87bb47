"""What variables are stored in: the memory space of each, reads of what was never written (in
shared arrays too), the heap and `printf` of device code; registers spilled, and estimated from
the source."""
