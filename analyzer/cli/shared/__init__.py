"""What commands have in common: options, inputs, the findings of one file, where reports go."""
