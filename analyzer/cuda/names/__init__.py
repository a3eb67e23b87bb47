"""Names that mean something of themselves: of CUDA, HIP, runtimes and libraries (functions that
allocate and copy among them), and of their headers; what conventions say of a name."""
