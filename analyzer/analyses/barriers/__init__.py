"""Barriers that not every thread reaches, or that order nothing."""
