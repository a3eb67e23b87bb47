"""What NVIDIA's tools measured of a program, read from their reports, and set beside findings."""
