"""All threads of a block at once, run on the IR: sets of them, what each computes, where paths meet."""
