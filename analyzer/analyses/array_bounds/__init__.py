"""Threads that leave an array of known size (shared ones: `races/`); elements nobody comes to."""
