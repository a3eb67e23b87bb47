"""Which conflicts are races: of threads of a block, and of blocks of a grid."""
