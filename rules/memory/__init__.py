"""Where variables live and what pointers may point to (MEM)."""
