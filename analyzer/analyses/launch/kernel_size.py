"""How large a kernel may be: the setting `kernel-size`, in operations, and the work that it allows.

One number for all limits, so that a kernel of any size takes at most as long as the largest that is
looked into, and a file no longer than four of these, or than an eighth of one for each kernel that
is written in it, up to six of them: a file of thousands of kernels ends as soon as one of fifty.
Public kernels of more than 20,000 operations are rare and made by inlining: some that multiply
matrices, searches in trees of triangles, proofs over elliptic curves.
"""

from __future__ import annotations

KERNEL_SIZE = 35_000  # unless somebody asks

_FEWEST, _STEPS = 500_000, 130  # for any kernel, and for each operation of the largest
_KERNELS, _WRITTEN = 4, 8  # whose work a file may cost, or as many as it has times so many,
_MOST = 6  # but no more than these: about seven seconds


def most_to_run(kernel_size: int) -> int:
    """The operations of the largest kernel of which blocks are run, by the setting
    `kernel-size`.
    """
    return kernel_size * 3 // 5


def most_inlined(kernel_size: int) -> int:
    """The operations with which no more calls are inlined into a kernel, 40,000 by default: more
    than those of the largest that is looked into, for what is folded away; a file may have
    two and a half times as many.
    """
    return max(kernel_size, KERNEL_SIZE) * 8 // 7


def work_of_kernel(kernel_size: int) -> int:
    """The steps that analysing one kernel may cost: five million by default, which take about a
    second.
    """
    return _FEWEST + _STEPS * kernel_size


def work_of_file(kernel_size: int, written: int = 0) -> int:
    """The steps that analysing all kernels of a file may cost; long files have more of them.

    `written` counts them as they are written down: instances of a template are one.
    """
    kernels = min(max(_KERNELS * _WRITTEN, written), _MOST * _WRITTEN)
    return work_of_kernel(kernel_size) * kernels // _WRITTEN
