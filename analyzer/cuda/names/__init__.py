"""Names that mean something of themselves: of CUDA, HIP, runtimes and libraries; what conventions
say of a name.
"""
