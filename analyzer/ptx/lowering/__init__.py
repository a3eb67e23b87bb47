"""The syntax tree → the kernel IR, one function for each opcode."""
