"""Operators, built in and overloaded."""
