"""What a name may do: the words of CUDA and HIP, of libraries and runtimes, conventions."""
