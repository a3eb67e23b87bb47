"""What an expression of host code says by itself: numbers, dimensions, formulas, pointers, kernels
and their template arguments; no statement is run here.
"""
