"""Expressions, literals, calls, conversions and variables → values and places."""
