"""`warplint fleet ...`: many repositories in one run."""
