"""Expressions, literals, calls, conversions → values; names of variables and members → places."""
