"""Grids and blocks at file scope, `dim3 block;`: one function sets them, another one launches.

In: the host functions of a file, and its launches. Out: by name, what such a variable holds in all
of them: an axis that all who write it in the file give the same constant number holds that; one
that nobody writes holds what the variable is declared with, if the file writes another one; others
are not known. Not handled: variables whose address or reference somebody gets, and writes in
functions that have a variable of their own of that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....source.numbers import whole
from ...lowering.model.scope import Scope
from ...lowering.program.callees import callee_name
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .kernels import bare
from .values import AXES, dimensions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ....ir.kernel import PartialDimensions
    from ...lowering.model.scope import Binding
    from ...lowering.program.program import Program
    from .values import HostValues

    Parts = dict[str, int | None]

_SHAPES = 2  # of a launch configuration: its grid and its block


def file_scope_shapes(
    functions: Sequence[nodes.Function],
    launches: Iterable[Any],
    program: Program,
    values: HostValues,
) -> Mapping[str, Binding]:
    """What the grids and blocks of launches hold that are variables at file scope."""
    held: dict[str, Parts] = {}
    for name in {each for launch in launches for each in _shapes_of(launch)}:
        if name in program.variables and not program.variables.is_ambiguous(name):
            declared = program.variables[name]
            is_ours = "extern" not in (declared.storage or ()) and not nodes.declares_reference(
                declared
            )
            if is_ours and values.type_at_file_scope(declared.type).name == "dim3":
                held[name] = _declared(declared.init, values)
    if not held:
        return {}
    written: dict[str, Parts] = {name: {} for name in held}
    for function in functions:
        every = list(nodes.walk(function.body))
        declared = (each for part in (function.decl, function.body) for each in nodes.walk(part))
        own = {each.name for each in declared if isinstance(each, c_ast.Decl)}
        for node in every:
            for name, parts in _writes(node, values):
                if name in written and name not in own:
                    _agree(written[name], parts)
    known = {}
    for name, parts in written.items():
        if parts:  # else another file sets it
            if program.variables[name].init is not None:
                _agree(parts, held[name])
            known[name] = held[name] | parts
    return {
        name: dimensions(_triple(parts)) for name, parts in known.items() if any(parts.values())
    }


def _shapes_of(launch: Any) -> Iterator[str]:
    """The variables that are the grid and the block of a launch."""
    if isinstance(launch, nodes.Launch):
        given = list(launch.configuration)[:_SHAPES]
        yield from (each.name for each in map(bare, given) if isinstance(each, c_ast.ID))


def _declared(init: Any, values: HostValues) -> Parts:
    triple = (1, 1, 1) if init is None else values.triple(init, Scope())
    return dict(zip(AXES, triple, strict=True))


def _writes(node: Any, values: HostValues) -> Iterator[tuple[str, Parts]]:
    """The variables that a node may write, and what each axis of them holds then."""
    if isinstance(node, c_ast.Assignment):
        to, plain = bare(node.lvalue), node.op == "="
        if isinstance(to, c_ast.StructRef) and isinstance(to.name, c_ast.ID):
            number = whole(values.number(node.rvalue, Scope())) if plain else None
            yield to.name.name, {nodes.member_name(to): number}
        elif isinstance(to, c_ast.ID):
            yield to.name, dict(zip(AXES, values.triple(node.rvalue, Scope()), strict=True))
        return
    given: list[Any] = []
    if isinstance(node, c_ast.UnaryOp) and node.op in ("&", "++", "--", "p++", "p--"):
        given = [node.expr]
    elif isinstance(node, c_ast.FuncCall) and not callee_name(node.name).startswith("cuda"):
        given = list(node.args.exprs) if node.args is not None else []
    elif isinstance(node, c_ast.Decl) and nodes.declares_reference(node):
        given = [node.init]
    for each in given:
        part = each.name if isinstance(each, c_ast.StructRef) else each
        if isinstance(part, c_ast.ID):
            yield part.name, dict.fromkeys(AXES)


def _agree(written: Parts, parts: Parts) -> None:
    """Take in one more write."""
    for axis, number in parts.items():
        written[axis] = number if written.setdefault(axis, number) == number else None


def _triple(parts: Parts) -> PartialDimensions:
    x, y, z = (parts[axis] for axis in AXES)
    return x, y, z
