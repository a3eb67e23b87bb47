"""`warplint inspect ...`: one file for each view of a kernel."""
