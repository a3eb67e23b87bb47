"""What a name may do: the words of CUDA, of HIP, of their libraries and runtimes, and conventions."""
