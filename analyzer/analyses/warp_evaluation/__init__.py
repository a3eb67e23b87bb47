"""What the 32 lanes of a warp compute, iteration by iteration; what is not known is a symbol, or is
tried with examples: numbers, element types and sizes that a launch leaves open."""
