"""The kernels of a file: what each may cost, and what the result of one rests on."""
