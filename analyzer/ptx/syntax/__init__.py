"""Text → statements → the syntax tree of a module, and what can be read off the tree alone: names,
types, which symbols mean what."""
