"""Bytes to text: reading files, positions and spans, the preprocessor, compile commands."""
