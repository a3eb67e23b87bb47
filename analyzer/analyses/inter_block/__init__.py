"""Which threads wait for which: flags, locks, blocks that wait for blocks."""
