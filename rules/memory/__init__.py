"""MEM: where variables live, what pointers may point to, and whether it may be written or read
there (constants, freed memory, loads through the read-only path).
"""
