"""From the text to those values: types and their sizes, constants, template arguments, names of
functions.
"""
