"""The views of `inspect` and `explain`, as text and records."""
