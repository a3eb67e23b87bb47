"""The state of lowering one kernel, and the steps that every part of it needs."""
