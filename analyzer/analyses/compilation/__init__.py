"""The IR as a compiler leaves it (loops unrolled, arrays in registers, common values computed
once), and the instructions it becomes, for estimates of registers.
"""
