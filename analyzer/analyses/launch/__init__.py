"""How a kernel is started and built: blocks, grids, arguments, what compilers said of it; sizes
to try where nobody states them; how many blocks are resident; the work that analyses may spend."""
