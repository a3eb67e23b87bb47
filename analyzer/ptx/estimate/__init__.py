"""Registers, frame and spills of an entry from PTX: the least, and what ptxas chooses (by the trees
in `resources/`); exact resources as the module declares them.
"""
