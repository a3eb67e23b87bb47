"""The LALR automaton of `grammars/cuda.lark`, ready to run.

In: the parse table and the tree builder's class. Out: an `Automaton`, whose states are dictionaries
from terminal or rule to what happens: a dictionary (go there), a `Reduction`, or a `Choice` where a
raw token (NAME, LPAREN, ...) may be more than one terminal and the alternatives differ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from ...grammars import parse_table

STARTS = (
    "function_header",
    "constructor_header",
    "body",
    "declaration",
    "member",
    "parameters",
)
# What a raw token may turn out to be, the usual case first.
RAW = {
    "NAME": ("IDENT", "TYPE", "NS", "STORAGE", "CTORNAME", "MACROCALL", "PRAGMA"),
    "LPAREN": ("_LPAR", "_PARAMS", "_CAST", "_GROUP", "_SIZED", "_FOLD"),
    "LBRACKET": ("_LSQB", "_LAMBDA", "_BINDING"),
    "BRACE": ("_LBRACE", "_FBODY"),
    "LESS": ("BINOP", "_TLT"),
    "GREATER": ("BINOP", "SHR", "_TGT"),
}


class Choice:
    """Alternatives for a raw token in one state."""

    __slots__ = ("options", "raw")

    def __init__(self, raw: str, options: frozenset[str]) -> None:
        self.raw = raw
        self.options = options


class Reduction(NamedTuple):
    """Replace the last `length` values by what `action` makes of them.

    `action` is None for the hidden rules of `*` and `+`, whose values are gathered in a list, and
    `layout` is None when the one value simply stands for the whole.
    """

    length: int
    origin: str
    action: Callable[..., Any] | None
    layout: tuple[int | None, ...] | None
    plain: bool  # the values are exactly the symbols of the right-hand side


class Automaton(NamedTuple):
    """Start and end states by start rule."""

    starts: dict[str, dict[str, Any]]
    ends: dict[str, dict[str, Any]]


@cache
def automaton(builder: type) -> Automaton:
    """The automaton whose reductions call the methods of `builder`."""
    table = parse_table("cuda.lark", STARTS)
    reductions = []
    for production in table.productions:
        action = layout = None
        if not production.transparent:
            layout = production.layout
            if not production.collects:
                action = getattr(builder, production.action)
        plain = layout == tuple(range(production.length))
        reductions.append(Reduction(production.length, production.origin, action, layout, plain))
    states: list[dict[str, Any]] = [{} for _ in table.states]
    for state, row in zip(states, table.states, strict=True):
        for symbol, code in row.items():
            state[symbol] = states[code] if code >= 0 else reductions[-1 - code]
        for raw, terminals in RAW.items():
            _add_raw(state, raw, terminals)
    return Automaton(
        {name: states[number] for name, number in table.starts.items()},
        {name: states[number] for name, number in table.ends.items()},
    )


def _add_raw(state: dict[str, Any], raw: str, terminals: tuple[str, ...]) -> None:
    """What the raw token does in `state`: nothing to decide when all its meanings do the same."""
    options = [terminal for terminal in terminals if terminal in state]
    if not options:
        return
    first = state[options[0]]
    if isinstance(first, Reduction) and all(state[option] is first for option in options):
        state[raw] = first
    else:
        state[raw] = Choice(raw, frozenset(options))
