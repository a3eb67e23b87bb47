"""CON: constant memory: how it is read, how much there is; textures, and read-only loads that a
store forbids.
"""
