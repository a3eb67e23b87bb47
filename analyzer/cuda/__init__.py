"""CUDA C++: text → tokens → the trees of a unit → kernels in IR and their launches (`read.py`)."""
