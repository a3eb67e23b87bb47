"""What an editor shows around the code: notes on kernels, variables, accesses and barriers."""
