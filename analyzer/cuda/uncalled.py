"""Device functions that nothing in sight calls, to be looked at as if a kernel called them.

In: the functions of a translation unit. Out: those that stand in the file itself, are named by no
other function of it, and come to a barrier of the block, by themselves or through functions that
they name: a barrier says that all threads of a block call them together.
Not handled: members of classes that need an object, and two functions that name each other.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from .lowering.program.program import DEVICE, GLOBAL
from .names.cuda_functions import BLOCK_VOTES
from .syntax import nodes
from .syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ..source.text import SourceText
    from .lowering.program.program import Program
    from .syntax.later_body import KeptBodies

_BARRIERS = frozenset({"__syncthreads", "sync", *BLOCK_VOTES})
_BARRIER = re.compile(rf"\b(?:{'|'.join(sorted(_BARRIERS))})\b")


def uncalled(
    functions: Sequence[nodes.Function],
    program: Program,
    source: SourceText,
    bodies: KeptBodies | None = None,
) -> Iterator[nodes.Function]:
    """Device functions that nothing calls, in the order of the file; `bodies` may know what they
    name.
    """
    own = [
        each
        for each in functions
        if each.body is not None and each.coord is not None and each.coord.source is source
    ]
    candidates = [each for each in own if _may_be_called(each, program)]
    if not any(_BARRIER.search(each.body.coord.text) for each in candidates):
        return  # before bodies are parsed that nothing else asks for
    names = {each.decl.name for each in candidates}
    named = {id(each): _kept_names(each, bodies) & (names | _BARRIERS) for each in own}
    waiting = _waiting(candidates, named)
    called = {name for each in own for name in named[id(each)] if name != each.decl.name}
    for each in candidates:
        if each.decl.name in waiting and each.decl.name not in called:
            yield each


def _may_be_called(function: nodes.Function, program: Program) -> bool:
    """Whether a kernel can call a function with nothing but arguments."""
    marks = function.decl.funcspec
    if DEVICE not in marks or GLOBAL in marks:
        return False
    return not program.is_method(function) or "static" in marks


def _kept_names(function: nodes.Function, bodies: KeptBodies | None) -> AbstractSet[str]:
    made = partial(_names, function)
    return made() if bodies is None else bodies.names(function, made)


def _names(function: nodes.Function) -> set[str]:
    """What a function names: variables, functions, members."""
    found: set[str] = set()
    for node in nodes.walk(function.body):
        if isinstance(node, c_ast.ID | nodes.TemplateId):
            found.add(node.name)
        elif isinstance(node, c_ast.StructRef):
            found.add(nodes.member_name(node))
    return found


def _waiting(
    candidates: Sequence[nodes.Function], named: Mapping[int, AbstractSet[str]]
) -> set[str]:
    """The names of the functions that come to a barrier."""
    found: set[str] = set()
    before = -1
    while len(found) > before:
        before = len(found)
        for each in candidates:
            if not named[id(each)].isdisjoint(found | _BARRIERS):
                found.add(each.decl.name)
    return found
