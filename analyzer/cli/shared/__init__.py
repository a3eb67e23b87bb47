"""What commands have in common: options, inputs, colours of a stream, the findings of one file,
where reports go.
"""
