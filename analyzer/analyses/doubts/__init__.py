"""What speaks against reporting a conflict: named reasons, asked in order (`registry.py`)."""
