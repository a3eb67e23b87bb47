"""Rules about registers, shared memory and occupancy."""
