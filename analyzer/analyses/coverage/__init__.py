"""What of a kernel was analysed, what was not, and what would help."""
