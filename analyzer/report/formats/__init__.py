"""The findings of a run, its problems and its summary, in each format of `--format`."""
