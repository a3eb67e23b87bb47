"""DEV: what device code had better not do: print, allocate."""
