"""Arguments of a launch that are one pointer: `blur<<<...>>>(image, image, n)`.

In: the arguments as they are written, with their types. Out: for each the first one that is the
same value, itself where none is; and, for a kernel, those of these that are pointers by which it
may write. Two are the same where both name one variable, or one member of it, without a call or a
step in between: they are evaluated at one point. Not handled: pointers that are copies of each
other, and those that lie apart by a number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...source.numbers import integer
from ..lowering.model.ctypes import Form
from ..lowering.program.parameters import parameters_of
from ..syntax.c_ast import c_ast
from .kernels import uncast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..lowering.model.ctypes import CType
    from ..lowering.types.type_reader import TypeReader
    from ..syntax import nodes
    from .launches import Seen


def same_pointers(given: Sequence[Any], types: Sequence[CType]) -> tuple[int, ...]:
    """The first argument that each is the same as, if it may be a pointer; empty where none is."""
    first: dict[object, int] = {}
    found: list[int] = []
    for index, (node, type) in enumerate(zip(given, types, strict=False)):
        path = _path(uncast(node)) if type.form in (Form.POINTER, Form.UNKNOWN) else None
        found.append(index if path is None else first.setdefault(path, index))
    return tuple(found) if found != list(range(len(found))) else ()


def one_pointer(function: nodes.Function, seen: Seen, reader: TypeReader) -> Seen:
    """A launch with those alone that are pointers of a kernel by which it may write."""
    same = seen.launch.same
    if not same:
        return seen
    types = [reader.read(each.type, seen.bound) for each in parameters_of(function)]
    kept = list(range(len(same)))
    for index, first in enumerate(same[: len(types)]):
        pair = types[first], types[index]
        if all(each.form is Form.POINTER for each in pair) and any(map(_may_write, pair)):
            kept[index] = first
    found = () if kept == list(range(len(same))) else tuple(kept)
    return replace(seen, launch=replace(seen.launch, same=found))


def _may_write(pointer: CType) -> bool:
    return pointer.element is None or not pointer.element.const


def _path(node: Any) -> object:
    """What tells variables and their members apart; None for what is computed."""
    if isinstance(node, c_ast.ID):
        return node.name
    if isinstance(node, c_ast.StructRef):
        around, member = _path(uncast(node.name)), getattr(node.field, "name", None)
        return None if around is None or member is None else (around, node.type, member)
    if isinstance(node, c_ast.ArrayRef):
        around, number = _path(uncast(node.name)), _number(node.subscript)
        return None if around is None or number is None else (around, number)
    return None


def _number(node: Any) -> int | None:
    """A subscript that is written as a number."""
    return integer(node.value, 10) if isinstance(node, c_ast.Constant) else None
