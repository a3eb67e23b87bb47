"""Numbers for the parameters of a template that nothing in sight instantiates.

In: the text of a template, and what is known of each parameter. Out: choices of numbers, each of
another kind: all alike, growing, shrinking, one of them large. A relation that the author has in
mind (one divides another, one is the block) holds in some of them, so what is wrong in all is wrong
for the template. Numbers that the text compares a parameter with come in turn; a size of an array
or of a class is never a single one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.records import dataclass
from .syntax import nodes
from .syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FEW = (0, 1)  # of a flag or an enumeration
_ALIKE, _SMALL = 32, 4
_STEPS = (16, 32, 64, 128, 256, 512, 1024, 2048)


@dataclass(frozen=True, slots=True)
class Role:
    """What is known of a template's parameter: its numbers, if they are few; if it is a size."""

    range: Sequence[int] = ()
    is_size: bool = False


def compared_with(function: nodes.Function) -> Mapping[str, tuple[int, ...]]:
    """The numbers that a function's text asks names to be equal to, in its order."""
    found: dict[str, dict[int, None]] = {}
    for node in nodes.walk(function.body):
        if isinstance(node, c_ast.BinaryOp) and node.op == "==":
            for one, other in ((node.left, node.right), (node.right, node.left)):
                text = getattr(other, "value", None)
                if isinstance(one, c_ast.ID) and isinstance(text, str) and text.isdecimal():
                    found.setdefault(one.name, {})[int(text)] = None
    return {name: tuple(numbers) for name, numbers in found.items()}


def names_of_sizes(function: nodes.Function) -> frozenset[str]:
    """The names in a kernel template's text that sizes rest on: extents and template arguments in
    types of variables, arguments of instances, and what constants in these are computed from.
    """
    made: dict[str, set[str]] = {}
    found: set[str] = set()
    for node in nodes.walk(function.body):
        if isinstance(node, nodes.TemplateId):
            found.update(nodes.identifiers(node))
        elif isinstance(node, c_ast.Decl):
            found.update(nodes.identifiers(node.type))
            if node.init is not None:
                made.setdefault(node.name, set()).update(nodes.identifiers(node.init))
    work = list(found)
    while work:
        more = made.get(work.pop(), set()) - found
        found |= more
        work += more
    return frozenset(found)


def numbers_for(roles: Sequence[Role]) -> Iterator[tuple[int, ...]]:
    """Numbers for each parameter of a template, each choice once; none for no parameter."""
    seen: set[tuple[int, ...]] = set()
    sizes = [role for role in roles if not role.range]
    for turn, choice in enumerate(_choices(len(sizes))):
        least = _SMALL if max(choice, default=0) > 1 else _ALIKE
        given = iter(choice)
        numbers = tuple(
            role.range[(turn + place) % len(role.range)]
            if role.range
            else max(next(given), least if role.is_size else 1)
            for place, role in enumerate(roles)
        )
        if numbers not in seen:
            seen.add(numbers)
            yield numbers


def _choices(count: int) -> Iterator[tuple[int, ...]]:
    yield from ((1,) * count, (_ALIKE,) * count)
    for large, small in ((256, 1), (128, _SMALL)):
        for at in range(count):
            yield (small,) * at + (large,) + (small,) * (count - at - 1)
        for half in range(1, count):
            yield (64,) * half + (2 * small,) * (count - half)
    steps = _STEPS[:count]
    yield from (steps, steps[::-1], *((size,) * count for size in (64, 128, 256)))
