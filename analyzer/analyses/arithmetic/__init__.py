"""What arithmetic costs (64-bit divisions, doubles nobody asked for), what goes into a product
(indices, sizes), and sums of too narrow a type.
"""
