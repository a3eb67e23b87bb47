"""Types, constants and template arguments, read from the text, and which types are a library's."""
