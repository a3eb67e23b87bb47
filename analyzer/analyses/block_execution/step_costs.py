"""What each step of a run costs, in values of single threads (0.2 µs).

Fitted to 330 runs of real kernels.
"""

ENTRY = 100  # coming to a block
SCALAR = 16  # computing what all threads have in common
VECTOR = 40  # computing what each has for itself, beside their values
TOUCH = 40  # noting an access, beside its threads
TOUCHING = 4  # each thread of an access: it is compared with others later
