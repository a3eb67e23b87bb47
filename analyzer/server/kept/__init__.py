"""What of one text still holds for the next (names of classes, bodies, host code, kernels,
results).
"""
