"""Which threads wait for which: flags, locks, blocks that wait for blocks; which operations run in
one block.
"""
