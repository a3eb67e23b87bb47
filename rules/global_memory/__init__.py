"""GLB: global memory: coalescing, alignment, bounds, indices that are too narrow."""
