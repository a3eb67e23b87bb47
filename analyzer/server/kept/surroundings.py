"""A translation unit without the bodies of its functions, which most edits leave as it is.

In: a file as it was parsed, and all that its reading depends on beside it. Out: what is around the
bodies that host code does not rest on, and around all bodies (`gaps.py`), and the bodies that a
kernel can rest on (`reach.py`). What comments say between declarations (`comments.py`) counts for
neither. Two units in which these are the same are read to the same host
code, or lowered to the same kernel.
A body counts as surroundings where more can rest on it than what speaks of its function: where it
holds a directive of the preprocessor that reaches further, was made by a macro, or belongs to a
function that nobody has to name; for host code, where it holds a launch or a call of the CUDA
runtime. Where there are managed variables, every body does: host code rests on which kernels speak
of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...cuda.lowering.program.program import DEVICE, GLOBAL
from ...source.text import Span
from .comments import insides
from .gaps import Gaps
from .reach import Body, Reach, Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...cuda.syntax import nodes
    from ...cuda.units.parse import TranslationUnit
    from ...ir.kernel_identity import DistantLaunch
    from ...source.text import SourceText
    from .reach import Words

#: Directives, with their word; what may be one in disguise.
_DIRECTIVE = re.compile(r"(?:^|\*/)\s*#[ \t]*(pragma[ \t]+(?:no)?unroll\b|\w*)", re.MULTILINE)
_DISGUISED = re.compile(r"%:|\?\?=|_Pragma")
_DEPTHS = {"if": 1, "ifdef": 1, "ifndef": 1, "else": 0, "elif": 0, "elifdef": 0, "endif": -1}
#: What host code may rest on: launches, the runtime.
_OF_HOST = re.compile(r"<<\s*<|\bcuda|\bcuLaunch")
_MANAGED = "__managed__"
_BOTH = frozenset(("__host__", "constexpr", "consteval"))
_UNNAMED = frozenset(("begin", "end", "get"))  # called by loops and structured bindings


class Surroundings:
    """The text of a translation unit around the bodies of its functions, which most edits leave."""

    def __init__(
        self,
        unit: TranslationUnit,
        options: object,
        elsewhere: Sequence[DistantLaunch],
        words: Words,
    ) -> None:
        main = unit.source
        distant = dict.fromkeys(each.launch.span.source for each in elsewhere)
        sources = [main, *unit.sources[1:], *distant]
        beside = repr((main.path, options, elsewhere))
        managed = _MANAGED in beside or any(_MANAGED in each.text for each in sources)
        bodies = [] if managed else _apart(_bodies(unit.functions, main))
        wholes = (each.coord for each in unit.functions)
        functions = [(e.start, e.end) for e in wholes if e is not None and e.source is main]
        comments = list(insides(main.text, functions))
        self.comments = {start for start, _ in comments}
        # What is around all bodies.
        self.kernels = Gaps(sources, sorted([*_pieces(bodies), *comments]), beside, functions)
        around = [self.kernels.text, *(each.text for each in sources[1:]), beside]
        self._reach = Reach(bodies, around, words)
        hosts = (each.text for each in bodies if each.side is Side.HOST)
        near = {each.start for each in self._reach.of(hosts, but=Side.KERNEL)}
        # Arguments that are written behind the name of a template count wherever they stand.
        templates = {
            str(each.decl.name)
            for each in unit.functions
            if each.template is not None and _side(each) is Side.HOST
        }
        unseen = [
            each
            for each in bodies
            if (each.side is Side.KERNEL or (each.side is Side.DEVICE and each.start not in near))
            and templates.isdisjoint(words.with_arguments(each.text))
        ]
        # What host code can rest on.
        self.host = Gaps(sources, sorted([*_pieces(unseen), *comments]), beside, functions)

    def reached(self, text: str) -> list[Body]:
        """The bodies that a text can lead to."""
        return self._reach.of([text])


def _pieces(bodies: Iterable[Body]) -> list[tuple[int, int]]:
    return [(each.start, each.end) for each in bodies]


def _apart(bodies: Iterable[Body]) -> list[Body]:
    """Bodies in the order of the text, without those that begin in others."""
    found: list[Body] = []
    for each in sorted(bodies, key=lambda each: each.start):
        if not found or each.start >= found[-1].end:
            found.append(each)
    return found


def _bodies(functions: Iterable[nodes.Function], main: SourceText) -> Iterator[Body]:
    """What stands in the braces of functions, where it matters only to what names them."""
    for function in functions:
        whole, body = function.coord, None if function.body is None else function.body.coord
        if whole is None or body is None or not whole.source is main is body.source:
            continue
        text, start, end = main.text, body.start, whole.end
        plain = whole.__class__ is Span is body.__class__
        braced = text[start : start + 1] == "{" and text[end - 1 : end] == "}"
        if not (plain and braced and start + 1 < end and _has_to_be_named(function)):
            continue
        side, inside = _side(function), text[start + 1 : end - 1]
        if _is_closed(inside) and (side is Side.HOST or not _OF_HOST.search(inside)):
            yield Body(function, side, start + 1, end - 1, inside)


def _is_closed(text: str) -> bool:
    """Whether the directives in a text matter to nothing behind it: whole conditions, `unroll`."""
    depth = 0
    for match in _DIRECTIVE.finditer(text):
        word = match[1]
        if word.startswith("pragma") and "unroll" in word:
            continue
        by = _DEPTHS.get(word)
        if by is None or depth + by < 0 or (by == 0 and depth == 0):
            return False
        depth += by
    return depth == 0 and not _DISGUISED.search(text)


def _has_to_be_named(function: nodes.Function) -> bool:
    """Whether nothing calls a function without its name."""
    name, scope = str(function.decl.name), function.scope
    return name.isidentifier() and name not in _UNNAMED and name not in scope[-1:]


def _side(function: nodes.Function) -> Side:
    marks = function.decl.funcspec
    if GLOBAL in marks:
        return Side.KERNEL
    return Side.DEVICE if DEVICE in marks and _BOTH.isdisjoint(marks) else Side.HOST
