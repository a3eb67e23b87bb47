"""Shared memory: bank conflicts, bounds, initialisation (SHM)."""
