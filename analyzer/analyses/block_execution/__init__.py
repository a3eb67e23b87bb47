"""All threads of a block at once, run on the IR: what each computes, where paths part and meet."""
