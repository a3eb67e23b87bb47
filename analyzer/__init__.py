"""The analyser: bytes → source → (cuda | ptx) → ir → analyses → rules → findings → report."""
