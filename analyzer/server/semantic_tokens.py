"""Names of a document by the memory that they lie in, as semantic tokens of the protocol.

In: the notes on variables, with their places now, and the text. Out: the numbers of the protocol:
for each name in memory that threads share or that is not a register, how far it is from the one
before, its length, and its memory as a modifier. What lies in registers is the rule and is not
marked. A name is the variable of its kernel that was declared last before it; members behind `.`
and `->` are none. Not handled: a variable whose scope ended before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..source.text import SourceText
from ..source.tokens import tokenize
from .positions import units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Plain = dict[str, Any]
At = tuple[int, int]

TYPES = ("variable",)
MODIFIERS = ("shared", "constant", "local", "global", "managed", "texture", "surface")


def semantic_tokens(rows: Iterable[tuple[Plain, Plain]], text: str, encoding: str) -> list[int]:
    """An editor's semantic tokens as numbers: five for each name, by its memory space."""
    variables: dict[str, list[tuple[At, At, At, str]]] = {}
    for row, place in rows:
        declared = row["other"]["range"] if "other" in row else place
        edges = (_at(place["start"]), _at(place["end"]), _at(declared["start"]))
        variables.setdefault(row["name"], []).append((*edges, row.get("space", "")))
    found: list[int] = []
    if not variables:
        return found
    last: At = (0, 0)
    for (line, start), size, space in _marked(SourceText("", text), variables, encoding):
        same = line == last[0]
        found += [line - last[0], start - last[1] if same else start, size, 0]
        found.append(1 << MODIFIERS.index(space))
        last = line, start
    return found


def _marked(
    source: SourceText, variables: dict[str, list[tuple[At, At, At, str]]], encoding: str
) -> Iterator[tuple[At, int, str]]:
    tokens, _ = tokenize(source.text)
    last = ""
    for name, offset in zip(tokens.texts, tokens.places, strict=True):
        known, behind, last = variables.get(name), last, name
        if known is None or behind in (".", "->"):
            continue
        line, column = source.position(offset)
        before = source.text[offset - column + 1 : offset]
        at = line - 1, units(before, encoding)
        around = [(declared, space) for a, b, declared, space in known if a <= at <= b]
        own = [each for each in around if each[0] <= at]
        space = max(own)[1] if own else ""
        if space in MODIFIERS:
            yield at, units(name, encoding), space


def _at(place: Plain) -> At:
    return place["line"], place["character"]
