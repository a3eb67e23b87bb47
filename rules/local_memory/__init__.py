"""LOC: local memory: arrays that leave registers, spills."""
