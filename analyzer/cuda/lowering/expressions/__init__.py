"""Expressions, calls, conversions and variables → values and places."""
