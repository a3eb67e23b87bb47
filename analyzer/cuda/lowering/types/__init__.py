"""Types, constants and template arguments, read from the text."""
