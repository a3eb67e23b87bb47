"""Which conflicts are races, in a block or a grid; threads that leave shared arrays meanwhile."""
