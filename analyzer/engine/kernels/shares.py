"""How much work each kernel of a file may cost: no kernel more than its limit, all no more than the
file's, shared fairly.

In: the kernels, of which the sizes in operations count, and the setting `kernel-size`. Out: an
allowance for each kernel in turn. What the kernels behind one are likely to need is kept for them,
in proportion to their sizes where the file cannot give all of it; what a kernel leaves over is for
those after it. So the last kernel of a file is checked as the first one is, whatever stands before
it. Further instances of a template get what all others leave: most of what is wrong in them is
found in the first. A template that nothing instantiates may cost twice as much: it is looked at in
instances of its own as well. Kernels of texts that other files read as well are allowed the most, a
half of it, a quarter, ...: so they are often allowed the same in each, and are judged once
(`kernel_results.py`). What it took to read the kernels counts, too, but leaves half of the work to
judging them.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...analyses.launch.allowance import METER, allowance
from ...analyses.launch.kernel_size import work_of_file, work_of_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.kernel import Kernel

# What most kernels need at most, in steps: fitted to 2,000 public ones.
_EACH, _OPERATION = 100_000, 1_500
_MADE, _HALF = 150, 0.5  # steps of an operation while a file is read; no more than so much of all


class Shares:
    """The allowances of one file's kernels, handed out in order."""

    def __init__(self, kernels: Sequence[Kernel], kernel_size: int) -> None:
        self._most = work_of_kernel(kernel_size)
        self._limits = iter([self._most * (2 if each.is_open else 1) for each in kernels])
        likely = [min(_EACH + _OPERATION * kernel.size, self._most) for kernel in kernels]
        first = {kernel.body_span: kernel for kernel in reversed(kernels)}
        further = [first[kernel.body_span] is not kernel for kernel in kernels]
        most = work_of_file(kernel_size, len(first))
        self._left: float = most - min(_MADE * sum(each.made for each in kernels), _HALF * most)
        left: float = self._left
        part: dict[bool, float] = {}
        for those in (False, True):
            wanted = sum(each for each, of in zip(likely, further, strict=True) if of is those)
            part[those] = min(1.0, left / max(wanted, 1))
            left -= part[those] * wanted
        kept = [part[of] * each for each, of in zip(likely, further, strict=True)]
        self._likely, self._kept = iter(kept), sum(kept)

    @contextmanager
    def next(self, *, shared: bool = False) -> Iterator[None]:
        """What the next kernel may cost is allowed, and what it does cost is gone.

        Other files read a `shared` one, too.
        """
        self._kept -= next(self._likely)
        steps = max(min(next(self._limits), self._left - self._kept), 0)
        if shared and steps:
            steps = self._most * 0.5 ** math.ceil(math.log2(self._most / steps))
        with allowance(steps):
            try:
                yield
            finally:
                self._left -= steps - METER.left
