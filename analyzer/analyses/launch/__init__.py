"""How a kernel is started and built: blocks, grids, arguments, what compilers said of it."""
