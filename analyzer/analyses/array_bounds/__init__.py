"""Accesses beyond the end of an array of known size (of a shared one, during a run: `races/`);
elements that no thread of a launch comes to.
"""
