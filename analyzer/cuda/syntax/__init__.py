"""Tokens → the syntax tree of one function, header or declaration."""
