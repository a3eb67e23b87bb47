"""A translation unit cut up: where its functions and classes begin and end (outline), which are
worth parsing, and their trees.
"""
