"""One `__global__` function → one IR kernel, for one set of template arguments.

In: the function, the program around it, and a launch that instantiates it (or None). Out: a
finished Kernel, `unread` being what it met and could not read, inlined functions included.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ir.builder import Builder
from ..ir.kernel import Bounds, Kernel, Unsuited
from ..ir.memory import MemoryObject, Space, Variable
from ..ir.operations import Return
from ..ir.values import Parameter
from ..resources.declared import declared_usage
from ..source.location import Location, SecondCall
from ..source.numbers import launch_number
from ..source.text import Span
from .host.launches import instantiate
from .lowering.expressions import calls, expressions
from .lowering.expressions.variables import parameter_place
from .lowering.model import ctypes
from .lowering.model.classes import lineage
from .lowering.model.ctypes import Form
from .lowering.model.frame import Frame
from .lowering.model.layouts import field_of, has_parts, member_arrays, scalar_of
from .lowering.model.scope import ClassScope, Scope, Typed, ValuePlace, VariablePlace
from .lowering.operators import conversions, overloads
from .lowering.program.parameters import is_pack, parameters_of
from .lowering.program.program import GLOBAL
from .lowering.state.context import Context
from .lowering.state.dispatches import OPERATION_LIMIT, OversizedDispatch
from .lowering.state.homes import Homes
from .lowering.state.promotion import ROUNDS, better_homes, corrected_homes
from .lowering.statements import statements
from .lowering.types import template_packs
from .names.conventions import is_restrict
from .syntax.nodes import declares_reference, has_virtual_functions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..ir.values import Entry
    from .host.launches import Seen
    from .lowering.model.ctypes import CType, Member
    from .lowering.model.scope import Place
    from .lowering.program.program import Program
    from .lowering.types.type_reader import TypeReader
    from .syntax import nodes


class _Declared(NamedTuple):
    """A parameter as it is declared, or a member of one."""

    node: Any
    type: CType
    name: str


class Target(NamedTuple):
    """What CUDA kernels are lowered for."""

    arch: int
    most: int = OPERATION_LIMIT  # operations with which no more calls are inlined


def lower_kernel(
    function: nodes.Function,
    program: Program,
    reader: TypeReader,
    target: Target,
    seen: Seen | None,
) -> Kernel:
    """The IR of a CUDA kernel in SSA form; that of a device function looks at what the function
    gives back.
    """
    homes: Homes | None = Homes()
    oversized: frozenset[int] = frozenset()
    iterations = made = 0
    while homes is not None:
        context = _context(function, program, reader, target)
        context.homes, context.oversized = homes, oversized
        try:
            with program.seen_from(function.scope):
                kernel = _lower(context, function, seen)
            iterations += 1
            homes = corrected_homes(context, kernel)  # each time fewer variables are in registers
            if homes is None and iterations < ROUNDS:
                homes = better_homes(context, kernel)
        except OversizedDispatch as found:
            oversized |= {found.switch}
        finally:
            made += context.made
            vars(context).clear()  # its hooks refer to it: so it goes at once
    kernel.made = made
    return kernel


def _context(
    function: nodes.Function, program: Program, reader: TypeReader, target: Target
) -> Context:
    header = function.header or function.coord
    kernel = Kernel(function.decl.name, header, function.coord, "cuda")
    builder = Builder(kernel, Location(header))
    context = Context(builder, program, reader, target.arch)
    context.most = target.most
    context.expression = lambda node: expressions.lower(context, node)
    context.statement = lambda node: statements.lower(context, node)
    context.place = lambda node: expressions.place_of(context, node)
    context.inline = partial(calls.inline, context)
    context.as_number = partial(conversions.as_number, context)
    context.as_bool = lambda value: overloads.as_bool(context, value)
    context.frames.append(Frame(function, address_taken=program.address_taken(function.body)))
    context.scope = Scope()
    return context


def _lower(context: Context, function: nodes.Function, seen: Seen | None) -> Kernel:
    builder, kernel = context.builder, context.kernel
    kernel.instance = instantiate(context, function, seen, context.scope)
    kernel.bounds = _bounds(context, function)
    _parameters(context, function)
    if GLOBAL in function.decl.funcspec:
        context.statement(function.body)
    else:
        _call_twice(context, function)
    if builder.current is not None:
        end = function.body.coord.end
        source = function.body.coord.source
        closing = Location(Span(source, max(end - 1, 0), end))
        builder.terminate(Return(closing, implicit=True))
    kernel.usage = lambda _arch: declared_usage(kernel)
    return _with_used_members(builder.finish(drop_unused=True))


def _with_used_members(kernel: Kernel) -> Kernel:
    """The kernel without what it never uses of the members of its parameters."""
    used = {each for operation in kernel.operations() for each in operation.operands}
    used |= {each for block in kernel.blocks for phi in block.phis for each in phi.operands}
    unused = [each for each in kernel.members if each not in used]
    if unused:
        gone = {each.pointee for each in unused}
        kernel.objects = [each for each in kernel.objects if each not in gone]
        kernel.members = [each for each in kernel.members if each in used]
        for at, each in enumerate(kernel.members, len(kernel.parameters)):
            each.index = at
    return kernel


def _call_twice(context: Context, function: nodes.Function) -> None:
    """A device function as code calls it that nobody has read: once, and once more after that. What
    it leaves behind in shared memory is there when it is called again.
    """
    outer, given = context.scope, list(_given_back(context, function))
    first = _called(context, function, given)
    context.frame.call = SecondCall(function.header or function.coord)
    context.scope = Scope(outer)
    for each in parameters_of(function):
        if isinstance(place := outer.names.get(each.name), VariablePlace):
            _give_anew(context, each, place)
    values = [*first, *_called(context, function, given)]
    context.call("its caller", ctypes.unknown("auto"), values, "nothing in sight calls it")


def _given_back(context: Context, function: nodes.Function) -> Iterator[Place]:
    """The places by which a device function gives something to its caller."""
    for each in parameters_of(function):
        place = context.scope.names.get(each.name)
        if declares_reference(each) and isinstance(place, VariablePlace):
            yield place


def _give_anew(context: Context, node: Any, place: VariablePlace) -> None:
    """A parameter of the second call: what the first one had, which may have changed its own."""
    parameter = next(each for each in context.kernel.parameters if each.span is node.coord)
    if not declares_reference(node):
        anew = parameter_place(context, node, Typed(parameter, place.type))
        context.scope.names[node.name] = anew


def _called(context: Context, function: nodes.Function, given: list[Place]) -> list[Typed]:
    """One call: what its caller gets of it."""
    builder, frame = context.builder, context.frame
    frame.exit, frame.result = builder.new_block("end"), None
    frame.result_type = context.reader.read(function.decl.type.type, context.scope)
    frame.labels.clear()
    frame.references.clear()
    context.statement(function.body)
    builder.jump(frame.exit)
    builder.start(frame.exit)
    places = given if frame.result is None else [*given, frame.result]
    return [context.read(each) for each in places]


def _parameters(context: Context, function: nodes.Function) -> None:
    """The parameters, each element of a pack one of its own."""
    parameters = parameters_of(function)
    declared = [_types(context, node) for node in parameters]
    count = sum(map(len, declared))
    for index, (node, types) in enumerate(zip(parameters, declared, strict=True)):
        name = node.name or f"parameter {index}"
        names = [f"{name}[{at}]" for at in range(len(types))] if is_pack(node) else [name]
        given = [
            _parameter(context, _Declared(node, type, named), count)
            for type, named in zip(types, names, strict=True)
        ]
        if node.name and not is_pack(node):
            copied = given[0].type.form is Form.ARRAY  # into the parameter: nothing to store
            place = ValuePlace(given[0]) if copied else parameter_place(context, node, given[0])
            context.scope.names[node.name] = place
        elif node.name and any(template_packs.packs_of(node.type.pattern, context.scope)):
            pack = template_packs.of_places(name, map(ValuePlace, given))
            context.scope.names[node.name] = pack


def _types(context: Context, node: Any) -> list[CType]:
    """The type of a parameter, or those of a pack."""
    scopes, declared = [context.scope], node.type
    if is_pack(node):
        declared = node.type.pattern
        scopes = list(template_packs.elements(declared, context.scope))
    return [ctypes.decayed(context.reader.read(declared, inner)) for inner in scopes]


def _parameter(context: Context, declared: _Declared, count: int) -> Typed:
    """What a launch gives for a parameter, one of `count`."""
    node, type, name = declared
    index = len(context.kernel.parameters)
    parameter = _given(context, declared, index)
    context.kernel.parameters.append(parameter)
    parameter.reference = declares_reference(node)
    if parameter.reference:
        if (type.is_scalar or type.members) and not _places_itself(context, type):
            context.kernel.unsuited.append((parameter, Unsuited.REFERENCE))
    elif isinstance(type.origin, ClassScope) and has_virtual_functions(type.origin.definition):
        context.kernel.unsuited.append((parameter, Unsuited.VIRTUAL))
    context.kernel.variables.append(
        Variable(name, type.name, Space.PARAMETER, node.coord, "a kernel parameter", type.size)
    )
    if node.name and has_parts(type):
        whole = partial(Typed, parameter, type)
        return _taken_apart(context, declared, whole, (index, ()), count)
    return Typed(parameter, type)


def _places_itself(context: Context, type: CType) -> bool:
    """Whether a class says where its objects live (`operator new`): where it is passed by
    reference to kernels, that is memory which the device can follow.
    """
    return any(
        context.program.methods(each.definition, "operator new") for each in lineage(type.origin)
    )


def _given(
    context: Context, declared: _Declared, index: int, member: Entry | None = None
) -> Parameter:
    """What a launch gives: a parameter, or a member of one."""
    node, type, name = declared
    pointee: MemoryObject | None = None
    if type.form is Form.POINTER and type.element is not None:
        pointee = MemoryObject(
            f"*{name}",
            Space.GLOBAL,
            scalar_of(type.element).ir(),
            None,
            None,
            span=node.coord,
            pointee=True,
            restrict=member is None
            and any(map(is_restrict, getattr(node.type, "quals", None) or ())),
            members=tuple(member_arrays(scalar_of(type.element))),
        )
        context.kernel.objects.append(pointee)
    return Parameter(type.ir(), name, index, node.coord, pointee, member)


def _taken_apart(
    context: Context,
    declared: _Declared,
    whole: Callable[[], Typed],
    place: Entry,
    count: int,
) -> Typed:
    """A class that is given, member by member: each number and pointer is given by itself. `place`
    says of which parameter it is a member, and of which member; `count` parameters come before.
    """
    values: list[Typed] = []
    kernel = context.kernel
    for at, member in enumerate(declared.type.members):
        type, inner = member.type, (place[0], (*place[1], member.name))
        own = _Declared(declared.node, type, f"{declared.name}.{member.name}")
        part = cache(partial(_part, context, whole, at, member))
        if type.is_scalar and type.bits is None and not ctypes.is_reference(type):
            index = count + len(kernel.members)
            kernel.members.append(_given(context, own, index, inner))
            values.append(Typed(kernel.members[-1], type))
        elif has_parts(type):
            values.append(_taken_apart(context, own, part, inner, count))
        else:
            values.append(part())
    return context.aggregate(declared.type, values)


def _part(context: Context, whole: Callable[[], Typed], at: int, member: Member) -> Typed:
    """A member that is not given by itself, as an array is not."""
    outer = whole()
    return context.extract(outer, field_of(ValuePlace(outer), at, member))


def _bounds(context: Context, function: nodes.Function) -> Bounds:
    numbers: dict[str, list[int | None]] = {}
    span: Span | None = None
    for attribute in function.attributes:
        values = [context.number(argument) for argument in attribute.arguments or ()]
        numbers[attribute.name] = [launch_number(value) for value in values]
        if attribute.name == "__launch_bounds__":
            span = attribute.coord
    launch = [*numbers.get("__launch_bounds__", []), None, None]
    registers = [*numbers.get("__maxnreg__", []), None]
    cluster = [value or 1 for value in numbers.get("__cluster_dims__", [])]
    padded = [*cluster, 1, 1, 1]
    return Bounds(
        max_threads=launch[0],
        min_blocks=launch[1],
        max_registers=registers[0],
        cluster=(padded[0], padded[1], padded[2]) if cluster else None,
        span=span,
    )
