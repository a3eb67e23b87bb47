"""Which function or specialisation of a template a call means; template arguments deduced from what
it is given.
"""
