"""Statements, declarations among them → control flow."""
