"""All threads of a block at once, run on the IR: sets, what each computes, where paths meet."""
