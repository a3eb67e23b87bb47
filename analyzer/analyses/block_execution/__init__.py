"""What all threads of a block do, step by step, when it is run on the IR."""
