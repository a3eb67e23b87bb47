"""Many repositories in one run: fetched, checked on one machine or many, and kept as tables."""
