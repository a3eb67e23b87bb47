"""Which conflicts are races, in a block, between blocks (atomics of block scope among them);
threads that leave shared arrays meanwhile.
"""
