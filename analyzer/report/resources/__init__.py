"""Registers, shared memory, occupancy and the budget, as tables, pictures and records."""
