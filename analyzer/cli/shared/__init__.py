"""What commands have in common: options, inputs, and where reports go."""
