"""What is known of the variables of host code: numbers, dimensions, small tables; their types.

In: expressions and the scope around them. Out: bindings for a `Scope`: a constant, a `KnownParts`
(a `dim3`, an array with an initialiser), or a value that is not known but has a type. Nothing is
guessed: a number is known or it is not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....ir.host_formulas import UNLIMITED
from ....ir.types import UNKNOWN
from ....ir.values import Constant, Unknown
from ....source.numbers import whole
from ...lowering.model import builtin_types, ctypes
from ...lowering.model.scope import (
    KernelChoice,
    KnownParts,
    LoosePlace,
    MultiplePlace,
    PointerPlace,
    Quotient,
    ReferredPlace,
    Typed,
    ValuePlace,
    WorkPlace,
)
from ...lowering.program.callees import hands_on
from ...lowering.types import constant_places, constants
from ...lowering.types.expression_types import type_of
from ...lowering.types.function_values import function_of
from ...lowering.types.number_literals import literal
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .divisors import divisor_of, lacking
from .formulas import HostFormulas
from .kernels import bare, kernels_named
from .pointers import HostPointers, elsewhere

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....ir.host import HostPointer
    from ....ir.host_formulas import Formula, Limits, Shape
    from ....ir.kernel import PartialDimensions
    from ....ir.values import Value
    from ...lowering.model.ctypes import CType
    from ...lowering.model.scope import Binding, Scope
    from ...lowering.program.program import Program
    from ...lowering.types.constant_arithmetic import Number
    from ...lowering.types.type_reader import TypeReader

UNKNOWN_DIMENSIONS: PartialDimensions = (None, None, None)
TABLE_LIMIT = 256  # elements of an array that are kept
AXES = ("x", "y", "z")
_COMPARED = (KernelChoice, PointerPlace, WorkPlace)  # by what they are, not by their value


def not_known(name: str, type: CType | None = None) -> ValuePlace:
    """A variable of host code whose value is not known; it must not read as a file-scope one."""
    return ValuePlace(_unknown(name, type or ctypes.unknown("auto")))


def loose(name: str, type: CType | None = None) -> LoosePlace:
    """A variable of host code that may change out of sight."""
    return LoosePlace(_unknown(name, type or ctypes.unknown("auto")))


def referred(name: str, type: CType) -> ReferredPlace:
    """The place of a reference in host code whose address is taken."""
    return ReferredPlace(_unknown(name, type))


def multiple(
    name: str, type: CType, divisor: int, copied: Value | None = None, limits: Limits = UNLIMITED
) -> MultiplePlace:
    """A variable of host code of which it is only known what divides it and what limits it, perhaps
    a copy of another one.
    """
    held = _unknown(name, type) if copied is None else Typed(copied, type)
    return MultiplePlace(held, divisor, limits=limits)


def known_parts(parts: Mapping[int | str, Number | None], type: CType) -> KnownParts:
    """A table or dimensions that a variable of host code holds."""
    return KnownParts(_unknown(type.name, type), parts)


def pointing(name: str, type: CType, pointer: HostPointer) -> PointerPlace:
    """A variable of host code of which it is known what it points to."""
    return PointerPlace(_unknown(name, type), pointer)


def dimensions(triple: PartialDimensions, names: frozenset[str] = frozenset()) -> KnownParts:
    """A `dim3` of host code, and the variables that it is made of."""
    known = known_parts(dict(zip(AXES, triple, strict=True)), builtin_types.BUILTIN["dim3"])
    return replace(known, names=names)


def is_constant(binding: Binding) -> bool:
    """Whether a variable of host code was declared `const`, so that nobody may write it."""
    type = getattr(binding, "type", None)
    return type is not None and type.const


def unknown_of(node: Any, scope: Scope) -> Value | None:
    """What stands for a variable of host code that is not known: the same in each of its copies."""
    node = bare(node)
    found = scope.find(node.name) if isinstance(node, c_ast.ID) else None
    if not isinstance(found, ValuePlace) or isinstance(
        found, KnownParts | KernelChoice | LoosePlace | PointerPlace
    ):
        return None
    return found.value.value if isinstance(found.value.value, Unknown) else None


def apart(name: str, binding: Binding) -> Binding:
    """A parameter of a host function that is run for all calls alike: the copy of no variable."""
    if isinstance(binding, MultiplePlace):
        return replace(binding, value=_unknown(name, binding.type))
    if isinstance(binding, KnownParts):
        return replace(binding, held={}, formulas={})
    if isinstance(binding, PointerPlace):
        return replace(binding, pointer=elsewhere(binding.pointer))
    if type(binding) is ValuePlace and isinstance(binding.value.value, Unknown):
        return not_known(name, binding.type)
    return binding


def held_by_axes(node: Any, scope: Scope) -> dict[int | str, Value]:
    """The variables of host code that dimensions are, by axis, where they are not known."""
    found = scope.find(node.name) if isinstance(node, c_ast.ID) else None
    if isinstance(found, KnownParts):
        return dict(found.held)
    items = _items(node)
    if items is not None and len(items) == 1 and isinstance(items[0], nodes.Construct | c_ast.ID):
        return held_by_axes(items[0], scope)
    held = (unknown_of(item, scope) for item in ([node] if items is None else items))
    return {axis: value for axis, value in zip(AXES, held, strict=False) if value is not None}


def names_in(node: Any, scope: Scope) -> frozenset[str]:
    """The variables that an expression of host code is made of."""
    names = set(nodes.identifiers(node))
    for name in tuple(names):
        found = scope.find(name)
        names |= found.names if isinstance(found, KnownParts) else set()
    return frozenset(names)


def packed(name: str, index: int) -> str:
    """The name of one of the arguments that a parameter pack took in host code."""
    return f"{name}#{index}"


def expanded(given: list[Any], scope: Scope) -> list[Any]:
    """Arguments of a call in host code, `std::forward<A>(a)...` as those that the pack took."""
    found: list[Any] = []
    for item in given:
        parts = nodes.walk(item.pattern) if isinstance(item, nodes.Pack) else ()
        names = [each.name for each in parts if isinstance(each, c_ast.ID)]
        name = next((n for n in names if scope.find(packed(n, 0)) is not None), None)
        if name is None:
            found.append(item)
            continue
        index = 0
        while scope.find(packed(name, index)) is not None:
            found.append(c_ast.ID(packed(name, index), item.coord))
            index += 1
    return found


def quotients(node: Any, scope: Scope, values: HostValues) -> tuple[Quotient, ...]:
    """What a launch's shape, or a part of it, is a quotient of: `n / 256`, `dim3(n / 256, 4)`."""
    if isinstance(node, c_ast.Cast | nodes.NamedCast):
        return quotients(bare(node), scope, values)
    if isinstance(node, c_ast.ID):
        found = scope.find(node.name)
        return found.quotients if isinstance(found, KnownParts | MultiplePlace) else ()
    if isinstance(node, c_ast.BinaryOp) and node.op == "/":
        divided = bare(node.left)
        held = scope.find(divided.name) if isinstance(divided, c_ast.ID) else None
        number = values.number(node.right, scope)
        if held is None or not isinstance(number, int) or number < 2:
            return ()
        return (Quotient(held, number),)
    items = _items(node) or ()
    return tuple(each for item in items for each in quotients(item, scope, values))


def _unknown(name: str, type: CType) -> Typed:
    return Typed(Unknown(UNKNOWN, f"{name} is a host variable"), type)


def is_same(first: Binding | None, second: Binding | None) -> bool:
    """Whether two bindings of host code hold the same value, as far as is known."""
    if first is second:
        return True
    if isinstance(first, KnownParts) and isinstance(second, KnownParts):
        return first.parts == second.parts and first.held == second.held
    if isinstance(first, _COMPARED) or isinstance(second, _COMPARED):
        return first == second
    if isinstance(first, ValuePlace) and isinstance(second, ValuePlace):
        a, b = first.value.value, second.value.value
        return isinstance(a, Constant) and isinstance(b, Constant) and a.value == b.value
    return first == second


def key_of(binding: Binding) -> object:
    """What a binding holds, as a key that tells calls of host functions with other values apart."""
    if isinstance(binding, KnownParts):
        return tuple(binding.parts.items())
    if isinstance(binding, KernelChoice):
        return binding.kernels
    if isinstance(binding, PointerPlace):
        return binding.pointer
    if isinstance(binding, MultiplePlace):
        return "multiple", binding.divisor, binding.limits
    held = binding.value.value if isinstance(binding, ValuePlace) else None
    return held.value if isinstance(held, Constant) else function_of(binding) or None


class HostValues:
    """Reads the expressions of host code."""

    def __init__(self, program: Program, reader: TypeReader) -> None:
        self._program = program
        self._reader = reader
        self.formulas = HostFormulas(program, self.number, self.type_of)
        self.pointers = HostPointers(program, self)

    def read_type(self, node: Any, scope: Scope) -> CType:
        """The type that a declaration names."""
        return self._reader.read(node, scope)

    def type_at_file_scope(self, node: Any) -> CType:
        """The type that a declaration at file scope names."""
        return self._reader.of_file(node)

    def number(self, node: Any, scope: Scope) -> Number | None:
        """The number that an expression is, if it is one."""
        if isinstance(node, c_ast.InitList) and len(node.exprs or ()) == 1:
            node = node.exprs[0]
        if isinstance(node, nodes.Construct) and node.type is None and len(node.arguments) == 1:
            node = node.arguments[0]
        return constants.evaluate(node, scope, self._program, self._reader)

    def is_made_of_sizes(self, node: Any, scope: Scope) -> bool:
        """Whether every variable that an expression is made of is known and not zero; one that is
        zero may be set where nobody looked.
        """
        for name in names_in(node, scope):
            found = scope.find(name)
            is_variable = found is not None or name in self._program.variables
            whole = isinstance(found, KnownParts)
            if is_variable and not (whole or self.number(c_ast.ID(name), scope)):
                return False
        return True

    def bind(self, name: str, type: CType, init: Any, scope: Scope) -> Binding:
        """What a variable of a type holds after its initialisation."""
        bound = self._bound(name, type, init, scope)
        if init is not None:
            self.formulas.note(bound, init, scope)
        return bound

    def _bound(self, name: str, type: CType, init: Any, scope: Scope) -> Binding:
        pointer = self.pointers.made(name, type, init, scope)
        if pointer is not None:
            return pointing(name, type, pointer)
        if isinstance(init, c_ast.ID):
            found = scope.find(init.name)
            if isinstance(found, KnownParts):
                return found
            if isinstance(found, MultiplePlace):
                return multiple(name, type, found.divisor, found.value.value, found.limits)
        kernels = kernels_named(init, scope, self._program, self._reader)
        if kernels is not None:
            return kernels
        if type.form is ctypes.Form.ARRAY:
            return self._table(name, type, init, scope)
        if type.name == "dim3":
            names = names_in(init, scope) if init is not None else frozenset()
            made = dimensions(self.triple(init, scope), names)
            held_there = held_by_axes(init, scope)
            return replace(
                made,
                quotients=quotients(init, scope, self),
                held=held_there,
                formulas=self._formulas(init, scope),
            )
        listed = isinstance(init, nodes.Construct | c_ast.InitList)
        if listed and type.form is ctypes.Form.CLASS:
            return not_known(name, type)  # an object that is made from a number is none
        value = self.number(init, scope)
        if value is not None:
            return held(value, type)
        divided = quotients(init, scope, self) if isinstance(init, c_ast.BinaryOp) else ()
        if divided:
            return replace(multiple(name, type, 1), quotients=divided)
        divisor = divisor_of(init, scope, lambda each: self.number(each, scope))
        if divisor > 1:
            return multiple(name, type, divisor)
        lack = None if init is None else lacking(init, lambda each: self.number(each, scope))
        if lack is not None:
            variable, number_of_it = lack
            completes = (unknown_of(variable, scope), number_of_it)
            return replace(multiple(name, type, 1), completes=completes)
        triple = self.triple(init, scope)
        if type.form is ctypes.Form.UNKNOWN and triple != UNKNOWN_DIMENSIONS:
            return dimensions(triple)
        if type.form is ctypes.Form.UNKNOWN:
            type = ctypes.deduced(type, self.type_of(init, scope))
        copied = unknown_of(init, scope) if isinstance(init, c_ast.ID) else None
        if copied is not None and ctypes.is_wide(type):
            # It may be the block's size, and an argument of the kernel as well.
            return ValuePlace(Typed(copied, type))
        return not_known(name, type if type.form is not ctypes.Form.UNKNOWN else None)

    def _formulas(self, init: Any, scope: Scope) -> dict[int | str, Formula]:
        """What the dimensions of a `dim3` are made of, by axis."""
        if init is None:
            return {}
        made = self.formulas.dimensions(init, scope, _items(init))
        return {axis: part for axis, part in zip(AXES, made, strict=True) if part is not None}

    def shape_formulas(self, node: Any, scope: Scope) -> Shape:
        """What a grid or a block is made of."""
        return self.formulas.dimensions(node, scope, _items(node))

    def _table(self, name: str, type: CType, init: Any, scope: Scope) -> Binding:
        items = list(init.exprs or ()) if isinstance(init, c_ast.InitList) else []
        if type.element is None or not items or len(items) > TABLE_LIMIT:
            return not_known(name, type)
        if type.extent is None:
            type = ctypes.array_of(type.element, len(items))
        return known_parts({i: self.number(item, scope) for i, item in enumerate(items)}, type)

    def triple(self, node: Any, scope: Scope) -> PartialDimensions:
        """Three dimensions from an int, a dim3 expression, a known variable or its member."""
        member = f"{nodes.member_name(node)}." if isinstance(node, c_ast.StructRef) else ""
        name = getattr(node.name if member else node, "name", None)
        found = scope.find(name) if isinstance(name, str) else None
        if isinstance(found, KnownParts) and f"{member}x" in found.parts:
            x, y, z = (found.parts[f"{member}{axis}"] for axis in AXES)
            return (whole(x), whole(y), whole(z))
        items = _items(node)
        if items is None:
            value = whole(self.number(node, scope))
            size = value is not None or self.type_of(node, scope).form is ctypes.Form.INTEGER
            return (value, 1, 1) if size else UNKNOWN_DIMENSIONS
        if len(items) == 1 and isinstance(items[0], nodes.Construct | c_ast.ID | c_ast.FuncCall):
            inner = self.triple(items[0], scope)
            if inner != UNKNOWN_DIMENSIONS:
                return inner
        known = [whole(self.number(item, scope)) for item in items[:3]]
        padded = [*known, *[1] * (3 - len(known))]
        return (padded[0], padded[1], padded[2])

    def type_of(self, node: Any, scope: Scope) -> CType:
        """The type of an expression, as far as template arguments are deduced from it."""
        if node.__class__ is c_ast.ID:  # most of them
            return type_of(node, scope, self._program, self._reader)
        match node:
            case c_ast.Cast():
                return self._reader.read(node.to_type, scope)
            case nodes.NamedCast():
                return self._reader.read(node.type, scope)
            case c_ast.FuncCall() if hands_on(node):
                return self.type_of(node.args.exprs[0], scope)
            case nodes.Construct() if node.type is not None:
                return self._reader.read(node.type, scope)
            case c_ast.Constant():
                return _literal_type(node.value)
            case c_ast.UnaryOp(op="&"):
                return ctypes.pointer_to(self.type_of(node.expr, scope))
            case c_ast.UnaryOp(op="*") | c_ast.ArrayRef():
                inner = node.expr if isinstance(node, c_ast.UnaryOp) else node.name
                return self.type_of(inner, scope).element or ctypes.unknown("auto")
            case c_ast.UnaryOp():
                return self.type_of(node.expr, scope)
            case c_ast.BinaryOp():
                left, right = self.type_of(node.left, scope), self.type_of(node.right, scope)
                pointer = next((side for side in (left, right) if side.element is not None), None)
                return pointer or ctypes.arithmetic(left, right)
            case c_ast.FuncCall():
                return ctypes.unknown("auto")
            case _:
                return type_of(node, scope, self._program, self._reader)


def held(value: Number, type: CType) -> ValuePlace:
    """A number as a host variable of that type holds it."""
    scalar = type if type.is_scalar else ctypes.INT if isinstance(value, int) else ctypes.DOUBLE
    if scalar.form is not ctypes.Form.FLOAT:
        value = whole(value) or 0
    return constant_places.place(value, scalar)


def _items(node: Any) -> list[Any] | None:
    """The components of `dim3(a, b)`, `{a, b}` and the initialiser `(a, b)`."""
    if isinstance(node, c_ast.InitList):
        return list(node.exprs or ())
    if isinstance(node, nodes.Construct) and (node.type is None or _last_word(node.type) == "dim3"):
        # Without a type it is the initialiser of a declaration: `dim3 block(16, 16)`.
        return list(node.arguments)
    if isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") == "dim3":
        return list(node.args.exprs) if node.args is not None else []
    return None


def _last_word(typename: Any) -> str:
    inner = typename
    while inner is not None and not isinstance(inner, c_ast.IdentifierType):
        inner = getattr(inner, "type", None)
    return str(inner.names[-1]) if inner is not None else ""


def _literal_type(text: str) -> CType:
    value = literal(text)
    if isinstance(value, float):
        return ctypes.FLOAT if text[-1:] in "fF" else ctypes.DOUBLE
    return ctypes.UINT if "u" in text.lower() and not text.startswith("0x") else ctypes.INT
