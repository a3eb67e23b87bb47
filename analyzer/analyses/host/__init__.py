"""What host code does with memory (`cudaMalloc`, `cudaFree`, copies) and with the CUDA runtime:
facts about one file; the heap of device code is in `storage/`.
"""
