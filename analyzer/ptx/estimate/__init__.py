"""Registers, frame and spills of an entry, from PTX alone: the least, and what ptxas chooses."""
