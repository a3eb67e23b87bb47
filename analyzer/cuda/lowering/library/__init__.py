"""Models of what CUDA and its libraries bring: intrinsics, groups, atomics, collectives."""
