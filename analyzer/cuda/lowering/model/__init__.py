"""Plain values that the lowering passes around: what a type, place, scope or class is, of kernels
and of host code, the built-in types, rules for types (conversion, layout), and what a name can
stand for; no text is read here.
"""
