"""Calls: device functions, methods and lambdas are inlined; intrinsics are modelled.

In: a FuncCall node. Out: its value, or the place it refers to when it returns a reference.
What is not inlined and not modelled becomes `Call`, which the analyses take for "may do anything".
Recursion is not followed; inlining stops at the limits of `context.py` and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from ...source.location import Location
from .. import nodes
from . import cooperative_groups, ctypes, intrinsics, library_models
from .context import DEPTH_LIMIT, OPERATION_LIMIT, Frame
from .ctypes import Form
from .scope import LambdaValue, MemoryPlace, Scope, Slot, Typed, ValuePlace
from .templates import bind_templates
from .type_reader import is_reference
from .variables import parameter_place

if TYPE_CHECKING:
    from .context import Context
    from .ctypes import CType
    from .scope import Place


def lower_call(context: Context, node: Any) -> Typed:
    """The value of a call."""
    return context.read(place_of_call(context, node))


def place_of_call(context: Context, node: Any) -> Place:
    """The place a call refers to; a temporary unless the callee returns a reference."""
    arguments = list(node.args.exprs) if node.args is not None else []
    callee = node.name
    if isinstance(callee, c_ast.StructRef):
        return _method(context, node, callee, arguments)
    qualified, name, explicit = _callee_name(callee)
    bound = context.scope.find(name) if name else None
    if isinstance(bound, LambdaValue):
        return _inline_lambda(context, node, bound, arguments)
    places = [context.place(argument) for argument in arguments]
    context.at(node)
    if bound is not None and isinstance(callee, c_ast.ID):
        return _call_operator(context, bound, places)
    handled = intrinsics.lower(context, name, qualified, places, explicit)
    if handled is not None:
        return ValuePlace(handled)
    candidates = context.program.device_functions(name)
    if candidates:
        function = _choose(context, candidates, places)
        if function is not None:
            return inline(context, function, places, explicit)
    for model in (intrinsics.lower_pure, library_models.function):
        handled = model(context, name, qualified, places)
        if handled is not None:
            return ValuePlace(handled)
    return _construct_or_unknown(context, callee, name, qualified, places)


def _callee_name(callee: Any) -> tuple[str, str, list[Any]]:
    """Qualified name, last name and explicit template arguments of a called expression."""
    if isinstance(callee, nodes.QualifiedName):
        qualified = "::".join(getattr(part, "name", "") for part in callee.parts)
        last = callee.parts[-1]
        explicit = list(last.arguments) if isinstance(last, nodes.TemplateId) else []
        return qualified, last.name, explicit
    if isinstance(callee, nodes.TemplateId):
        return callee.name, callee.name, list(callee.arguments)
    if isinstance(callee, c_ast.ID):
        return callee.name, callee.name, []
    return "", "", []


def _construct_or_unknown(
    context: Context, callee: Any, name: str, qualified: str, places: list[Place]
) -> Place:
    from .casts import construct

    type = ctypes.unknown("auto")
    if isinstance(callee, c_ast.ID | nodes.TemplateId | nodes.QualifiedName):
        type_node: Any = c_ast.IdentifierType([name])
        if not isinstance(callee, c_ast.ID):
            type_node = nodes.NamedType(callee)
        type = context.reader.read(type_node, context.scope)
        if library_models.is_collective(type):
            return ValuePlace(context.unknown(type, "a CUB collective"))
        if "numeric_limits" in qualified:
            return ValuePlace(context.unknown(type, "a numeric limit", per_thread=False))
    values = [context.read(place) for place in places]
    if type.form is not Form.UNKNOWN:
        return ValuePlace(construct(context, type, values))
    reason = "its definition is not in this file"
    return ValuePlace(
        context.call(qualified or "an expression", ctypes.unknown("auto"), values, reason)
    )


# ---- methods and operators ---------------------------------------------------------------------


def _method(context: Context, node: Any, callee: Any, arguments: list[Any]) -> Place:
    field = callee.field
    name = getattr(field, "name", "")
    explicit = list(field.arguments) if isinstance(field, nodes.TemplateId) else []
    base = context.place(callee.name)
    if callee.type == "->":
        pointer = context.read(base)
        base = MemoryPlace(pointer.value, pointer.type.element or ctypes.unknown("auto"))
    places = [context.place(argument) for argument in arguments]
    context.at(node)
    if cooperative_groups.is_group(base.type):
        return ValuePlace(cooperative_groups.method(context, base.type, name, places))
    method = _find_method(context, base.type, name, places)
    if method is not None:
        return inline(context, method, places, explicit, this=base)
    modelled = library_models.method(context, base.type, name, places)
    if modelled is not None:
        return ValuePlace(modelled)
    values = [context.read(place) for place in places]
    if isinstance(base, MemoryPlace):
        values.insert(0, Typed(base.address, ctypes.pointer_to(base.type)))
    reason = f"method of {base.type.name}, which is not known"
    return ValuePlace(
        context.call(f"{base.type.name}::{name}", ctypes.unknown("auto"), values, reason)
    )


def _find_method(
    context: Context, type: CType, name: str, places: list[Place]
) -> nodes.Function | None:
    definition = context.program.classes.get(type.name)
    if definition is None:
        return None
    found = [
        member
        for member in definition.members or ()
        if isinstance(member, nodes.Function)
        and member.decl.name == name
        and member.body is not None
    ]
    return _choose(context, found, places) if found else None


def _call_operator(context: Context, place: Place, places: list[Place]) -> Place:
    method = _find_method(context, place.type, "operator()", places)
    if method is not None:
        return inline(context, method, places, [], this=place)
    values = [context.read(argument) for argument in places]
    reason = "a call through a value"
    return ValuePlace(context.call(place.type.name, ctypes.unknown("auto"), values, reason))


def operator(context: Context, op: str, operands: list[Typed]) -> Typed:
    """An overloaded operator of a class: inlined when defined in this file, else pure."""
    name = f"operator{op.lstrip('p')}"
    places: list[Place] = [ValuePlace(operand) for operand in operands]
    method = _find_method(context, operands[0].type, name, places[1:])
    if method is not None:
        return context.read(inline(context, method, places[1:], [], this=places[0]))
    candidates = context.program.device_functions(name)
    function = _choose(context, candidates, places) if candidates else None
    if function is not None:
        return context.read(inline(context, function, places, []))
    return intrinsics.pure(context, name, operands, operands[0].type)


def conversion(context: Context, value: Typed, target: CType) -> Typed:
    """A class converted to a pointer by its own conversion operator."""
    definition = context.program.classes.get(value.type.name)
    for member in (definition.members or ()) if definition is not None else ():
        if (
            isinstance(member, nodes.Function)
            and member.body is not None
            and member.decl.name.startswith("operator")
            and "*" in member.decl.name
            and "const" not in member.decl.name
        ):
            result = context.read(inline(context, member, [], [], this=ValuePlace(value)))
            return context.convert(result, target)
    return context.unknown(target, f"a conversion of {value.type.name}")


def constructor(context: Context, type: CType, arguments: list[Typed]) -> Typed:
    """A class value: member by member for aggregates, unknown behind a user-written constructor."""
    definition = context.program.classes.get(type.name)
    written = any(
        isinstance(member, nodes.Function) and member.decl.name == type.name
        for member in ((definition.members or ()) if definition is not None else ())
    )
    if not written and arguments and len(arguments) <= len(type.members):
        missing = [
            context.constant(0, member.type)
            if member.type.is_scalar
            else context.unknown(member.type, "zero-initialised")
            for member in type.members[len(arguments) :]
        ]
        return context.aggregate(type, [*arguments, *missing])
    return intrinsics.pure(context, f"{type.name}::{type.name}", arguments, type)


# ---- choosing and inlining ---------------------------------------------------------------------


def _choose(
    context: Context, candidates: list[nodes.Function], places: list[Place]
) -> nodes.Function | None:
    """The overload whose parameters fit best; None when no count fits."""
    best: tuple[int, nodes.Function] | None = None
    for function in candidates:
        parameters = parameters_of(function)
        needed = sum(1 for parameter in parameters if parameter.init is None)
        if not needed <= len(places) <= len(parameters):
            continue
        score = 0
        for parameter, place in zip(parameters, places, strict=False):
            type = context.reader.read(parameter.type, Scope())
            if type.name == place.type.name:
                score += 3
            elif type.form is place.type.form:
                score += 2 if type.size == place.type.size else 1
            elif type.form is not Form.UNKNOWN:
                score -= 1
        if best is None or score > best[0]:
            best = (score, function)
    return None if best is None else best[1]


def parameters_of(function: nodes.Function) -> list[Any]:
    """The declared parameters; `(void)` has none."""
    arguments = function.decl.type.args
    return [
        parameter
        for parameter in (arguments.params if arguments is not None else ())
        if isinstance(parameter, c_ast.Decl)
    ]


def inline(
    context: Context,
    function: nodes.Function,
    places: list[Place],
    explicit: list[Any],
    *,
    this: Place | None = None,
) -> Place:
    """Lower the body of a function in place of its call."""
    name = function.decl.name
    refused = _refusal(context, function)
    if refused is not None:
        values = [context.read(place) for place in places]
        return ValuePlace(context.call(name, ctypes.unknown("auto"), values, refused))
    scope = Scope()
    if this is not None:
        for member in this.type.members:
            scope.names[member.name] = context.member(this, member.name)
    bind_templates(context, function, explicit, places, scope)
    builder = context.builder
    frame = Frame(
        function,
        exit=builder.new_block(f"after_{name}"),
        result=Slot(f"result of {name}"),
        result_type=context.reader.read(function.decl.type.type, scope),
        call=Location(builder.location.span, inlined_at=context.frame.call),
        address_taken=context.program.address_taken(function.body),
        this=this,
        returns_reference=is_reference(function.decl.type),
    )
    outer, context.scope = context.scope, scope
    context.frames.append(frame)
    _bind_parameters(context, function, places)
    return _run(context, frame, outer)


def _refusal(context: Context, function: nodes.Function) -> str | None:
    if any(frame.function is function for frame in context.frames):
        return "recursion is not followed"
    if len(context.frames) >= DEPTH_LIMIT:
        return f"calls nested deeper than {DEPTH_LIMIT} are not followed"
    if context.builder.size >= OPERATION_LIMIT:
        return f"the kernel has more than {OPERATION_LIMIT} operations"
    return None


def _bind_parameters(context: Context, function: nodes.Function, places: list[Place]) -> None:
    for index, parameter in enumerate(parameters_of(function)):
        if index >= len(places):
            given: Place = context.place(parameter.init)
        else:
            given = places[index]
        if not parameter.name:
            continue
        if is_reference(parameter):
            context.scope.names[parameter.name] = given
            continue
        type = context.reader.read(parameter.type, context.scope)
        if type.form is Form.ARRAY and type.element is not None:
            type = ctypes.pointer_to(type.element)
        value = context.read(given)
        if type.form is Form.POINTER and value.type.form is Form.CLASS:
            value = conversion(context, value, type)
        value = context.convert(value, type) if type.form is not Form.UNKNOWN else value
        context.scope.names[parameter.name] = parameter_place(context, parameter, value)


def _run(context: Context, frame: Frame, outer: Scope) -> Place:
    """Lower the frame's body, leave it at its exit block, and name its result."""
    builder = context.builder
    context.statement(frame.function.body)
    assert frame.exit is not None
    assert frame.result is not None
    builder.jump(frame.exit)
    builder.start(frame.exit)
    context.frames.pop()
    context.scope = outer
    if frame.call is not None:
        builder.location = Location(frame.call.span, inlined_at=frame.call.inlined_at)
    if frame.returned is not None:
        return frame.returned
    if frame.result_type.form is Form.VOID:
        return ValuePlace(context.nothing())
    value = builder.read(frame.result, frame.result_type.ir())
    return ValuePlace(Typed(value, frame.result_type))


def _inline_lambda(context: Context, node: Any, bound: LambdaValue, arguments: list[Any]) -> Place:
    """Lower a lambda's body in the scope it was written in: captures by value read the same."""
    places = [context.place(argument) for argument in arguments]
    context.at(node)
    if any(frame.function is bound.node for frame in context.frames) or (
        len(context.frames) >= DEPTH_LIMIT
    ):
        values = [context.read(place) for place in places]
        return ValuePlace(
            context.call("lambda", ctypes.unknown("auto"), values, "recursion is not followed")
        )
    result = bound.node.result
    builder = context.builder
    scope = Scope(bound.scope)
    frame = Frame(
        bound.node,
        exit=builder.new_block("after_lambda"),
        result=Slot("result of lambda"),
        result_type=(
            ctypes.unknown("auto") if result is None else context.reader.read(result, scope)
        ),
        call=Location(builder.location.span, inlined_at=context.frame.call),
        address_taken=context.program.address_taken(bound.node.body),
    )
    outer, context.scope = context.scope, scope
    context.frames.append(frame)
    parameters = bound.node.parameters.params if bound.node.parameters is not None else ()
    for parameter, place in zip(parameters, places, strict=False):
        if not getattr(parameter, "name", None):
            continue
        if is_reference(parameter):
            scope.names[parameter.name] = place
        else:
            type = context.reader.read(parameter.type, scope)
            value = context.read(place)
            value = context.convert(value, type) if type.form is not Form.UNKNOWN else value
            scope.names[parameter.name] = parameter_place(context, parameter, value)
    return _run(context, frame, outer)
