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

from ....grammars import CUDA_STARTS, Production, parse_table
from .builder import TreeBuilder

STARTS = CUDA_STARTS
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
        state = filled(below[self.origin])
        step = state.get(self.kind)
        while step.__class__ is Chain:
            state = filled(below[step.origin])
            step = state.get(self.kind)
        self.known[id(below)] = state
        return state


ACCEPT = object()  # what the end of the text does in an end state


class _Automaton:
    """The states, empty until the parser comes to them: a small file needs a tenth of them."""

    def __init__(self) -> None:
        table = parse_table("cuda.lark", STARTS)
        self._rows = table.states
        self._productions = table.productions
        self._states: list[dict[str, Any]] = [{} for _ in table.states]
        self._numbers = {id(state): number for number, state in enumerate(self._states)}
        self._ends = frozenset(table.ends.values())
        self._reductions: dict[int, Reduction | None] = {}
        self._chains: dict[tuple[str, str], Chain] = {}
        self._choices: dict[tuple[str, frozenset[str]], Choice] = {}
        self.starts = {name: self._states[number] for name, number in table.starts.items()}

    def fill(self, state: dict[str, Any]) -> None:
        """Write down what a state does."""
        number = self._numbers[id(state)]
        row = self._rows[number]
        for symbol, code in row.items():
            state[symbol] = self._states[code] if code >= 0 else self._action(code, symbol)
        for raw, terminals in RAW.items():
            options = frozenset(terminals & row.keys())
            if not options:
                continue
            codes = {row[terminal] for terminal in options}
            if len(codes) == 1 and min(codes) < 0:  # nothing to decide yet: all readings agree
                state[raw] = self._action(codes.pop(), raw)
            else:
                known = self._choices.get((raw, options))
                state[raw] = known or self._choices.setdefault((raw, options), Choice(raw, options))
        if number in self._ends:
            state["$END"] = ACCEPT

    def _action(self, code: int, symbol: str) -> Reduction | Chain:
        if code not in self._reductions:
            self._reductions[code] = _reduction(self._productions[-1 - code])
        reduction = self._reductions[code]
        if reduction is not None:
            return reduction
        key = (self._productions[-1 - code].origin, symbol)
        return self._chains.get(key) or self._chains.setdefault(key, Chain(*key))


@cache
def _automaton() -> _Automaton:
    return _Automaton()


def automaton() -> dict[str, dict[str, Any]]:
    """The start states by start rule; the reductions call the methods of `TreeBuilder`.

    A state is empty until `filled` was called for it.
    """
    return _automaton().starts


def filled(state: dict[str, Any]) -> dict[str, Any]:
    """A state of the parser's automaton, with what it does written down; an empty one is new."""
    if not state:
        _automaton().fill(state)
    return state


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
