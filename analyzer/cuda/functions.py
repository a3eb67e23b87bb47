"""A function of device code as it is written down.

In: a definition, how much of it was read, the kernels lowered from it, the launches that name it.
Out: a `FunctionInfo`. Not handled: the template heads of the classes around a member function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.kernel import FunctionInfo, FunctionKind, FunctionParameter, Instance, TemplateParameter
from .lowering.program.program import GLOBAL
from .syntax.declared_text import argument_text, declared_text, one_line
from .syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..ir.kernel import Kernel, Launch
    from ..source.text import Span
    from .syntax import nodes
    from .syntax.coverage import Coverage


def describe_function(
    function: nodes.Function,
    coverage: Coverage,
    kernels: Iterable[Kernel] = (),
    launches: Iterable[Launch] = (),
) -> FunctionInfo:
    """One function written in CUDA C++, with the kernels made of it and launches that name it."""
    header = function.header or function.coord
    marks = function.decl.funcspec
    return FunctionInfo(
        function.decl.name,
        FunctionKind.KERNEL if GLOBAL in marks else FunctionKind.DEVICE,
        "cuda",
        header,
        function.coord,
        scope=tuple(function.scope),
        template=_template(function, header),
        specialization=tuple(map(argument_text, function.specialization or ())),
        qualifiers=(*dict.fromkeys(marks), *function.suffixes),
        attributes=tuple(
            one_line(item.coord.text) for item in function.attributes if item.coord is not None
        ),
        parameters=tuple(_parameters(function, header)),
        launches=tuple(launches),
        instances=tuple(Instance(each.label, each.bounds) for each in kernels),
        status=coverage.status,
        statements=coverage.statements,
        opaque=coverage.opaque,
    )


def _template(function: nodes.Function, header: Span) -> tuple[TemplateParameter, ...] | None:
    if function.template is None:
        return None
    return tuple(
        TemplateParameter(item.kind, item.name or "", *declared_text(item, header))
        for item in function.template.parameters
    )


def _parameters(function: nodes.Function, header: Span) -> Iterator[FunctionParameter]:
    arguments = function.decl.type.args
    for item in arguments.params if arguments is not None else ():
        if isinstance(item, c_ast.EllipsisParam):
            yield FunctionParameter("", "...")
        elif isinstance(item, c_ast.Decl):
            yield FunctionParameter(item.name or "", *declared_text(item, header))
        else:
            declared, default = declared_text(item, header)
            if declared != "void":  # `f(void)` has none
                yield FunctionParameter("", declared, default)
