"""Variables that are read before they are written, and registers that were spilled."""
