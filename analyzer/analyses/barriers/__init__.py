"""Barriers that not every thread reaches, or that order nothing; branches on which the lanes of a
warp diverge, and what they cost.
"""
