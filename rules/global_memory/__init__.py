"""Global memory: coalescing, alignment, bounds (GLB)."""
