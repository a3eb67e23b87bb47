"""`warplint check`: its options, a run, its reports, `--fix` and `--watch`."""
