"""What of one text still holds for the next: bodies, host code, kernels, results."""
