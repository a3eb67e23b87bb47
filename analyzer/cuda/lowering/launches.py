"""Launches in host code: which kernel, with which grid, block and dynamic shared memory.

In: the host functions of a file. Out: for each `kernel<<<...>>>` (and `cudaLaunchKernel`) a `Seen`
for each distinct configuration: the IR's Launch, and the kernel's template parameters bound.
What is not a constant where control comes by (`host_walk.py`) is None, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from ...ir.kernel import Launch
from ...ir.values import Constant
from .. import nodes
from . import ctypes
from .function_values import function_of
from .host_instances import explicit_arguments
from .host_state import walk
from .host_values import HostValues
from .host_walk import HostWalk
from .scope import Scope, ValuePlace
from .templates import bind_open

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .context import Context
    from .program import Program
    from .type_reader import TypeReader

__all__ = ["Seen", "argument_words", "find_launches", "instantiate", "walk"]

ARGUMENTS_LIMIT = 4  # distinct arguments of one launch of one shape that are told apart


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch with what its kernel's template parameters are bound to."""

    launch: Launch
    bound: Scope


def find_launches(
    functions: Iterable[nodes.Function], program: Program, reader: TypeReader, text: str
) -> Iterator[Seen]:
    """Every launch in these functions, in every instance of them that the file shows."""
    hosts = [function for function in functions if function.body is not None]
    order = {id(node): i for i, node in enumerate(n for f in hosts for n in walk(f.body))}
    found: dict[int, dict[Launch, Seen]] = {}
    launches = _Launches(program, reader)

    def record(node: Any, scope: Scope) -> None:
        seen = launches.read(node, scope, hosting)
        if seen is not None:
            found.setdefault(order.get(id(node), 0), {}).setdefault(seen.launch, seen)

    hosting = HostWalk(program, reader, record)
    hosting.run(hosts, text)
    for _, distinct in sorted(found.items()):
        yield from _joined(list(distinct.values()))


def _joined(launches: list[Seen]) -> Iterator[Seen]:
    """The launches at one place; those that differ in too many ways in their arguments as one."""
    alike: dict[Launch, list[Seen]] = {}
    for seen in launches:
        alike.setdefault(replace(seen.launch, arguments=()), []).append(seen)
    for group in alike.values():
        if len(group) <= ARGUMENTS_LIMIT:
            yield from group
            continue
        columns = zip(*(seen.launch.arguments for seen in group), strict=True)
        common = tuple(column[0] if len(set(column)) == 1 else None for column in columns)
        yield Seen(replace(group[0].launch, arguments=common), group[0].bound)


class _Launches:
    """Reads launches where control comes by them."""

    def __init__(self, program: Program, reader: TypeReader) -> None:
        self._program = program
        self._values = HostValues(program, reader)

    def read(self, node: Any, scope: Scope, hosting: HostWalk) -> Seen | None:
        """A launch as the scope around it has it; None when it names no kernel."""
        cooperative = False
        if isinstance(node, nodes.Launch):
            kernel, configuration = node.kernel, list(node.configuration)
            given = list(node.arguments)
        else:
            call = list(node.args.exprs) if node.args is not None else []
            if len(call) < 3:
                return None
            kernel, configuration, given = call[0], [call[1], call[2], *call[4:6]], []
            cooperative = _kernel_name(node.name) == "cudaLaunchCooperativeKernel"
        while isinstance(kernel, c_ast.Cast | nodes.NamedCast | c_ast.UnaryOp):
            kernel = kernel.expression if isinstance(kernel, nodes.NamedCast) else kernel.expr
        name = _kernel_name(kernel)
        if not name or len(configuration) < 2:
            return None
        numbers = [self._values.number(item, scope) for item in configuration[2:3]] or [0]
        shared = numbers[0]
        texts = [_text(item) for item in configuration] + [""] * 3
        bound, arguments = self._instance(name, kernel, given, scope, hosting)
        launch = Launch(
            name,
            self._values.triple(configuration[0], scope),
            self._values.triple(configuration[1], scope),
            int(shared) if shared is not None else None,
            node.coord,
            texts[0],
            texts[1],
            texts[2],
            arguments,
            tuple(self._integer(item, scope) for item in given),
            cooperative,
        )
        return Seen(launch, bound)

    def _instance(
        self, name: str, kernel: Any, given: list[Any], scope: Scope, hosting: HostWalk
    ) -> tuple[Scope, tuple[str, ...]]:
        """The kernel's template parameters, bound, and their arguments in words."""
        bound = Scope()
        explicit = explicit_arguments(kernel)
        templates = [f for f in self._program.functions.get(name, ()) if f.template is not None]
        if not templates:
            return bound, tuple(map(_text, explicit))
        hosting.bind_template(templates[0], explicit, given, bound, scope)
        return bound, argument_words(bound, templates[0].template, explicit)

    def _integer(self, node: Any, scope: Scope) -> int | None:
        """A kernel argument that is an integer constant."""
        value = self._values.number(node, scope)
        return value if isinstance(value, int) else None


def argument_words(
    bound: Scope, template: nodes.Template | None, explicit: list[Any]
) -> tuple[str, ...]:
    """Template arguments in words: what they are bound to, else as written."""
    words: list[str] = []
    for index, parameter in enumerate(template.parameters if template is not None else ()):
        word = _word(bound, parameter)
        if not word and index >= len(explicit):
            break  # a pack, or a parameter that nothing in sight settles
        words.append(word or _text(explicit[index]))
    return tuple(words)


def _word(bound: Scope, parameter: Any) -> str:
    """A template argument as a value or type; "" when it is not known."""
    if parameter.kind == "type":
        type = bound.types.get(parameter.name)
        return "" if type is None or type.form is ctypes.Form.UNKNOWN else type.name
    place = bound.names.get(parameter.name)
    value = place.value.value if isinstance(place, ValuePlace) else None
    return str(value.value) if isinstance(value, Constant) else function_of(place)


def _kernel_name(node: Any) -> str:
    if isinstance(node, nodes.QualifiedName):
        node = node.parts[-1]
    return node.name if isinstance(node, nodes.TemplateId | c_ast.ID) else ""


def _text(node: Any) -> str:
    coord = getattr(node, "coord", None)
    return "" if coord is None else " ".join(coord.text.split())


def instantiate(context: Context, function: nodes.Function, seen: Seen | None, scope: Scope) -> str:
    """Bind a kernel's template parameters; the instance's name, "" when nothing was bound."""
    template = function.template
    if template is None:
        return ""
    if seen is None:
        context.reader.bind_arguments(template, [], scope, Scope())
    else:
        scope.names.update(seen.bound.names)
        scope.types.update(seen.bound.types)
    bind_open(context, template.parameters, scope)
    if seen is None or not seen.launch.template_arguments:
        return ""
    return f"{function.decl.name}<{', '.join(seen.launch.template_arguments)}>"
