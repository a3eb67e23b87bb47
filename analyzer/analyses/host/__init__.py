"""What host code does with memory and with the CUDA runtime: facts about one file."""
