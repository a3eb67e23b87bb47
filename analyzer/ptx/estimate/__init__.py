"""Registers, stack frame and spills that ptxas will choose for an entry, from PTX alone."""
