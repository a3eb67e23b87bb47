"""Registers, shared memory, occupancy and the budget, as tables, bars in text and records."""
