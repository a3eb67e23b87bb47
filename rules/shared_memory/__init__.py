"""SHM: shared memory: bank conflicts, bounds (of local and constant arrays too), initialisation."""
