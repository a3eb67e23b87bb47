"""SYN: barriers and races, in a block and between blocks."""
