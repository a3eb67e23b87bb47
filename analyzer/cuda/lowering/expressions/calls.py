"""Calls: device functions, methods and lambdas are inlined; intrinsics are modelled.

In: a FuncCall node. Out: its value, or the place it refers to when it returns a reference.
What is not inlined and not modelled becomes `Call`, which the analyses take for "may do anything".
Recursion is not followed; inlining stops at the limits of `context.py` and says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.operation_kinds import Function
from ....ir.types import POINTER
from ....ir.unfollowed import THROUGH_VALUE
from ....source.location import Location
from ...names import cuda_functions
from ...names.libraries import is_library_path
from ...syntax import nodes
from ...syntax.nodes import declares_reference, returns_reference
from ...syntax.nodes.c_ast import c_ast
from ..library import (
    atomic_objects,
    cooperative_groups,
    library_models,
)
from ..library.annotations import annotation, is_for_verifiers
from ..library.modelled import modelled
from ..model import ctypes
from ..model.classes import Method, class_scope
from ..model.ctypes import Form
from ..model.frame import Frame
from ..model.layouts import is_copied
from ..model.scope import (
    FunctionValue,
    HeldAddress,
    LambdaValue,
    ListPlace,
    MemoryPlace,
    PartPlace,
    ReferencePlace,
    Scope,
    Typed,
    ValuePlace,
)
from ..operators.conversions import conversion
from ..program.callees import hands_on
from ..program.parameters import default_of, is_pack, parameters_of
from ..resolution.candidates import candidates_of
from ..resolution.methods import choose, method_of
from ..resolution.replaced import replacing
from ..resolution.templates import bind_templates, instance_of
from ..state import unfollowed
from ..state.homes import keeps
from ..state.inlining_limits import refusal, refusal_of_lambda
from ..types import atomic_types, constant_places, library_types, offsets
from ..types.closures import COPIED_OBJECT
from ..types.function_values import TO_MEMBERS, is_name, member_of
from ..types.standard_library import functions_named
from . import constructors, initialisers, lifetimes, measures
from .casts import bit_cast, collective, construct, implicit
from .dispatch import method_seen, own_method, receiver
from .packs import argument_places, bind_pack
from .unseen_calls import handed, unseen_function, unseen_method
from .variables import array_parameter, parameter_place, referred

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context


def lower_call(context: Context, node: Any) -> Typed:
    """The value of a call in device code."""
    return context.read(place_of_call(context, node))


def place_of_call(context: Context, node: Any) -> Place:
    """The place a device call refers to; a temporary unless the callee returns a reference."""
    arguments = list(node.args.exprs) if node.args is not None else []
    callee = node.name
    if isinstance(callee, c_ast.StructRef):
        return _method(context, node, callee, arguments)
    qualified, name, explicit = _callee_name(callee)
    if name in offsets.OFFSET_OF and len(arguments) == 2:
        return ValuePlace(measures.offset_of(context, arguments))
    bound = context.scope.find(name) if name else None
    if isinstance(callee, c_ast.BinaryOp) and callee.op in TO_MEMBERS:
        return _call_member(context, node, callee, arguments)
    called = None if name else context.place(callee)
    if is_for_verifiers(name, arguments) and not candidates_of(context, callee, name):
        return ValuePlace(context.constant(0))
    if name == "invoke_one" and _is_for_group(context, arguments):
        context.statement(_by_one_thread(node, *arguments))
        return ValuePlace(context.nothing())
    places = argument_places(context, arguments)
    context.at(node)
    if bound is not None and isinstance(callee, c_ast.ID):
        called = context.place(callee)
    if called is not None:
        return _call_operator(context, called, places)
    if hands_on(node) and len(places) == 1:
        return places[0]
    own = own_method(context, callee, name, places, explicit)
    if own is not None:
        return inline(context, own, places, explicit)
    library = functions_named(qualified)
    own_candidates = [] if library and "::" in qualified else candidates_of(context, callee, name)
    candidates = own_candidates or library
    if explicit:  # `f<4>()` is never a function that is no template
        candidates = [item for item in candidates if item.template is not None]
    if cuda_functions.is_own(name) and is_library_path(
        qualified.split("::")[:-1], context.program.namespaces
    ):
        candidates = replacing(context, name, candidates, places)
    if candidates:
        function = choose(context, candidates, places, explicit=explicit)
        if function is not None:
            return inline(context, function, places, explicit)
    handled = modelled(context, name, qualified, places, explicit)
    if handled is not None:
        return ValuePlace(handled)
    if name in ("bit_cast", "__builtin_bit_cast") and len(explicit) == len(places) == 1:
        return ValuePlace(bit_cast(context, explicit[0], context.read(places[0])))
    stated = annotation(context, name, places)
    if stated is not None:
        return ValuePlace(stated)
    return _construct_or_unknown(context, node, name, qualified, places)


def _is_for_group(context: Context, arguments: list[Any]) -> bool:
    """Whether a group and something to call are passed."""
    return len(arguments) > 1 and library_types.is_group(context.place(arguments[0]).type)


def _by_one_thread(node: Any, group: Any, called: Any, *passed: Any) -> Any:
    """`invoke_one(group, f, x)` as the branch that it is: which thread is chosen is not said."""
    at = node.coord
    rank = c_ast.FuncCall(c_ast.StructRef(group, ".", c_ast.ID("thread_rank", at), at), None, at)
    chosen = c_ast.BinaryOp("==", rank, c_ast.Constant("int", "0", at), at)
    return c_ast.If(chosen, c_ast.FuncCall(called, c_ast.ExprList(list(passed), at), at), None, at)


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
    context: Context, node: Any, name: str, qualified: str, places: list[Place]
) -> Place:
    type, callee = ctypes.unknown("auto"), node.name
    if isinstance(callee, c_ast.ID | nodes.TemplateId | nodes.QualifiedName):
        type_node: Any = c_ast.IdentifierType([name])
        if not isinstance(callee, c_ast.ID):
            type_node = nodes.NamedType(callee)
        type = context.reader.read(type_node, context.scope)
        if library_types.is_collective(type):
            return ValuePlace(collective(context, type, places))
        if type.form is Form.UNKNOWN and not places:  # `std::is_signed<T>()`
            number = context.number(c_ast.FuncCall(callee, None))
            if number is not None:
                return constant_places.place(number, ctypes.BOOL)
        if "numeric_limits" in qualified:
            return ValuePlace(context.unknown(type, "a numeric limit", per_thread=False))
    if atomic_types.is_reference(type) and len(places) == 1:
        return ValuePlace(atomic_objects.refer(context, type, places[0]))
    if type.form is not Form.UNKNOWN:
        return ValuePlace(construct(context, type, places))
    shared = None if places else library_models.shared_memory(context, type)
    if shared is not None:
        return ValuePlace(shared)
    return unseen_function(context, node, qualified or "an expression", places)


# ---- methods and operators ---------------------------------------------------------------------


def _method(context: Context, node: Any, callee: Any, arguments: list[Any]) -> Place:
    field = callee.field
    name = getattr(field, "name", "")
    explicit = list(field.arguments) if isinstance(field, nodes.TemplateId) else []
    base, seen = receiver(context, callee)
    places = argument_places(context, arguments)
    context.at(node)
    if library_types.is_group(base.type):
        return ValuePlace(cooperative_groups.method(context, base.type, name, places))
    if name == "operator()" and isinstance(base.type.origin, LambdaValue):
        return _call_operator(context, base, places)
    method = method_seen(context, (base, seen), name, places, explicit)
    if method is not None:
        return inline(context, method, places, explicit)
    modelled = library_models.method(context, base, name, places)
    if modelled is not None:
        return ValuePlace(modelled)
    return unseen_method(context, node, name, base, places)


def _call_member(context: Context, node: Any, callee: Any, arguments: list[Any]) -> Place:
    """`(object.*method)(x)`, `(pointer->*method)(x)`."""
    named = member_of(context.place(callee.right).type)
    if named is None:
        return _call_operator(context, context.place(callee), argument_places(context, arguments))
    access = "." if callee.op == ".*" else "->"
    field = c_ast.StructRef(callee.left, access, c_ast.ID(named, callee.coord), callee.coord)
    return _method(context, node, field, arguments)


def subscript(context: Context, base: Place, index: Typed) -> Place:
    """`object[index]`: its operator, else the pointer that it converts to."""
    method = method_of(context, base, "operator[]", [ValuePlace(index)])
    if method is not None:
        return inline(context, method, [ValuePlace(index)], [])
    return unknown_element(context, base, index)


def unknown_element(context: Context, base: Place, index: Typed) -> Place:
    """An element of something of unknown type: in it, or behind a pointer that it holds."""
    unknown = ctypes.unknown("auto")
    if not isinstance(base, MemoryPlace):
        return PartPlace(base, (index.value,), unknown)
    address = context.pure(
        Function.ELEMENT, [base.address, index.value], ctypes.pointer_to(unknown)
    )
    return MemoryPlace(address.value, unknown)


def _call_operator(context: Context, place: Place, places: list[Place]) -> Place:
    origin = place.type.origin
    if isinstance(origin, LambdaValue):
        return _inline_lambda(context, origin, place, places)
    if isinstance(origin, FunctionValue):
        function = choose(context, context.program.device_functions(origin.name), places)
        if function is not None:
            return inline(context, function, places, [])
    method = method_of(context, place, "operator()", places)
    if method is not None:
        return inline(context, method, places, [])
    values = [handed(context, argument) for argument in places]
    value = context.call(place.type.name, ctypes.unknown("auto"), values, THROUGH_VALUE)
    return unfollowed.returned(context, value, [place, *places])


# ---- choosing and inlining ---------------------------------------------------------------------


def _on_object(context: Context, method: Method) -> Method:
    """The method with an object that it can change, where it is called on a temporary one."""
    this = method.this
    if type(this) is not ValuePlace or "const" in method.function.suffixes:
        return method
    made = context.registers(f"a {this.type.name}", this.type)
    context.put(made, this.value)
    return replace(method, this=made)


def inline(
    context: Context,
    called: nodes.Function | Method,
    places: list[Place],
    explicit: list[Any],
    *,
    result: CType | None = None,
) -> Place:
    """Inline a device function: lower its body for a call; `result` if its name says the type."""
    method = _on_object(context, called) if isinstance(called, Method) else None
    function = called.function if isinstance(called, Method) else called
    name = function.decl.name
    this = None if method is None else method.this
    scope = Scope() if method is None else class_scope(method)
    if this is not None:
        for member in this.type.members:
            place = context.field(this, member.name)
            reference = ctypes.is_reference(member.type) and member.type.element
            scope.names[member.name] = ReferencePlace(place, reference) if reference else place
    bind_templates(context, function, explicit, places, scope)
    instance = instance_of(function, scope, len(places))
    owner = this.type.origin if this is not None else method and method.owner
    refused = refusal(context, function, owner, instance)
    if refused is not None:
        values = [context.read(place) for place in places]
        value = context.call(name, ctypes.unknown("auto"), values, refused)
        return unfollowed.returned(context, value, places if this is None else [this, *places])
    builder = context.builder
    with context.program.seen_from(function.scope):
        frame = Frame(
            function,
            exit=builder.new_block(f"after_{name}"),
            result_type=result or context.reader.read(function.decl.type.type, scope),
            call=Location(builder.location.span, inlined_at=context.frame.call),
            address_taken=context.program.address_taken(function.body),
            this=this,
            returns_reference=returns_reference(function.decl.type),
            instance=instance,
            owner=owner,
            seen_as=None if method is None else method.owner,
        )
        outer, context.scope = context.scope, scope
        context.frames.append(frame)
        _bind_parameters(context, parameters_of(function), places)
        for initializer in function.initializers:
            constructors.initialise(context, initializer, method)
        return _run(context, frame, outer)


def _bind_parameters(context: Context, parameters: list[Any], places: list[Place]) -> None:
    for index, parameter in enumerate(parameters):
        if is_pack(parameter):
            bind_pack(context, parameter, places[index:])
            return
        default = default_of(parameter) if index >= len(places) else None
        if index >= len(places) and default is None:
            continue
        given = places[index] if default is None else context.place(default)  # has its effects
        if getattr(parameter, "name", None):
            _bind_parameter(context, parameter, given)


def _bind_parameter(context: Context, parameter: Any, given: Place) -> None:
    if isinstance(given, ListPlace):
        wanted = context.reader.read(parameter.type, context.scope)
        made = initialisers.settled(context, given, wanted)
        given = given if made is None else ValuePlace(made)
    if declares_reference(parameter):
        context.scope.names[parameter.name] = referred(context, parameter, given)
        return
    type = ctypes.decayed(context.reader.read(parameter.type, context.scope))
    if is_copied(given.type) and type.form in (Form.ARRAY, Form.UNKNOWN):
        body = context.frame.function.body
        context.scope.names[parameter.name] = array_parameter(context, parameter, given, body)
        return
    value = constructors.copied(context, given)
    if type.form is Form.POINTER and value.type.form is Form.CLASS and not is_name(value.type):
        value = conversion(context, value, type)
    type = ctypes.deduced(type, value.type)
    value = implicit(context, value, type) if type.form is not Form.UNKNOWN else value
    kept = isinstance(value.value, HeldAddress) or is_name(value.type)
    if kept and keeps(context, parameter.name):
        context.scope.names[parameter.name] = ValuePlace(value)
    else:
        known = len(context.kernel.definitions)
        place = context.scope.names[parameter.name] = parameter_place(context, parameter, value)
        lifetimes.begin(context, place, parameter)
        definitions = context.kernel.definitions
        definitions[known:] = [replace(each, passed=True) for each in definitions[known:]]


def _run(context: Context, frame: Frame, outer: Scope) -> Place:
    """Lower the frame's body, leave it at its exit block, and name its result."""
    builder = context.builder
    context.inlined += 1
    context.statement(frame.function.body)
    lifetimes.close(context, 0)
    assert frame.exit is not None
    builder.jump(frame.exit)
    builder.start(frame.exit)
    context.frames.pop()
    context.scope = outer
    if frame.call is not None:
        builder.location = Location(frame.call.span, inlined_at=frame.call.inlined_at)
    if frame.references:
        return _referred(context, frame)
    if frame.result_type.form is Form.VOID:
        return ValuePlace(context.nothing())
    if frame.result is None:
        reason = f"{frame.function_name} returns nothing"
        return ValuePlace(context.unknown(frame.result_type, reason))
    return ValuePlace(context.read(frame.result))


def _referred(context: Context, frame: Frame) -> Place:
    """What the reference leads to that a function returns."""
    first, *others = frame.references
    if frame.referred and all(isinstance(each, MemoryPlace) for each in frame.references):
        return MemoryPlace(context.builder.read(frame.referred, POINTER), first.type)
    if not others:
        return first
    unknown = context.unknown(first.type, "a reference to one of several variables")
    return unfollowed.one_of(context, unknown, tuple(frame.references))


def _inline_lambda(context: Context, bound: LambdaValue, held: Place, places: list[Place]) -> Place:
    """Lower a lambda's body in the scope it was written in: captures by value read the same. What
    it captured on the host are members of what the kernel holds.
    """
    refused = refusal_of_lambda(context, bound.node)
    if refused is not None:
        values = [context.read(place) for place in places]
        return ValuePlace(context.call("lambda", ctypes.unknown("auto"), values, refused))
    result = bound.node.result
    builder = context.builder
    scope = Scope(bound.scope)
    frame = Frame(
        bound.node,
        exit=builder.new_block("after_lambda"),
        result_type=(
            ctypes.unknown("auto") if result is None else context.reader.read(result, scope)
        ),
        call=Location(builder.location.span, inlined_at=context.frame.call),
        address_taken=context.program.address_taken(bound.node.body),
        this=bound.this,
        returns_reference=returns_reference(result),
    )
    outer, context.scope = context.scope, scope
    context.frames.append(frame)
    members = [member.name for member in held.type.members]
    scope.names.update((name, context.field(held, name)) for name in members)
    if COPIED_OBJECT in members:
        frame.this = context.field(held, COPIED_OBJECT)
        own = frame.this.type.members
        scope.names.update((each.name, context.field(frame.this, each.name)) for each in own)
    _bind_parameters(context, parameters_of(bound.node), places)
    return _run(context, frame, outer)
