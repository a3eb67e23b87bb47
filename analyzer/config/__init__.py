"""Settings of one run."""
