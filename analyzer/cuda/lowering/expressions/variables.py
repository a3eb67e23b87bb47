"""Declarations → slots, objects and bindings: where each variable of the source lives.

A scalar or small class whose address is never taken becomes an SSA variable; arrays and
address-taken variables become objects in local memory; `__shared__`, `__constant__`, `__device__`,
`__managed__` ones become objects in their space (CUDA C++ Programming Guide, "Variable Memory Space
Specifiers"). All `extern __shared__ T name[]` of a kernel are one object: they share one address.
With an extent, `extern __shared__ float tile[32]`, nvcc takes it for a variable of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.memory import MemoryObject, Space, Variable
from ....ir.values import Constant, Undeclared, Undefined
from ....source.tokens import word_kinds
from ...names.conventions import CONSTANT
from ...syntax import nodes
from ...syntax.nodes import declares_reference
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import Form
from ..model.layouts import extents_of, is_copied, member_arrays, scalar_of
from ..model.scope import (
    ClassPlace,
    ClassScope,
    MemoryPlace,
    PackPlace,
    Scope,
    Slot,
    Typed,
    UnfollowedPlace,
    ValuePlace,
    VariablePlace,
    is_fragment,
)
from ..program.effects import only_read
from ..state import unfollowed
from ..state.homes import keeps
from ..types import constant_places, template_packs
from ..types.function_values import function_named, is_name, may_name
from ..types.packing import is_plain
from . import captures, lifetimes
from .array_contents import elements_of, fill
from .casts import construct
from .constructors import (
    construct_in,
    constructor,
    copied,
    is_constructed,
    is_copied_by_constructor,
)
from .dispatch import note_reference
from .initialisers import blank, blank_members, initial_items, initial_value
from .literals import is_string

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..model.ctypes import CType
    from ..model.scope import Binding, Place
    from ..state.context import Context

_SPACES = {
    "__shared__": Space.SHARED,
    "__constant__": Space.CONSTANT,
    "__device__": Space.GLOBAL,
    "__managed__": Space.GLOBAL,
}
_NAMES = (c_ast.ID, c_ast.StructRef, c_ast.ArrayRef)
_REFERENCES = {"texture": Space.TEXTURE, "surface": Space.SURFACE}


def marks(declaration: Any) -> frozenset[str]:
    """Every qualifier, storage class and specifier of a declaration."""
    return frozenset(
        (
            *(declaration.quals or ()),
            *(declaration.storage or ()),
            *(declaration.funcspec or ()),
        )
    )


def declare(context: Context, node: Any) -> None:
    """Lower a declaration statement in device code: of one variable, class, enum or function."""
    type_node = node.type
    if isinstance(type_node, nodes.ClassDefinition | c_ast.Enum | c_ast.FuncDecl):
        if node.name is None:
            context.program.add(type_node)
        return
    if node.name is None:
        return  # `int;`: it declares nothing
    own_marks = marks(node)
    space = next((_SPACES[mark] for mark in _SPACES if mark in own_marks), None)
    if declares_reference(node) and node.init is not None:
        _declare_reference(context, node)
        return
    type = context.reader.read(type_node, context.scope)
    if space is None and "const" in own_marks and (value := _fixed(context, node, type)):
        context.scope.names[node.name] = value
        return
    if space is not None or ("static" in own_marks and "constexpr" not in own_marks):
        instance = () if "extern" in own_marks else _instance(context)
        place = _device_object(context, node, type, space, instance)
        context.scope.names[node.name] = place
        return
    _declare_local(context, node, type)


def _fixed(context: Context, node: Any, type: CType) -> Place | None:
    """`static const int n = 4;`: its number, which no name can change."""
    if "static" not in marks(node) or node.init is None or not type.is_scalar:
        return None
    number = None if type.form is Form.POINTER else context.number(node.init)
    known = number is not None and node.name not in context.frame.address_taken
    return constant_places.place(number, type) if known and number is not None else None


def _declare_reference(context: Context, node: Any) -> None:
    items = initial_items(node.init)
    place = context.place(items[0] if len(items) == 1 else node.init)
    if isinstance(place, ValuePlace) and not isinstance(place, UnfollowedPlace):
        slot = Slot(node.name)
        context.builder.write(slot, place.value.value)
        place = VariablePlace(slot, place.type)
        lifetimes.begin(context, place, node)  # the life of a temporary is that of the reference
    context.scope.names[node.name] = referred(context, node, place)


def referred(context: Context, node: Any, place: Place) -> Place:
    """The place that the name of a reference stands for in an expression: through `volatile int &`
    memory is volatile.

    Not read: qualifiers that a `typedef` or a template argument brings.
    """
    quals = getattr(node.type.type, "quals", None) or ()
    note_reference(context, node, place)
    if isinstance(place, UnfollowedPlace):
        return unfollowed.named(context, place, node.name)
    if not isinstance(place, MemoryPlace):
        return place
    place = replace(place, argument=None)  # it is read where its name is used
    if "volatile" not in quals:
        return place
    return replace(place, type=ctypes.qualified(place.type, volatile=True))


def _declare_local(context: Context, node: Any, type: CType) -> None:
    init = node.init
    if type.form is Form.ARRAY and isinstance(init, nodes.Construct) and init.type is None:
        init = c_ast.InitList(list(init.arguments or ()))  # `T a[N]{...}`
    deduced = type.name == "auto" or type.form is Form.POINTER
    if deduced and len(items := initial_items(init)) == 1:
        init = items[0]  # `auto x{e}`, `auto x(e)`; a list as such is only asked by its methods
    if isinstance(init, _NAMES) and (type.form is Form.ARRAY or type.name == "auto"):
        given = context.place(init)
        if is_copied(given.type):
            context.scope.names[node.name] = _copied_array(context, node, given)
            return
    filled = type.form is Form.ARRAY and (isinstance(init, c_ast.InitList) or is_string(init))
    value = None if init is None or filled else _initial(context, init, type)
    if value is not None and is_name(value.type):
        if keeps(context, node.name):
            context.scope.names[node.name] = ValuePlace(value)
            return
        value = context.unknown(type, f"{node.name} points to several functions")
    open_type = type.form is Form.UNKNOWN and type.name != "auto"
    if type.form is Form.UNKNOWN and value is not None and value.type.form is not Form.UNKNOWN:
        type = value.type
    if value is not None and value.type.name == type.name and value.type.form is Form.CLASS:
        type = value.type  # a class template, its arguments deduced
    if value is not None and type.form is Form.POINTER and value.type.form is Form.POINTER:
        type = ctypes.deduced(type, value.type)
    context.at(node)
    if type.form is Form.ARRAY:
        place = _local_array(context, node, type)
        context.scope.names[node.name] = place
        if filled:
            fill(context, place, init)
        elif value is not None:
            context.write(place, value)  # `std::array<T, N> a = f();`
        return
    home = context.scope.names[node.name] = context.variable(node, type, sized=not open_type)
    if not (in_memory := context.is_in_memory(home)):
        _note_register(context, node, type)
    if open_type:
        _leave_open(context, home)
    lifetimes.begin(context, home, node)
    if value is None and _constructs_itself(context, home, type):
        return
    if in_memory:
        if value is not None:
            context.write(home, value)
        return
    fresh = value is None
    value = value or _default(context, node, type)
    held = context.convert(value, type)
    nothing = fresh and isinstance(held.value, Undefined) and isinstance(home, ClassPlace)
    if nothing and is_plain(type):  # methods may write members by a pointer to all of them
        blank_members(home, context.frame.unset(node.name), context.write)
        return
    context.write(home, held)
    fixed = marks(node) & {"const", "constexpr"} and type.form is not Form.POINTER
    if fixed and isinstance(held.value, Constant) and isinstance(home, VariablePlace):
        context.scope.names[node.name] = ValuePlace(held)  # extents and template arguments ask it


def _initial(context: Context, init: Any, type: CType) -> Typed | None:
    """What a variable that is no list of elements is initialised with."""
    value = _function(context, init) if may_name(type) else None
    value = value or _copy(context, init, type) or initial_value(context, init, type)
    if value is not None and isinstance(init, _NAMES):
        return captures.separated(context, value)
    return value


def _function(context: Context, init: Any) -> Typed | None:
    """The function that a pointer to one is initialised with: `f`, `&f`, `+[](int i) {...}`."""
    if isinstance(init, c_ast.UnaryOp) and init.op == "+":
        init = init.expr
    if isinstance(init, nodes.Lambda):
        return context.expression(init)
    found = function_named(init, context.scope, context.program)
    return None if found is None else found.value


def _copy(context: Context, init: Any, type: CType) -> Typed | None:
    """What a copy constructor makes of the object that an initialiser names; else None."""
    items = initial_items(init) or [init]
    if len(items) != 1 or not isinstance(items[0], _NAMES):
        return None
    if type.form is Form.UNKNOWN and isinstance(items[0], c_ast.ID):
        type = context.place(items[0]).type
    if not is_copied_by_constructor(context, type):
        return None
    place = context.place(items[0])
    alike = place.type.name == type.name
    return copied(context, place) if alike else construct(context, type, [place])


def _constructs_itself(context: Context, home: Place, type: CType) -> bool:
    """Whether a constructor without arguments runs where the variable lies: no object is copied."""
    if not isinstance(type.origin, ClassScope):
        return False
    blank(home, f"a member of {type.name} is not initialised", context.put)
    return construct_in(context, home, type.origin, [])


def _default(context: Context, node: Any, type: CType) -> Typed:
    """What a variable without initialiser holds: a class may say it, a number does not."""
    if isinstance(type.origin, ClassScope):
        return constructor(context, type, [])
    return context.undefined(type, node.name)


def _local_array(context: Context, node: Any, type: CType) -> MemoryPlace:
    type = _with_extent(context, node, type)
    known = context.objects.get(id(node))
    if known is not None:
        return context.object_place(known, type)
    place = context.local_object(
        node.name,
        type,
        "an array: in registers only if every index is constant",
        node.coord,
        min(marks(node) - word_kinds().keys(), default=""),
        constructed=is_constructed(scalar_of(type)),
        initialised=node.init is not None,
    )
    context.objects[id(node)] = context.kernel.objects[-1]
    return place


def _is_open(node: Any) -> bool:
    """Whether a declaration leaves out how long its array is."""
    return isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is None


def _with_extent(context: Context, node: Any, type: CType) -> CType:
    """`T a[] = {...}`: as long as its initialiser; `T a[N] = {0}` is not, whatever N may be."""
    if not _is_open(node) or type.element is None:
        return type
    items, is_whole = elements_of(node.init, type.element, context.scope) or ([], False)
    return ctypes.array_of(type.element, len(items)) if is_whole else type


def _note_register(context: Context, node: Any, type: CType) -> None:
    reason = "an automatic variable whose address is not taken"
    name, span, part = node.name, node.coord, is_fragment(type)
    context.kernel.variables.append(
        Variable(name, type.name, Space.REGISTER, span, reason, type.size, fragment=part)
    )


def _leave_open(context: Context, home: Place) -> None:
    """Whatever a variable in registers is taken for, its type is not known."""
    slot = context.slot_behind(home) if isinstance(home, MemoryPlace) else None
    if isinstance(home, VariablePlace):
        slot = home.slot
    if slot is not None:
        slot.open = True


def _instance(context: Context) -> tuple[Hashable, ...]:
    """What the template around is instantiated with: its instances share no static variables."""
    frame, scope = context.frame, context.scope
    template = getattr(frame.function, "template", None)
    names = [each.name for each in template.parameters if each.name] if template else []
    bound = [_identity(scope.find_type(name), scope.find(name)) for name in names]
    return (*bound, *(() if frame.owner is None else (id(frame.owner),)))


def _identity(type: CType | None, binding: Binding | None) -> Hashable:
    """A template argument as far as it can be told from another one."""
    if isinstance(binding, PackPlace):
        return template_packs.identity(binding)
    if not isinstance(binding, ValuePlace):
        return type
    value = binding.value.value
    return binding.value.type, value.value if isinstance(value, Constant) else None


def _device_object(
    context: Context,
    node: Any,
    type: CType,
    space: Space | None,
    instance: tuple[Hashable, ...] = (),
) -> Place:
    """The place of a variable in shared, constant or global memory.

    There is one object per declaration, and `instance` of the template that it stands in.
    """
    key = (id(node), *instance)
    known = context.objects.get(key)
    if known is not None:
        return context.object_place(known, type)
    own_marks = marks(node)
    spaced = not own_marks.isdisjoint(_SPACES)
    linkage = next((word for word in ("extern", "static") if word in own_marks), "")
    if space is Space.SHARED and not _is_open(node):
        own_marks -= {"extern"}
    dynamic = "extern" in own_marks and space is Space.SHARED
    if dynamic and context.dynamic_shared is not None:
        _note_alias(context, node, type)
        return context.object_place(context.dynamic_shared, type, node.coord)
    type = _with_extent(context, node, type)
    declared = context.reader.declared_alignment(node.align, context.scope)
    object = MemoryObject(
        node.name,
        space or Space.GLOBAL,
        scalar_of(type).ir(),
        None if dynamic else type.size,
        max(filter(None, (type.alignment, declared)), default=None),
        extents_of(type),
        node.coord,
        dynamic=dynamic,
        managed="__managed__" in own_marks,
        linkage=linkage,
        in_function=context.program.variables.get(node.name) is not node and not spaced,
        members=tuple(member_arrays(scalar_of(type))),
        constant=not own_marks.isdisjoint({"const", "constexpr"}),
        initialised=node.init is not None,
    )
    context.objects[key] = object
    if dynamic:
        context.dynamic_shared = object
    return context.new_object(object, _reason(own_marks, space), type)


def _note_alias(context: Context, node: Any, type: CType) -> None:
    assert context.dynamic_shared is not None
    context.kernel.variables.append(
        Variable(
            node.name,
            type.name,
            Space.SHARED,
            node.coord,
            f"extern __shared__: starts at the same address as {context.dynamic_shared.name}",
            None,
            context.dynamic_shared,
        )
    )


def _reason(own_marks: frozenset[str], space: Space | None) -> str:
    if "extern" in own_marks and space is Space.SHARED:
        return "declared extern __shared__: sized by the launch"
    if "__managed__" in own_marks:
        return "declared __managed__"
    for mark in _SPACES:
        if mark in own_marks:
            return f"declared {mark}"
    return "static in device code: one variable for the whole grid"


def file_scope_place(context: Context, name: str, declared: Any = None) -> Place:
    """The place of a name declared outside functions, by that declaration where it is known;
    something unknown for any other name.
    """
    node = context.program.variables.get(name) if declared is None else declared
    if node is None and name in context.program.enumerators:
        reason = f"enumerator {name} is unknown here"
        return ValuePlace(context.unknown(ctypes.INT, reason, per_thread=False))
    if node is None:
        type = ctypes.CONSTANT if CONSTANT.match(name) else ctypes.unknown("auto")
        return ValuePlace(Typed(Undeclared(type.ir(), name), type))
    type = context.reader.read(node.type, Scope())
    own_marks = marks(node)
    space = next((_SPACES[mark] for mark in _SPACES if mark in own_marks), None)
    if space is not None:
        return _device_object(context, node, type, space)
    if type.form is Form.ARRAY and own_marks & {"const", "constexpr", "static"}:
        return _device_object(context, node, type, Space.CONSTANT)
    if type.name in _REFERENCES:
        _note_reference(context, node, type)
        reason = f"{name} is a {type.name} reference"
        return ValuePlace(context.unknown(type, reason, per_thread=False))
    return ValuePlace(context.unknown(type, f"{name} is a host variable", per_thread=False))


def _note_reference(context: Context, node: Any, type: CType) -> None:
    """`texture<float, 2> image;` at file scope, as CUDA had it up to version 11."""
    variables = context.kernel.variables
    if all(item.span is not node.coord for item in variables):
        space, reason = _REFERENCES[type.name], f"declared as a {type.name} reference"
        variables.append(Variable(node.name, type.name, space, node.coord, reason, None))


def array_parameter(context: Context, node: Any, given: Place, body: Any) -> Place:
    """The place of a parameter that is a `std::array`: what was given, while it is only read."""
    return given if only_read(body, node.name) else _copied_array(context, node, given)


def _copied_array(context: Context, node: Any, given: Place) -> Place:
    held = context.contents(given)
    place = _local_array(context, node, given.type)
    context.write(place, Typed(held.value, given.type))
    return place


def parameter_place(context: Context, node: Any, value: Typed) -> Place:
    """The place of a by-value parameter: a variable of its own, as for any other local."""
    place = context.variable(node, value.type)
    context.write(place, value)
    return place
