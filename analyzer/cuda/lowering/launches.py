"""Launches in host code: which kernel, with which grid, block and dynamic shared memory.

In: the host functions of a file. Out: for each `kernel<<<...>>>` (and `cudaLaunchKernel`) a `Seen`:
the IR's Launch, and the template arguments as nodes with the scope they were written in.
Dimensions are known when they are constants, `dim3` of constants, or a local variable that is
initialised with such and never assigned; anything else is None, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from ...ir.kernel import Launch
from ...ir.types import UNKNOWN
from ...ir.values import Unknown
from .. import nodes
from . import constants, ctypes
from .host_instances import host_instances
from .scope import Scope, Typed, ValuePlace
from .templates import bind_open

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.kernel import PartialDimensions
    from .context import Context
    from .program import Program
    from .type_reader import TypeReader

UNKNOWN_DIMENSIONS: PartialDimensions = (None, None, None)


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch with what is needed to instantiate its kernel."""

    launch: Launch
    arguments: tuple[Any, ...]  # template argument nodes
    scope: Scope


def find_launches(
    functions: Iterable[nodes.Function], program: Program, reader: TypeReader, text: str
) -> Iterator[Seen]:
    """Every launch in these functions, in every instance of them that the file shows."""
    launching: dict[nodes.Function, list[Any]] = {}
    for function in functions:
        found = [] if function.body is None else list(filter(_is_launch, walk(function.body)))
        if found:
            launching[function] = found
    for function, scope in host_instances(launching, reader, text):
        host = _Host(function, program, reader, scope)
        for node in launching[function]:
            seen = host.read(node)
            if seen is not None:
                yield seen


def walk(node: Any) -> Iterator[Any]:
    """Every node below and including `node`, in source order."""
    work = [node]
    while work:
        item = work.pop()
        yield item
        work += reversed(list(item))


def _is_launch(node: Any) -> bool:
    if isinstance(node, nodes.Launch):
        return True
    return isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") in (
        "cudaLaunchKernel",
        "cudaLaunchCooperativeKernel",
    )


class _Host:
    """One host function: its constants and its dim3 variables."""

    def __init__(
        self, function: nodes.Function, program: Program, reader: TypeReader, outer: Scope
    ) -> None:
        self._program = program
        self._reader = reader
        self._scope = Scope(outer)
        self._dimensions: dict[str, PartialDimensions] = {}
        assigned = _assigned_names(function.body)
        for node in walk(function.body):
            if isinstance(node, c_ast.Decl) and node.name and node.init is not None:
                if node.name in assigned:
                    self._hide(node.name)
                else:
                    self._learn(node)
            elif isinstance(node, c_ast.Decl) and node.name:
                self._hide(node.name)

    def _hide(self, name: str) -> None:
        """A variable whose value is not known must not read as a file-scope one."""
        value = Typed(Unknown(UNKNOWN, f"{name} is a host variable"), ctypes.unknown("auto"))
        self._scope.names[name] = ValuePlace(value)

    def _learn(self, node: Any) -> None:
        type = self._reader.read(node.type, self._scope)
        if type.name == "dim3":
            self._dimensions[node.name] = self._triple(node.init)
            return
        value = self._constant(node.init)
        if value is None:
            self._hide(node.name)
            dimensions = self._triple(node.init)
            if dimensions != UNKNOWN_DIMENSIONS:
                self._dimensions[node.name] = dimensions
        else:
            scalar = type if type.is_scalar else ctypes.INT
            if scalar.form is not ctypes.Form.FLOAT:
                value = int(value)
            self._scope.names[node.name] = constants.place(value, scalar)

    def _constant(self, node: Any) -> int | float | None:
        if isinstance(node, c_ast.InitList) and len(node.exprs or ()) == 1:
            node = node.exprs[0]
        return constants.evaluate(node, self._scope, self._program, self._reader)

    def read(self, node: Any) -> Seen | None:
        if isinstance(node, nodes.Launch):
            kernel, configuration = node.kernel, list(node.configuration)
            given = list(node.arguments)
        else:
            call = list(node.args.exprs) if node.args is not None else []
            if len(call) < 3:
                return None
            kernel, configuration, given = call[0], [call[1], call[2], *call[4:6]], []
        while isinstance(kernel, c_ast.Cast | nodes.NamedCast | c_ast.UnaryOp):
            kernel = kernel.expression if isinstance(kernel, nodes.NamedCast) else kernel.expr
        name, arguments = _kernel_name(kernel)
        if not name or len(configuration) < 2:
            return None
        shared = self._constant(configuration[2]) if len(configuration) > 2 else 0
        texts = [_text(item) for item in configuration] + [""] * 3
        launch = Launch(
            name,
            self._triple(configuration[0]),
            self._triple(configuration[1]),
            int(shared) if shared is not None else None,
            node.coord,
            texts[0],
            texts[1],
            texts[2],
            tuple(map(self._argument_text, arguments)),
            tuple(map(self._integer, given)),
        )
        return Seen(launch, tuple(arguments), self._scope)

    def _triple(self, node: Any) -> PartialDimensions:
        """Three dimensions from an int, a dim3 expression or a known variable."""
        if isinstance(node, c_ast.ID) and node.name in self._dimensions:
            return self._dimensions[node.name]
        items: list[Any] | None = None
        if isinstance(node, c_ast.InitList):
            items = list(node.exprs or ())
        elif isinstance(node, nodes.Construct) and (
            node.type is None or _last_word(node.type) == "dim3"
        ):
            # Without a type it is the initialiser of a declaration: `dim3 block(16, 16)`.
            items = list(node.arguments)
        elif isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") == "dim3":
            items = list(node.args.exprs) if node.args is not None else []
        if items is not None:
            if len(items) == 1 and isinstance(items[0], nodes.Construct | c_ast.ID):
                inner = self._triple(items[0])
                if inner != UNKNOWN_DIMENSIONS:
                    return inner
            known = [self._whole(item) for item in items[:3]]
            padded = [*known, *[1] * (3 - len(known))]
            return (padded[0], padded[1], padded[2])
        value = self._whole(node)
        return UNKNOWN_DIMENSIONS if value is None else (value, 1, 1)

    def _argument_text(self, node: Any) -> str:
        """A template argument as a value or type, else as it is written."""
        if isinstance(node, c_ast.Typename):
            type = self._reader.read(node, self._scope)
            return _text(node) if type.form is ctypes.Form.UNKNOWN else type.name
        value = self._constant(node)
        if value is None and isinstance(node, c_ast.ID):
            bound = self._scope.find_type(node.name)
            return node.name if bound is None else bound.name
        return _text(node) if value is None else str(value)

    def _integer(self, node: Any) -> int | None:
        """A kernel argument that is an integer constant."""
        value = self._constant(node)
        return value if isinstance(value, int) else None

    def _whole(self, node: Any) -> int | None:
        value = self._constant(node)
        return None if value is None else int(value)


def _assigned_names(body: Any) -> set[str]:
    """Names that are assigned, stepped, or have a member assigned or their address taken."""
    found: set[str] = set()
    for node in walk(body):
        target = None
        if isinstance(node, c_ast.Assignment):
            target = node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--", "&"):
            target = node.expr
        while isinstance(target, c_ast.StructRef):
            target = target.name
        if isinstance(target, c_ast.ID):
            found.add(target.name)
    return found


def _kernel_name(node: Any) -> tuple[str, list[Any]]:
    if isinstance(node, nodes.QualifiedName):
        node = node.parts[-1]
    if isinstance(node, nodes.TemplateId):
        return node.name, list(node.arguments)
    return (node.name, []) if isinstance(node, c_ast.ID) else ("", [])


def _last_word(typename: Any) -> str:
    inner = typename
    while inner is not None and not isinstance(inner, c_ast.IdentifierType):
        inner = getattr(inner, "type", None)
    return str(inner.names[-1]) if inner is not None else ""


def _text(node: Any) -> str:
    coord = getattr(node, "coord", None)
    return "" if coord is None else " ".join(coord.text.split())


def instantiate(context: Context, function: nodes.Function, seen: Seen | None, scope: Scope) -> str:
    """Bind a kernel's template parameters; the instance's name, "" when nothing was bound."""
    template = function.template
    if template is None:
        return ""
    arguments = list(seen.arguments) if seen is not None else []
    outer = seen.scope if seen is not None else Scope()
    context.reader.bind_arguments(template, arguments, scope, outer)
    bind_open(context, template.parameters, scope)
    if seen is None or not arguments:
        return ""
    return f"{function.decl.name}<{', '.join(seen.launch.template_arguments)}>"
