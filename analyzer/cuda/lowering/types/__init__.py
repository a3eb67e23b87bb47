"""Types, constants, template arguments, names of functions, read from the text; a library's types."""
