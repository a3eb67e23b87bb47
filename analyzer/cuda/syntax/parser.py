"""The parser's loop: tokens through the automaton to a tree, surviving statements it cannot read.

In: the tokens of one function header, body or declaration, a `Resolver` that decides what ambiguous
tokens are, and a tree builder. Out: the tree, or None when nothing could be made of the tokens.
When a statement cannot be read, the parser goes back to its start and tries again with its doubtful
decisions reversed one at a time; if that does not help, the statement becomes an OPAQUE token and
parsing goes on behind it. Work is bounded by `RETRIES` per statement and `FAILURES` per function.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...source.records import dataclass
from .automaton import ACCEPT, Chain, Choice, automaton, filled
from .lookahead import TYPES
from .macro_blocks import add_blocks

if TYPE_CHECKING:
    from ...source.tokens import Tokens
    from .builder import TreeBuilder
    from .resolver import Resolver

RETRIES = 6
FAILURES = 300
_OPENING = frozenset([
    "LPAREN", "LBRACKET", "BRACE", "_LPAR", "_CAST", "_GROUP", "_PARAMS", "_SIZED", "_FOLD",
    "_LSQB", "_LAMBDA", "_BINDING", "_LBRACE", "_FBODY",
])  # fmt: skip
_BRACES = frozenset(["BRACE", "_LBRACE", "_FBODY"])
_CLOSING = frozenset(["_RPAR", "_RSQB", "_RBRACE"])
_CONTINUES_AFTER_BRACE = frozenset([
    "_SEMI", "_COMMA", "_RPAR", "DOT", "ARROW", "_ELSE", "_WHILE", "_CATCH", "BINOP", "LPAREN",
    "_RSQB", "STAR", "AMP", "ADDOP", "_QMARK", "_COLON", "LBRACKET",
])  # fmt: skip


@dataclass(slots=True)
class Failure:
    """A statement that was given up: the tokens it spans, and the token that did not fit."""

    start: int
    stop: int
    unexpected: int


@dataclass(slots=True)
class Stacks:
    """The parser's memory: states, the values of the symbols, the first token of each symbol."""

    states: list[dict[str, Any]]
    values: list[Any] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)

    def pop_to(self, depth: int) -> None:
        """Keep the first `depth` symbols."""
        del self.states[depth + 1 :], self.values[depth:], self.begins[depth:]


class Parser:
    """Parses the pieces of one translation unit, one after another."""

    def __init__(self, builder: TreeBuilder, resolver: Resolver) -> None:
        self._starts = automaton()
        self._builder = builder
        self._resolver = resolver
        self.failures: list[Failure] = []

    def parse(self, start: str, tokens: Tokens, *, recover: bool = False) -> Any:
        """The tree of `tokens` from the rule `start`; None when it cannot be built."""
        kinds = tokens.kinds
        raw = kinds.copy()
        self._begin(start, tokens)
        stacks = Stacks([self._starts[start]])
        names = self._builder.names
        mark = names.mark()
        position, count = 0, len(raw)
        retries: dict[int, int] = {}
        furthest: dict[int, int] = {}  # where the best reading of what begins there stopped
        partners: dict[int, int] = {}
        while True:
            stopped = self._run(stacks, kinds, position)
            if stopped < 0:
                return stacks.values[-1]
            if not recover or len(self.failures) >= FAILURES:
                kinds[:count] = raw
                attempts = retries.get(0, 0)
                if not recover and attempts < RETRIES and self._resolver.reconsider(0, stopped):
                    retries[0] = attempts + 1
                    names.rollback(mark)
                    stacks.pop_to(0)
                    position = 0
                    continue
                names.rollback(mark)
                self.failures.append(Failure(0, count, stopped))
                return None
            depth = len(stacks.values)
            while depth >= 0 and not _takes_opaque(stacks.states, depth):
                depth -= 1
            if depth < 0:
                self.failures.append(Failure(0, count, stopped))
                return None
            first = stacks.begins[depth] if depth < len(stacks.begins) else stopped
            kinds[first:count] = raw[first:]
            if first not in retries:
                retries[first] = 0
                stop = _statement_end(kinds, first, count, _partners(kinds))
                if add_blocks(tokens, raw, first, stop):
                    count = len(raw)
                    self._resolver.begin(tokens, start, raw)
                    stacks.pop_to(depth)
                    position, partners = first, {}
                    continue
            if retries.get(first, 0) < RETRIES and self._resolver.reconsider(first, stopped):
                retries[first] = retries.get(first, 0) + 1
                furthest[first] = max(stopped, furthest.get(first, 0))
                stacks.pop_to(depth)
                position = first
                continue
            partners = partners or _partners(kinds)
            position = _statement_end(kinds, first, count, partners)
            if position <= first:
                self.failures.append(Failure(0, count, stopped))
                return None
            unexpected = max(stopped, furthest.get(first, 0))
            self.failures.append(Failure(first, position, unexpected))
            stacks.pop_to(depth)
            self._shift_opaque(stacks, first, position, unexpected)

    def _begin(self, start: str, tokens: Tokens) -> None:
        """Add the end to `tokens` and show them to builder and resolver."""
        self.failures = []
        tokens.kinds.append("$END")
        tokens.texts.append("")
        tokens.places.append(tokens.places[-1] if tokens.places else 0)
        self._builder.begin(tokens)
        self._resolver.begin(tokens, start, tokens.kinds)

    def _run(self, stacks: Stacks, kinds: list[str], index: int) -> int:
        """Parse from token `index`; the token that does not fit, or -1 when all is read."""
        states, values, begins = stacks.states, stacks.values, stacks.begins
        builder, decide = self._builder, self._resolver.decide
        (known, after), texts = self._resolver.shortcut(), builder.texts
        state = states[-1]
        kind = kinds[index]
        step = state.get(kind)
        while True:
            if step.__class__ is dict:
                states.append(step)
                values.append(index)
                begins.append(index)
                state = step
                index += 1
                kind = kinds[index]
                step = state.get(kind)
            elif step.__class__ is tuple:
                length, origin, action, pick = step
                if pick is None:
                    value = values[-length:]
                else:
                    values.append(None)
                    value = pick(values)
                    values.pop()
                if action is not None:
                    value = action(builder, value, begins[-length], index)
                elif value and value[0].__class__ is Gathered:
                    value[0].extend(value[1:])
                    value = value[0]
                else:
                    value = Gathered(value)
                if length > 1:
                    del states[-length:], values[-length:], begins[1 - length :]
                    values.append(value)
                else:
                    states.pop()
                    values[-1] = value
                below = states[-1]
                state = below[origin]
                step = state.get(kind)
                if step.__class__ is Chain:
                    state = step.known.get(id(below)) or step.end(below)
                    step = state.get(kind)
                states.append(state)
            elif step.__class__ is Chain:
                below = states[-2]
                states[-1] = state = step.known.get(id(below)) or step.end(below)
                step = state.get(kind)
            elif step.__class__ is Choice:
                if step.name and kinds[index + 1] in after and known.get(texts[index]) not in TYPES:
                    kind = kinds[index] = "IDENT"
                else:
                    kind = kinds[index] = step.only or decide(index, step)
                step = state.get(kind)
            elif not state:  # nobody was here before
                step = filled(state).get(kind)
            else:
                return -1 if step is ACCEPT else index

    def _shift_opaque(self, stacks: Stacks, first: int, stop: int, unexpected: int) -> None:
        """Push an OPAQUE token for the tokens `first` to `stop`, reducing what waits before it."""
        while True:
            step = stacks.states[-1]["OPAQUE"]
            if step.__class__ is dict:
                break
            if step.__class__ is Chain:
                stacks.states[-1] = filled(stacks.states[-2][step.origin])
                continue
            length, origin, action, pick = step
            base = len(stacks.values) - length
            value: Any = stacks.values[base:] if pick is None else pick([*stacks.values, None])
            if action is not None:
                value = action(self._builder, value, stacks.begins[base], first)
            elif value and isinstance(value[0], Gathered):
                value = Gathered([*value[0], *value[1:]])
            else:
                value = Gathered(value)
            begin = stacks.begins[base]
            stacks.pop_to(base)
            stacks.states.append(filled(stacks.states[-1][origin]))
            stacks.values.append(value)
            stacks.begins.append(begin)
        stacks.states.append(step)
        stacks.values.append((first, stop, unexpected))
        stacks.begins.append(first)


def _takes_opaque(states: list[dict[str, Any]], depth: int) -> bool:
    """Whether OPAQUE may follow the first `depth` symbols.

    The state alone does not say: a declaration is followed by a statement in a block, not in the
    head of a `for`, and its last state is the same.
    """
    if "OPAQUE" not in filled(states[depth]):
        return False
    below = states[: depth + 1]
    while True:
        step = below[-1].get("OPAQUE")
        if step is None or step.__class__ is dict:
            return step is not None
        if step.__class__ is Chain:
            below[-1] = filled(below[-2][step.origin])
            continue
        del below[-step[0] :]
        below.append(filled(below[-1][step[1]]))


class Gathered(list[Any]):
    """The values of a `*` or `+` of the grammar, which one more reduction appends to."""


def _partners(kinds: list[str]) -> dict[int, int]:
    """The closing bracket of each opening one; a brace closes over a missing parenthesis."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for index, kind in enumerate(kinds):
        if kind in _OPENING:
            stack.append(index)
        elif kind == "_RBRACE":
            while stack and kinds[stack[-1]] not in _BRACES:
                stack.pop()
            if stack:
                found[stack.pop()] = index
        elif kind in _CLOSING and stack and kinds[stack[-1]] not in _BRACES:
            found[stack.pop()] = index
    return found


def _statement_end(kinds: list[str], first: int, count: int, partners: dict[int, int]) -> int:
    """The token after the statement that starts at `first`; lonely brackets are ignored."""
    index = first
    while index < count:
        kind = kinds[index]
        if kind in _OPENING:
            index = partners.get(index, index)
            if (
                kind in _BRACES
                and index > first
                and kinds[index] == "_RBRACE"
                and kinds[index + 1] not in _CONTINUES_AFTER_BRACE
            ):
                return index + 1
        elif kind == "_RBRACE":
            return index
        elif kind == "_SEMI":
            return index + 1
        index += 1
    return count
