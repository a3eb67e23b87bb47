"""How much work each kernel of a file may cost: no kernel more than its limit, all no more than the
file's, shared fairly.

In: the kernels, of which the sizes in operations count, and the setting `kernel-size`. Out: turns,
those of the smallest kernels first, and an allowance in each. Shares are max-min fair (Bertsekas,
Gallager: Data Networks, 6.5.2): a kernel gets an equal part of what is left, and what all those
behind it do not need. As the smallest come first, an equal part only grows: no large kernel starves
a small one, wherever they stand in the file. For example, of 10 units four kernels that need 1, 2,
5 and 9 get 1, 2, 3.5 and 3.5. What is kept for one behind is what most kernels of its size need at
most, and an equal part of all at least: so much everybody gets, whatever the others do.
Further instances of a template get what all others leave: most of what is wrong in them is found in
the first. A template that nothing instantiates may cost twice as much: it is looked at in instances
of its own as well. Kernels of texts that other files read as well are allowed the most, a half of
it, a quarter, ...: so they are often allowed the same in each, and are judged once
(`kernel_results.py`). What it took to read the kernels counts, too, but leaves half of the work to
judging them.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from ...analyses.launch.allowance import METER, allowance
from ...analyses.launch.kernel_size import work_of_file, work_of_kernel
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...ir.kernel import Kernel
    from ...source.text import SourceText

Result = TypeVar("Result")

# What most kernels need at most, in steps: fitted to 2,000 public ones.
_EACH, _OPERATION = 100_000, 1_500
_MADE, _HALF = 150, 0.5  # steps of an operation while a file is read; no more than so much of all


@dataclass(frozen=True, slots=True)
class Turn:
    """A kernel that is next, and what is to be kept for those behind it."""

    kernel: Kernel
    at: int  # in the order of the file
    limit: float  # steps
    need: float
    equals: int  # itself and those behind it that are served like it
    behind: float  # what all behind it need


class Shares:
    """The allowances of one file's kernels, handed out in turn."""

    def __init__(self, kernels: Sequence[Kernel], kernel_size: int) -> None:
        self._most = work_of_kernel(kernel_size)
        first = {kernel.body_span: at for at, kernel in reversed(list(enumerate(kernels)))}
        most = work_of_file(kernel_size, len(first))
        self._left: float = most - min(_MADE * sum(each.made for each in kernels), _HALF * most)
        order = sorted(
            (first[kernel.body_span] != at, kernel.size, kernel.label, at)
            for at, kernel in enumerate(kernels)
        )
        part, turns = self._left / max(len(first), 1), list[Turn]()
        equals, behind = {True: 0, False: 0}, 0.0
        for further, size, _, at in reversed(order):
            need = max(_EACH + _OPERATION * size, 0.0 if further else part)
            need = min(need, self._most)
            limit = self._most * (2 if kernels[at].is_open else 1)
            equals[further] += 1
            turns.append(Turn(kernels[at], at, limit, need, equals[further], behind))
            behind += need
        self.turns = tuple(reversed(turns))

    def in_turn(
        self, work: Callable[[Kernel], Result], shared: Callable[[SourceText], bool]
    ) -> list[tuple[Kernel, Result]]:
        """Each kernel with what `work` makes of it, in the order of the file; `shared` says of a
        text whether other files read it, too.
        """
        found: dict[int, tuple[Kernel, Result]] = {}
        for turn in self.turns:
            kernel = turn.kernel
            with self.allowed(turn, shared=shared(kernel.body_span.source)):
                found[turn.at] = kernel, work(kernel)
        return [found[at] for at in range(len(found))]

    @contextmanager
    def allowed(self, turn: Turn, *, shared: bool = False) -> Iterator[None]:
        """What the kernel may cost is allowed, and what it does cost is gone.

        Other files read a `shared` one, too.
        """
        part = max(min(turn.need, self._left / turn.equals), self._left - turn.behind)
        steps = max(min(turn.limit, part), 0)
        if shared and steps:
            steps = self._most * 0.5 ** math.ceil(math.log2(self._most / steps))
        with allowance(steps):
            try:
                yield
            finally:
                self._left -= steps - METER.left
