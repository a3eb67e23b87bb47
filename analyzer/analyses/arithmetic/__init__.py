"""What arithmetic costs, what products are made of, and sums of too wide or too narrow a type."""
