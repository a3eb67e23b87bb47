"""Shuffles, votes and their member masks; mbarriers."""
