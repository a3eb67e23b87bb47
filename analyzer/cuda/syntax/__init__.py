"""Tokens → the syntax tree of one function, header or declaration; the text of a node in words."""
