"""Pointers that classes keep: what memory each such member holds, if all of the file agrees.

In: the classes of a program and the host functions of a file. Out: by the name of a member, a
pointer to memory of one kind and unknown size. It is known where every class that declares the
name declares a pointer, and everything that the file writes to it is null or comes from functions
that give memory of that kind: `cudaMalloc(&u, bytes)`, `u = new float[n]`. What objects they belong
to is not told apart. Not handled: members whose address goes elsewhere, which are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.host import Allocation, HostPointer, Residence
from ..lowering.model.ctypes import Form
from ..lowering.model.scope import Scope
from ..lowering.program.callees import callee_name
from ..names.host_memory import GIVERS
from ..syntax import nodes
from ..syntax.c_ast import c_ast
from .kernels import uncast
from .pointers import is_null

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...source.text import Span
    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader


class _Writes:
    """What is written to members: what gives memory, and where; `spoilt` is not known."""

    def __init__(self) -> None:
        self.given: dict[str, dict[Residence, tuple[str, Span | None]]] = {}
        self.spoilt: set[str] = set()

    def give(self, name: str, residence: Residence, maker: str, span: Span | None) -> None:
        self.given.setdefault(name, {}).setdefault(residence, (maker, span))


def member_pointers(
    functions: Iterable[nodes.Function], program: Program, reader: TypeReader
) -> dict[str, HostPointer]:
    """The members of known origin."""
    widths = _declared(program, reader)
    if not widths:
        return {}
    writes = _Writes()
    for function in functions:
        for node in nodes.walk(function.body):
            _read(node, writes)
        for each in function.initializers or ():
            name = getattr(each.target, "name", None) or ""
            items = list(each.arguments or ())
            _write(name, items[0] if len(items) == 1 else None, writes, empty=not items)
    found: dict[str, HostPointer] = {}
    for name, given in writes.given.items():
        if name in widths and name not in writes.spoilt and len(given) == 1:
            ((residence, (maker, span)),) = given.items()
            found[name] = HostPointer(Allocation(residence, name, maker, span, None, widths[name]))
    return found


def _declared(program: Program, reader: TypeReader) -> dict[str, int | None]:
    """The pointer members of all classes, with the size of what they point to where all agree."""
    widths: dict[str, set[int | None]] = {}
    others: set[str] = set()
    for definition in program.classes.values():
        for member in definition.members or ():
            if not isinstance(member, c_ast.Decl) or not member.name:
                continue
            type = reader.read(member.type, Scope())
            if type.form is Form.POINTER and type.element is not None:
                widths.setdefault(member.name, set()).add(type.element.size or None)
            else:
                others.add(member.name)
    return {
        name: next(iter(sizes)) if len(sizes) == 1 else None
        for name, sizes in widths.items()
        if name not in others and name not in program.variables
    }


def _read(node: Any, writes: _Writes) -> None:
    """What one node of a function writes to members."""
    if isinstance(node, c_ast.Assignment):
        _write(_named(node.lvalue), node.rvalue if node.op == "=" else None, writes)
    elif isinstance(node, c_ast.FuncCall) and node.args:
        maker = callee_name(node.name)
        giver = GIVERS.get(maker)
        for at, argument in enumerate(node.args.exprs):
            argument = uncast(argument)
            if not isinstance(argument, c_ast.UnaryOp) or argument.op != "&":
                continue
            name = _named(argument.expr)
            if giver is not None and giver.pointer == at:
                writes.give(name, giver.residence, maker, node.coord)
            else:
                writes.spoilt.add(name)


def _write(name: str, value: Any, writes: _Writes, *, empty: bool = False) -> None:
    """An assignment, or an initialiser of a constructor."""
    value = uncast(value)
    maker = callee_name(value.name) if isinstance(value, c_ast.FuncCall) else ""
    giver = GIVERS.get(maker)
    if isinstance(value, nodes.New):
        writes.give(
            name, Residence.HEAP, "new[]" if value.count is not None else "new", value.coord
        )
    elif giver is not None and giver.pointer is None:
        writes.give(name, giver.residence, maker, value.coord)
    elif not (empty or is_null(value)):
        writes.spoilt.add(name)


def _named(target: Any) -> str:
    """The member, or the variable, that an expression is."""
    if isinstance(target, c_ast.StructRef):
        return str(target.field.name)
    return target.name if isinstance(target, c_ast.ID) else ""
