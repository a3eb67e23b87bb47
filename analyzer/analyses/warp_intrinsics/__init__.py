"""Which lanes reach a shuffle or a vote, and whether its member mask says so; mbarriers, whose use
is checked alike.
"""
