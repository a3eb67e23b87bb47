"""Rules about what the lanes of a warp do together."""
