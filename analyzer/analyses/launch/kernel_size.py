"""How large a kernel may be for what costs time with each of its operations.

Two numbers in a row, so that a kernel of any size takes at most as long as the largest that is
looked into: up to three fifths of it blocks are run, which takes about as long as all that is found
out before. Public kernels of more than 20,000 operations are rare and made by inlining: some that
multiply matrices, searches in trees of triangles, proofs over elliptic curves.
"""

from __future__ import annotations

KERNEL_SIZE = 35_000  # operations of the largest kernel that is looked into, unless somebody asks


def most_to_run(kernel_size: int) -> int:
    """The operations of the largest kernel of which blocks are run."""
    return kernel_size * 3 // 5
