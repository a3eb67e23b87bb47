"""API: host code: calls of the CUDA runtime, and memory that host and device share."""
