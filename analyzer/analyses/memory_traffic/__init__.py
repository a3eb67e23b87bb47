"""What accesses cost: banks, sectors, wavefronts, and what would cost less."""
