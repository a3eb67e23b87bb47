"""The variables of host code that launches among the statements to come are made of.

Problem: after an open decision only those variables matter that a later launch is made of, and that
nobody writes before. Algorithm: one walk from the last statement of a block to its first. What is
needed by a part of the block stays so in every longer part, so a variable has one place, the last
one from which on it is needed, and the whole block is answered in time linear in its length. In:
the statements of a block. Out: the variables for what follows one of them; none where others may
jump to it. Not handled: in which order a variable is written and used in what follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...source.records import dataclass
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .state import is_launch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class _Block:
    """For each variable the last statement from which on it is needed, and the last that writes it;
    the last statement with a label.
    """

    needed: dict[str, int]
    written: dict[str, int]
    label: int

    def makings(self, at: int) -> set[str]:
        """The variables for the statements from a place on."""
        if at <= self.label:
            return set()
        return {
            name
            for name, last in self.needed.items()
            if at <= last and at > self.written.get(name, -1)
        }


class LaunchMakings:
    """What is known of blocks, each of which is walked once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[_Block, int]] = {}  # by the identity of a statement

    def after(self, items: Sequence[Any], at: int) -> set[str]:
        """What the launches behind a statement are made of."""
        if at + 1 >= len(items):
            return set()
        following = id(items[at + 1])
        if following not in self._known:
            block = _read(items)
            self._known.update((id(each), (block, place)) for place, each in enumerate(items))
        block, place = self._known[following]
        return block.makings(place)


def _read(items: Sequence[Any]) -> _Block:
    needed: dict[str, int] = {}
    written: dict[str, int] = {}
    made: dict[str, list[Any]] = {}  # of which values, as far as the walk has come
    label = -1
    for at in range(len(items) - 1, -1, -1):
        every = list(nodes.walk(items[at]))
        asked = {name for each in every if is_launch(each) for name in nodes.identifiers(each)}
        for name, value in (pair for each in every for pair in _writes(each)):
            written.setdefault(name, at)
            if value is not None:
                made.setdefault(name, []).append(value)
                if name in needed:
                    asked.update(nodes.identifiers(value))
        while asked:
            name = asked.pop()
            if name not in needed:
                needed[name] = at
                asked.update(
                    part for value in made.get(name, ()) for part in nodes.identifiers(value)
                )
        if label < 0 and any(isinstance(each, c_ast.Label) for each in every):
            label = at
    return _Block(needed, written, label)


def _writes(node: Any) -> Iterator[tuple[str, Any]]:
    """The variables that a node gives a value, and which one."""
    if isinstance(node, c_ast.Decl) and node.name:
        yield node.name, node.init
    elif isinstance(node, c_ast.Assignment):
        yield from ((name, node.rvalue) for name in nodes.identifiers(node.lvalue))
