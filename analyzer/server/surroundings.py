"""A translation unit without the bodies of its kernels, which most edits leave as it is.

In: a file as it was parsed, and all that its reading depends on beside it. Out: a digest of
everything but the bodies of kernels, and places that are the same as long as it is: the number of a
text, and an offset in it that does not count those bodies. Two units of one digest differ in the
bodies alone, so a body that is the same, too, is lowered to the same kernel.
A body counts as surroundings where more than its own kernel can rest on it: where it holds a
directive of the preprocessor, a launch, or a call of the CUDA runtime, or was made by a macro.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from hashlib import sha256
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING

from ..cuda.lowering.program.program import GLOBAL
from ..source.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..cuda.syntax import nodes
    from ..cuda.units.parse import TranslationUnit
    from ..ir.kernel_identity import DistantLaunch
    from ..source.text import SourceText

Place = tuple[int, int]  # the number of a text, and the offset without bodies

#: What may matter outside of a body: other directives than `unroll`, launches, the runtime.
_FAR = re.compile(
    r"#(?!\s*pragma\s+(?:no)?unroll\b)|%:|\?\?=|<<\s*<|\bcuda|\bcuLaunch|__managed__|_Pragma"
)


class Surroundings:
    """What is around the kernels of one unit."""

    def __init__(
        self, unit: TranslationUnit, options: object, elsewhere: Sequence[DistantLaunch]
    ) -> None:
        main = unit.source
        distant = dict.fromkeys(each.launch.span.source for each in elsewhere)
        self._sources = [main, *unit.sources[1:], *distant]
        self._numbers = {id(each): number for number, each in enumerate(self._sources)}
        self._starts: list[int] = []  # of the bodies, behind their `{`
        self._ends: list[int] = []
        for start, end in sorted(_bodies(unit.functions, main)):
            if not self._ends or start >= self._ends[-1]:
                self._starts.append(start)
                self._ends.append(end)
        lengths = map(sub, self._ends, self._starts)
        self._before = [0, *accumulate(lengths)]  # of the bodies before each one, and of all
        self._begins = list(map(sub, self._starts, self._before))  # without those before
        self.digest = self._digest(options, elsewhere)

    def _digest(self, options: object, elsewhere: Sequence[DistantLaunch]) -> bytes:
        main = self._sources[0]
        around = zip([0, *self._ends], [*self._starts, len(main.text)], strict=True)
        hashed = sha256(repr((main.path, options, elsewhere)).encode("utf-8", "surrogatepass"))
        hashed.update(_bytes("\0".join(main.text[start:end] for start, end in around)))
        for each in self._sources[1:]:
            hashed.update(_bytes(f"\0{each.path}\0{each.text}"))
        return hashed.digest()

    def place(self, source: SourceText, offset: int) -> Place | None:
        """The place of an offset; None for one inside of a body."""
        number = self._numbers.get(id(source))
        if number is None or number > 0:
            return None if number is None else (number, offset)
        before = bisect_left(self._starts, offset)
        if before < len(self._starts) and self._starts[before] == offset:
            return None
        if before and offset <= self._ends[before - 1]:
            return None
        return 0, offset - self._before[before]

    def offset(self, place: Place) -> tuple[SourceText, int]:
        """Where a place is in this unit."""
        number, offset = place
        if number == 0:
            offset += self._before[bisect_left(self._begins, offset)]
        return self._sources[number], offset

    def covered(self, span: Span) -> int:
        """How many bodies lie in a span."""
        if span.source is not self._sources[0]:
            return 0
        return bisect_left(self._starts, span.end) - bisect_left(self._starts, span.start)


def _bodies(functions: Iterable[nodes.Function], main: SourceText) -> Iterator[tuple[int, int]]:
    """What stands in the braces of kernels, where it matters to nothing else."""
    for function in functions:
        if GLOBAL not in function.decl.funcspec or function.body is None:
            continue
        whole, body = function.coord, function.body.coord
        if whole is None or body is None or not whole.source is main is body.source:
            continue
        text, start, end = main.text, body.start, whole.end
        plain = whole.__class__ is Span is body.__class__
        braced = text[start : start + 1] == "{" and text[end - 1 : end] == "}"
        if plain and braced and start + 1 < end and not _FAR.search(text, start, end):
            yield start + 1, end - 1


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
