"""What commands have in common: options, inputs, progress, and where reports go."""
