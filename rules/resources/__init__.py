"""OCC: registers, shared memory and occupancy; what compilers advise."""
