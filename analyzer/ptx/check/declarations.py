"""Checks that what a module declares more than once fits together, as ptxas does.

In: a module. Out: complaints about its outermost scope: variables and functions defined twice, and
declarations that differ from the definition in type, extents, parameters or results (PTX ISA 5.4
and 7.1). Names declared twice inside of a function are found by `names.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..syntax.constants import evaluate_constant
from ..syntax.tree import Function, Variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.tree import Declarator, Operand, ParameterDeclaration, PtxModule


class Clash(NamedTuple):
    """A declaration in PTX that an earlier one does not allow."""

    kind: str
    message: str
    start: int
    end: int


class _Known(NamedTuple):
    """What the earlier declarations of a name say."""

    shape: tuple[object, ...]
    defined: bool


def check_declarations(module: PtxModule) -> Iterator[Clash]:
    """Every clash of declarations in a PTX module, in the order of the text."""
    known: dict[str, _Known] = {}
    for item in module.items:
        if isinstance(item, Function):
            shape = _function_shape(item)
            defined = item.body is not None
            # Once a function is defined, declaring it is one definition too many.
            twice = item.name in known and known[item.name].defined
            message = _message(known, item.name, shape, twice)
            if message:
                yield Clash("duplicate-declaration", message, item.start, item.header_end)
            known[item.name] = _Known(shape, defined or twice)
        elif isinstance(item, Variables):
            defined = ".extern" not in item.linkage
            for declarator in item.declarators:
                name = declarator.name.text
                shape = _variable_shape(item, declarator)
                twice = defined and name in known and known[name].defined
                message = _message(known, name, shape, twice)
                if message:
                    yield Clash("duplicate-declaration", message, item.start, item.end)
                known[name] = _Known(shape, defined or (name in known and known[name].defined))


def _message(known: dict[str, _Known], name: str, shape: tuple[object, ...], twice: bool) -> str:
    """What is wrong with one more declaration of a name; empty when nothing is."""
    if name not in known:
        return ""
    if not _agree(known[name].shape, shape):
        return f"{name} has two conflicting declarations"
    return f"{name} is defined twice" if twice else ""


def _agree(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    """None stands for an extent that is left open."""
    if len(first) != len(second):
        return False
    return all(a == b or a is None or b is None for a, b in zip(first, second, strict=True))


def _variable_shape(item: Variables, declarator: Declarator) -> tuple[object, ...]:
    vector = next((q[0] for q in item.qualifiers if q[0] in (".v2", ".v4", ".v8")), "")
    return ("variable", item.type, vector, *_extents(declarator.extents))


def _function_shape(item: Function) -> tuple[object, ...]:
    header = item.header
    parameters = tuple(map(_parameter_shape, header.parameters or ()))
    results = tuple(map(_parameter_shape, header.results or ()))
    return (header.kind, parameters, results)


def _parameter_shape(one: ParameterDeclaration) -> tuple[object, ...]:
    alignment = None if one.alignment is None else one.alignment.whole
    return (one.space, one.type, one.vector, alignment, *_extents(one.extents))


def _extents(extents: tuple[Operand | None, ...]) -> tuple[int | None, ...]:
    return tuple(None if extent is None else evaluate_constant(extent) for extent in extents)
