"""Two threads at the same bytes, one of them writing, and nothing that orders them; what makes such
a pair harmless or sure by its shape.
"""
