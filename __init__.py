"""warplint: a static analyser and linter for GPU kernels (CUDA C++ and PTX)."""

__version__ = "0.1.0"
