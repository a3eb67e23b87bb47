"""Statements → control flow."""
