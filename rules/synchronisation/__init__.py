"""Barriers and races (SYN)."""
