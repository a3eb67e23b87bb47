"""What may be written: the grammars, and tables of instructions, registers and names."""
