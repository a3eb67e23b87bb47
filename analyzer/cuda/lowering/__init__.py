"""The syntax tree → IR: one kernel at a time, device functions inlined at their calls."""
