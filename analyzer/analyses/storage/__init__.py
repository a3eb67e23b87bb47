"""Variables read before they are written, registers as spilled and as estimated, the heap."""
