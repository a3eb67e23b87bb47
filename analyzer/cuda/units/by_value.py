"""The functions of a translation unit that write none of the variables they are given.

In: the tokens and the outline, before anything is parsed: of host code that has nothing to do with
CUDA no more than this is known. Out: names, and those of functions that are not parsed. A function
counts that takes everything by value or by reference to a constant, in each of its declarations;
one of the same name elsewhere is as good.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...source.tokens import Tokens
    from .outline import FunctionOutline, Outline

_REFERENCES = frozenset({"&", "&&"})


def taking_values(tokens: Tokens, found: Outline) -> frozenset[str]:
    """The names of functions that are declared here and take nothing by reference."""
    plain: set[str] = set()
    others: set[str] = set()
    for name, words in _heads(tokens, found):
        (others if _takes_variables(words) else plain).add(name)
    return frozenset(plain - others)


def bodies_not_in(
    tokens: Tokens, every: Iterable[FunctionOutline], parsed: Iterable[FunctionOutline]
) -> dict[str, frozenset[tuple[str, ...]]]:
    """By name, the scopes of functions with a body that is not parsed."""
    known = set(map(id, parsed))
    found: dict[str, set[tuple[str, ...]]] = {}
    for function in every:
        if id(function) not in known:
            found.setdefault(tokens.texts[function.name], set()).add(function.scope)
    return {name: frozenset(scopes) for name, scopes in found.items()}


def _heads(tokens: Tokens, found: Outline) -> Iterator[tuple[str, Sequence[str]]]:
    """The name of each function, and its head from the first parenthesis on."""
    kinds, texts = tokens.kinds, tokens.texts
    for function in found.functions:
        yield texts[function.name], texts[function.parameters : function.body]
    inside = (each.declarations for each in found.classes)
    for piece in chain(found.declarations, *inside):
        try:
            first = kinds.index("LPAREN", piece.start, piece.stop)
        except ValueError:
            continue
        yield texts[first - 1], texts[first : piece.stop]


def _takes_variables(words: Sequence[str]) -> bool:
    """Whether a parameter is a reference to something that is not constant."""
    constant = False
    for word in words:
        if word in ("(", ","):
            constant = False
        elif word == "const":
            constant = True
        elif word in _REFERENCES and not constant:
            return True
    return False
