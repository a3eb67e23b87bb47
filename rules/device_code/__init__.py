"""Rules about what device code should not do: print, allocate."""
