"""What `inspect` and `explain` show of kernels."""
