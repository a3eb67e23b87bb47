"""Statements handed to a macro whose definition is not in sight.

In: the tokens of a function and where a statement that could not be read begins and ends. Out: the
same tokens, with braces around the statements in `SWITCH(type, T, f<T>(x); g();)`, so that they are
read as a block (`block_argument` of the grammar). The block begins at the argument that holds the
first `;`. Not handled: a declaration with commas before the first `;`, whose start nobody can tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...source.tokens import Tokens

Item = TypeVar("Item")

_CLOSING = {"_RPAR": "LPAREN", "_RSQB": "LBRACKET", "_RBRACE": "BRACE"}


@dataclass(slots=True)
class _Open:
    """An open bracket: its kind, whether a name stands before it, its arguments so far."""

    kind: str
    named: bool
    argument: int  # the first token of the current argument
    block: int = -1  # the first token of the statements


def add_blocks(tokens: Tokens, kinds: list[str], first: int, stop: int) -> bool:
    """Put braces around statements among arguments; whether there were any.

    `kinds` are those of the lexer, which parsing has replaced in `tokens` up to some token.
    """
    inserted: list[tuple[int, str, str]] = []
    stack: list[_Open] = []
    for index in range(first, stop):
        kind = kinds[index]
        if kind in ("LPAREN", "LBRACKET", "BRACE"):
            named = kind == "LPAREN" and index > 0 and kinds[index - 1] == "NAME"
            stack.append(_Open(kind, named, index + 1))
        elif kind in _CLOSING:
            if not stack or stack[-1].kind != _CLOSING[kind]:
                return False
            closed = stack.pop()
            if closed.block >= 0:
                inserted += [(closed.block, "BRACE", "{"), (index, "_RBRACE", "}")]
        elif stack and stack[-1].named and stack[-1].block < 0:
            if kind == "_COMMA":
                stack[-1].argument = index + 1
            elif kind == "_SEMI":
                stack[-1].block = stack[-1].argument
    if stack or not inserted:
        return False
    inserted.sort()
    places = [(index, tokens.places[index]) for index, _, _ in inserted]
    _insert(tokens.kinds, [(index, kind) for index, kind, _ in inserted])
    _insert(kinds, [(index, kind) for index, kind, _ in inserted])
    _insert(tokens.texts, [(index, text) for index, _, text in inserted])
    _insert(tokens.places, places)
    return True


def _insert(items: list[Item], new: Sequence[tuple[int, Item]]) -> None:
    """Put new items before those at some places, which come in order."""
    found: list[Item] = []
    start = 0
    for index, item in new:
        found += items[start:index]
        found.append(item)
        start = index
    items[:] = found + items[start:]
