"""Values that the lowering passes around: what a type, place, scope or class is, of kernels and of
host code, and what a name can be bound to; nothing is read here.
"""
