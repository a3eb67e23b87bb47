"""Processes of a run: work shared among them, its end on request, and room for deep recursion."""
