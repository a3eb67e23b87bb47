"""Where control goes, and what a value is made of: SSA and the control flow graph alone."""
