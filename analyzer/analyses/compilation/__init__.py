"""What a compiler makes of a kernel: loops copied, arrays taken apart, values computed once."""
