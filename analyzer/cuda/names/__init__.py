"""What a name may do: the words of CUDA, of its libraries and its runtime, and conventions."""
