"""What accesses cost: banks, sectors, wavefronts; what costs less; indices too narrow for them."""
