"""The functions of a PTX module as they are written down.

In: a parsed module and the kernels lowered from it. Out: a `FunctionInfo` for each `.entry` and
`.func` with a body, in the order of the file (PTX ISA 5.4 and 7.1). PTX has no templates and no
scopes; its launches are those of other files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.kernel import FunctionInfo, FunctionKind, FunctionParameter, Instance
from ..source.text import Span
from .syntax.tree import Instruction, Number, Unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..ir.kernel import Kernel
    from .syntax.tree import Function, Operand, ParameterDeclaration, PtxModule


def describe_functions(module: PtxModule, kernels: Iterable[Kernel]) -> list[FunctionInfo]:
    """The functions that a PTX module defines, as they are written."""
    # A second body under one name is an error of the file; each is described by its own kernel.
    lowered = {(kernel.name, kernel.span.start): kernel for kernel in kernels}
    return [
        _describe(module, function, lowered.get((function.name, function.start)))
        for function in module.functions
        if function.body is not None
    ]


def _describe(module: PtxModule, function: Function, kernel: Kernel | None) -> FunctionInfo:
    source = module.source
    header = function.header
    body = function.body or ()
    opaque = tuple(
        Span(source, statement.start, statement.end)
        for statement in body
        if isinstance(statement, Unread)
    )
    statements = len(opaque) + sum(isinstance(statement, Instruction) for statement in body)
    return FunctionInfo(
        function.name,
        FunctionKind.KERNEL if function.is_entry else FunctionKind.DEVICE,
        "ptx",
        Span(source, function.start, function.header_end),
        Span(source, function.header_end, function.end),
        qualifiers=(*header.linkage, header.kind),
        attributes=(
            *(" ".join(words) for words in header.attributes),
            *(f"{one.name} {', '.join(one.values)}".rstrip() for one in header.performance),
        ),
        parameters=tuple(_parameters(header.parameters or ())),
        launches=() if kernel is None else tuple(kernel.launches),
        instances=(Instance(kernel.name, kernel.bounds),) if kernel is not None else (),
        status=_status(len(opaque), statements),
        statements=statements,
        opaque=opaque,
    )


def _status(opaque: int, statements: int) -> str:
    if not opaque:
        return "full"
    return "none" if opaque == statements else "partial"


def _parameters(declared: Iterable[ParameterDeclaration]) -> Iterator[FunctionParameter]:
    for item in declared:
        words = [item.vector, item.type]
        if item.alignment is not None:
            words = [".align", item.alignment.text, *words]
        if item.pointer is not None:
            words += [".ptr", item.pointer.space]
            if item.pointer.alignment is not None:
                words += [".align", item.pointer.alignment.text]
        extents = "".join(f"[{_extent(extent)}]" for extent in item.extents)
        yield FunctionParameter(item.name.text, " ".join(filter(None, words)) + extents)


def _extent(extent: Operand | None) -> str:
    if extent is None:
        return ""
    return extent.text if isinstance(extent, Number) else "..."
