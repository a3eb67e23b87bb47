"""What commands have in common: options, inputs, colours of a stream, commands loaded when asked
for, the findings of one file, where reports go.
"""
