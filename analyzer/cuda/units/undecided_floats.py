"""Names of floating types that are one thing or another, where nothing at hand says which.

In: the directives of the conditions that nothing settles. Out: names that are `float` under one of
them and `double` under another, where neither holds unless somebody defines something: `#if
PRECISION == 1`, `#elif PRECISION == 2`. The `#else` of `#ifdef USE_DOUBLE` is a default, and such a
name is none of these. `resting_on` adds what is made of such names: types with members of one,
functions that speak of one. Not handled: names that macros with parameters make of others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from ...source.preprocessor_conditions import holds_without
from ...source.preprocessor_groups import directive_word
from ...source.tokens import tokenize, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...source.text import SourceText, Span
    from ..syntax import nodes
    from ..syntax.nodes.c_ast import c_ast

Range = tuple[int, int]  # of a text
_FLOATS = frozenset({"float", "double"})
#: What may stand before the type where one is named, a comment included.
_MAY_NAME = re.compile(r"(?:\btypedef|=|\*/|\\|//[^\n]*)\s*(?:float|double)\b")


def undecided_floats(directives: Sequence[Span]) -> frozenset[str]:
    """The names of types that are `float` or `double`, where nothing at hand says which;
    `directives` are those of each condition in a row, its `#endif` last.
    """
    branches = [each for each in pairwise(directives) if directive_word(each[0].text) != "endif"]
    optional = _ranges(each for each in branches if _needs_a_definition(each[0]))
    meant: dict[str, set[str]] = {}
    settled: set[str] = set()
    for source, ranges in _ranges(branches).items():
        for start, end in ranges:
            for name, type, place in _named(source.text[start:end], start):
                meant.setdefault(name, set()).add(type)
                if not _holds(optional.get(source, ()), place):
                    settled.add(name)
    return frozenset(name for name, types in meant.items() if types == _FLOATS) - settled


def resting_on(
    names: frozenset[str],
    functions: Iterable[nodes.Function],
    declarations: Iterable[c_ast.Node],
    macros: Mapping[str, str],
) -> frozenset[str]:
    """These names, and those of types, functions and macros whose text has one of them."""
    if not names:
        return names
    texts = [(each.decl.name, each.coord.text) for each in functions if each.coord]
    texts += [(name, each.coord.text) for each in declarations for name in _declared(each)]
    users: dict[str, list[str]] = {}  # by word, the names whose text has it
    for name, text in (*texts, *macros.items()):
        for word in words_of(text):
            users.setdefault(word, []).append(name)
    return frozenset(_reached(names, users))


def _reached(names: Iterable[str], users: Mapping[str, Iterable[str]]) -> set[str]:
    """The names, and all that users lead to from them."""
    found, left = set(names), list(names)
    while left:
        for name in users.get(left.pop(), ()):
            if name not in found:
                found.add(name)
                left.append(name)
    return found


def _declared(declaration: c_ast.Node) -> tuple[str, ...]:
    name = getattr(declaration, "name", None)
    return (name,) if declaration.coord and isinstance(name, str) else ()


def _ranges(branches: Iterable[tuple[Span, Span]]) -> dict[SourceText, list[Range]]:
    """Where branches are in each text, in order; of those in others only the outermost."""
    found: dict[SourceText, list[Range]] = {}
    for begin, end in branches:
        found.setdefault(begin.source, []).append((begin.end, end.start))
    return {source: list(_outermost(sorted(ranges))) for source, ranges in found.items()}


def _outermost(ranges: Iterable[Range]) -> Iterator[Range]:
    last = -1
    for start, end in ranges:
        if end > last:
            last = end
            yield start, end


def _holds(ranges: Sequence[Range], place: int) -> bool:
    """Whether a place is in one of them."""
    at = bisect_right(ranges, place, key=itemgetter(0)) - 1
    return at >= 0 and place < ranges[at][1]


def _needs_a_definition(directive: Span) -> bool:
    word = directive_word(directive.text)
    return word != "else" and holds_without(word, directive.text) is False


def _named(text: str, start: int) -> Iterator[tuple[str, str, int]]:
    """`typedef float name;` and `using name = double;`: the name, the type, and where it stands."""
    if _MAY_NAME.search(text) is None:
        return
    tokens = tokenize(text, start)[0]
    words = tokens.texts
    for at, word in enumerate(words):
        match word, words[at + 1 : at + 5]:
            case "typedef", ["float" | "double" as type, name, ";", *_]:
                yield name, type, tokens.places[at]
            case "using", [name, "=", "float" | "double" as type, ";", *_]:
                yield name, type, tokens.places[at]
