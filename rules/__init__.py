"""One file per rule, found by walking the families' folders."""
