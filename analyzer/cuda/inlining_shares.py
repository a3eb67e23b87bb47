"""How far calls are inlined into each kernel of a file: counted in operations, shared among them.

In: how many kernels a file has, the most that one may have, and what lowering each has made. Out:
the operations with which no more calls are inlined into the next kernel; calls behind that are not
followed. A kernel gets half of what is left, without a quarter of the whole that is kept for all;
or an equal part of all that is left, where that is more. For example, of 200 units for 20 kernels
that would take all they get the first ones get 70, 40, 20 and 10, and those behind them 2 to 5. So
files that make no more than a quarter of the whole are inlined as far as they go, however many
kernels they have, and none is inlined for longer than the whole takes. Parts are eighths of the
most, and a half of the last eighth, a quarter, ...: a kernel gets the same when those before it
change a little, and an editor's process (`server/kept/`) need not lower it again. Not counted: what
the kernels' own bodies make beyond their parts, which is in proportion to the text.
"""

from __future__ import annotations

_WHOLE = 2.5  # times what one kernel is given at most
_KEPT, _STEPS = 4, 8  # the part of the whole that is kept for all; parts of the most


class InliningShares:
    """The parts of one file's kernels, handed out in the order of the file."""

    def __init__(self, kernels: int, most: int) -> None:
        self._most = most
        self._left = int(_WHOLE * most)
        self._kept = self._left // _KEPT
        self._kernels = kernels  # not yet lowered

    def part(self) -> int:
        """The operations with which no more calls are inlined into the next kernel."""
        equal = self._left // max(self._kernels, 1)
        part = max((self._left - self._kept) // 2, equal)
        step = max(self._most // _STEPS, 1)
        if part >= step:
            return min(part // step * step, self._most)
        while step > part:
            step //= 2
        return step

    def spend(self, made: int) -> None:
        """Lowering the next kernel has made so many."""
        self._left = max(self._left - made, 0)
        self._kernels -= 1

    def drop(self, kernels: int) -> None:
        """So many are not lowered after all."""
        self._kernels -= kernels
