"""The LALR automaton of `grammars/cuda.lark`, ready to run.

In: the parse table and the tree builder. Out: the start states. A state is a dictionary from
terminal or rule to what happens: a dictionary (go there), a `Reduction` or a `Chain` of them,
ACCEPT, or a `Choice` where a raw token (NAME, LPAREN, ...) may be more than one terminal and the
alternatives differ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

from ...grammars import Production, parse_table
from .builder import TreeBuilder

STARTS = ("function_header", "constructor_header", "body", "declaration", "member")
# What a raw token may turn out to be.
RAW = {
    raw: frozenset(terminals.split())
    for raw, terminals in {
        "NAME": "IDENT TYPE NS STORAGE CTORNAME MACROCALL MACROWORD PRAGMA CONSTEXPR",
        "LPAREN": "_LPAR _PARAMS _CAST _GROUP _SIZED _FOLD",
        "LBRACKET": "_LSQB _LAMBDA _BINDING",
        "BRACE": "_LBRACE _FBODY",
        "LESS": "BINOP _TLT",
        "GREATER": "BINOP SHR _TGT",
    }.items()
}


class Choice:
    """Alternatives for a raw token in one state; `only` when it is a bracket with a single one.

    `name` says that it is a name and may be a plain one.
    """

    __slots__ = ("name", "only", "options", "raw")

    def __init__(self, raw: str, options: frozenset[str]) -> None:
        self.raw = raw
        self.options = options
        single = len(options) == 1 and raw in ("LPAREN", "LBRACKET", "BRACE")
        self.name = raw == "NAME" and "IDENT" in options
        self.only = next(iter(options)) if single else ""


# Replace the last `length` values by what `action` makes of them: (length, origin, action, pick).
# `action` is None for the hidden rules of `*` and `+`, whose values are gathered in a list. `pick`
# chooses the values from a stack with an extra None on top; without it they are exactly the symbols
# of the right-hand side. A plain tuple, because it is taken apart once for every node of the tree.
Reduction = tuple[int, str, Callable[..., Any] | None, Callable[[list[Any]], Any] | None]


class Chain:
    """One symbol standing for a rule, often for a whole row of rules (number, primary, unary, ...).

    Where the row ends depends on the state below and the next token; a `Chain` belongs to one kind
    of token, and remembers the end by the state below.
    """

    __slots__ = ("kind", "known", "origin")

    def __init__(self, origin: str, kind: str) -> None:
        self.origin = origin
        self.kind = kind
        self.known: dict[int, dict[str, Any]] = {}

    def end(self, below: dict[str, Any]) -> dict[str, Any]:
        """The state reached on top of `below` when nothing but chains applies."""
        state: dict[str, Any] = below[self.origin]
        step = state.get(self.kind)
        while step.__class__ is Chain:
            state = below[step.origin]
            step = state.get(self.kind)
        self.known[id(below)] = state
        return state


ACCEPT = object()  # what the end of the text does in an end state


@cache
def automaton() -> dict[str, dict[str, Any]]:
    """The start states by start rule; the reductions call the methods of `TreeBuilder`."""
    table = parse_table("cuda.lark", STARTS)
    reductions = [_reduction(production) for production in table.productions]
    chains: dict[tuple[str, str], Chain] = {}
    choices: dict[tuple[str, frozenset[str]], Choice] = {}

    def action(code: int, symbol: str) -> Any:
        if code >= 0:
            return states[code]
        reduction = reductions[-1 - code]
        if reduction is not None:
            return reduction
        key = (table.productions[-1 - code].origin, symbol)
        return chains.get(key) or chains.setdefault(key, Chain(*key))

    states: list[dict[str, Any]] = [{} for _ in table.states]
    for state, row in zip(states, table.states, strict=True):
        for symbol, code in row.items():
            state[symbol] = states[code] if code >= 0 else action(code, symbol)
        for raw, terminals in RAW.items():
            options = frozenset(terminals & row.keys())
            if not options:
                continue
            codes = {row[terminal] for terminal in options}
            if len(codes) == 1 and min(codes) < 0:  # nothing to decide yet: all readings agree
                state[raw] = action(codes.pop(), raw)
            else:
                known = choices.get((raw, options))
                state[raw] = known or choices.setdefault((raw, options), Choice(raw, options))
    for number in table.ends.values():
        states[number]["$END"] = ACCEPT
    return {name: states[number] for name, number in table.starts.items()}


def _reduction(production: Production) -> Reduction | None:
    """The reduction of a production; None for a transparent one."""
    if production.transparent:
        return None
    length, layout = production.length, production.layout
    action = None if production.collects else getattr(TreeBuilder, production.action)
    if layout == tuple(range(length)):
        return length, production.origin, action, None
    places = [-1 if at is None else at - length - 1 for at in layout]
    if len(places) == 1:
        only = places[0]
        return length, production.origin, action, lambda values: [values[only]]
    pick = itemgetter(*places) if places else _nothing
    return length, production.origin, action, pick


def _nothing(_: list[Any]) -> list[Any]:
    """The values of a production that has none to hand over."""
    return []
