"""What the 32 lanes of a warp compute, iteration by iteration, with symbols for what is not known."""
