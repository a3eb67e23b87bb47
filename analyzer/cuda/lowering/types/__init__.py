"""What reads them off the syntax tree: types and their sizes, constants, template arguments as
written, which function a name or a pointer names.
"""
