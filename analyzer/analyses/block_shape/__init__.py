"""Which block a kernel was made for, where nobody states it."""
