"""The findings of a run in each format of `--format`."""
