"""Which block a kernel was made for, where nobody states it: which shapes fill its arrays, and
whether lanes beyond the data take part on purpose.
"""
