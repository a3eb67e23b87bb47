"""All threads of a block at once, run on the IR with whole numbers, some of them assumed: what each
thread computes and accesses, where paths meet, who waits.
"""
