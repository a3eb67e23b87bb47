"""Types, constants, template arguments and names of functions, read from the text."""
