"""The language server: what `check` and `inspect` know, in an editor, while one types."""
