"""Pointers that classes keep: what memory each such member holds, for the methods of its class.

In: the classes of a program and the host functions of a file. Out: by the name of a class, and of a
member that is a pointer, a pointer to memory of one kind and unknown size. It is known where
everything that the class's own methods write to it is null or comes from functions that give memory
of that kind (`cudaMalloc(&u, bytes)`, `u = new float[n]`), and nobody else in the file writes a
member of that name. What objects it belongs to is not told apart. Not handled: structures that
functions fill, which files elsewhere may fill otherwise; members whose address goes elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.host import Allocation, HostPointer, Residence
from ..lowering.model.ctypes import Form
from ..lowering.model.scope import Scope
from ..lowering.program.callees import library_name
from ..names.host_memory import GIVERS
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .values.kernels import uncast
from .values.pointers import is_null

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...source.text import Span
    from ..lowering.program.program import Program
    from ..lowering.types.type_reader import TypeReader


class _Writes:
    """What the methods of one class write to members: what gives memory, and where; `spoilt` is
    not known.
    """

    def __init__(self) -> None:
        self.given: dict[str, dict[Residence, tuple[str, Span | None]]] = {}
        self.spoilt: set[str] = set()

    def give(self, name: str, residence: Residence, maker: str, span: Span | None) -> None:
        self.given.setdefault(name, {}).setdefault(residence, (maker, span))


def member_pointers(
    functions: Iterable[nodes.Function], program: Program, reader: TypeReader
) -> dict[str, Mapping[str, HostPointer]]:
    """The pointers in members whose memory host code makes known, by the name of their class."""
    writes: dict[str, _Writes] = {}
    for function in functions:
        there = writes.setdefault(owner_of(function, program), _Writes())
        for node in nodes.walk(function.body):
            _read(node, there)
        for each in function.initializers or ():
            name = getattr(each.target, "name", None) or ""
            items = list(each.arguments or ())
            _write(name, items[0] if len(items) == 1 else None, there, empty=not items)
    found: dict[str, Mapping[str, HostPointer]] = {}
    for owner, own in writes.items():
        others = [each for each in writes.values() if each is not own]
        members = {
            name: HostPointer(Allocation(residence, name, maker, span, None, width))
            for name, width in _declared(owner, program, reader).items()
            if name not in own.spoilt and len(own.given.get(name, ())) == 1
            if not any(name in each.given or name in each.spoilt for each in others)
            for residence, (maker, span) in own.given[name].items()
        }
        if members:
            found[owner] = members
    return found


def owner_of(function: nodes.Function, program: Program) -> str:
    """The class that a function is a method of, by its scope; "" for any other function."""
    return str(function.scope[-1]) if function.scope and program.is_method(function) else ""


def _declared(owner: str, program: Program, reader: TypeReader) -> dict[str, int | None]:
    """The pointer members of a class, with the size of what they point to."""
    definition = program.classes.get(owner) if owner else None
    found: dict[str, int | None] = {}
    for member in definition.members or () if definition is not None else ():
        if isinstance(member, c_ast.Decl) and member.name and member.name not in program.variables:
            type = reader.read(member.type, Scope())
            if type.form is Form.POINTER and type.element is not None:
                found[member.name] = type.element.size or None
    return found


def _read(node: Any, writes: _Writes) -> None:
    """What one node of a function writes to members."""
    if isinstance(node, c_ast.Assignment):
        _write(_named(node.lvalue), node.rvalue if node.op == "=" else None, writes)
    elif isinstance(node, c_ast.FuncCall) and node.args:
        maker = library_name(node.name)
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
    maker = library_name(value.name) if isinstance(value, c_ast.FuncCall) else ""
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
        return nodes.member_name(target)
    return target.name if isinstance(target, c_ast.ID) else ""
