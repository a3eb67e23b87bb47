"""Constant expressions: extents, template arguments, launch configurations.

In: an expression and a scope. Out: an int or float, or None when it is not constant or not known.
Covers literals, operators, casts, `sizeof`, `constexpr`/`const` variables, enumerators, bound
template arguments, min/max and functions that are a single return.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ....ir.arithmetic import wrap
from ....ir.values import Constant
from ....source.numbers import bounded, whole
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import ClassScope, EnumScope, KnownParts, Scope, ValuePlace
from ..program.member_paths import member_path
from ..program.namespaces import Alike, named_by, path_names, seen_from
from .constant_arithmetic import MATHEMATICS, Number, apply, call_mathematics
from .constant_places import held_by, place, written_element, written_elements
from .device_properties import device_property
from .method_scopes import class_of_object
from .number_literals import STANDARD, SUFFIX, literal
from .offsets import OFFSET_OF, offset
from .template_packs import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model.ctypes import CType
    from ..program.program import Program
    from .reading import Reader

_DEPTH_LIMIT = 60
_INT = (1 << 31) - 1
_GROWING = frozenset({"*", "+", "-"})
_ARITHMETIC = _GROWING | {"/", "%", "<<", ">>", "&", "|", "^"}


def evaluate(
    node: Any, scope: Scope, program: Program, reader: Reader, depth: int = 0
) -> Number | None:
    """The value of a constant expression; None when it has none here."""
    if node is None or depth > _DEPTH_LIMIT:
        return None
    return _Evaluator(scope, program, reader, depth).value(node)


def _unsigned(operand: Any, value: Number) -> Number:
    """`~0u` and `-1u` are not negative."""
    suffix = SUFFIX.search(operand.value) if isinstance(operand, c_ast.Constant) else None
    if suffix is None or not isinstance(value, int) or "u" not in suffix.group().lower():
        return value
    return value & (0xFFFFFFFFFFFFFFFF if "l" in suffix.group().lower() else 0xFFFFFFFF)


class _Evaluator:
    def __init__(self, scope: Scope, program: Program, reader: Reader, depth: int) -> None:
        self._scope = scope
        self._program = program
        self._reader = reader
        self._depth = depth

    def value(self, node: Any) -> Number | None:
        """The value; None too where it is infinite or larger than any type holds."""
        found = self._value(node)
        if isinstance(found, float):
            return found if math.isfinite(found) else None
        return None if found is None else bounded(found)

    def _value(self, node: Any) -> Number | None:
        match node:
            case c_ast.Constant():
                return literal(node.value)
            case c_ast.ID():
                return self._name(node.name)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.TernaryOp():
                condition = self.value(node.cond)
                if condition is None:
                    return None
                return self.value(node.iftrue if condition else node.iffalse)
            case c_ast.Cast():
                return self._cast(node.to_type, node.expr)
            case nodes.NamedCast():
                return self._cast(node.type, node.expression)
            case nodes.Construct() if self._program.called(node):
                return self._call_of(self._program.called(node), node.arguments)
            case nodes.Construct() if not node.arguments:
                return self._object(node)
            case nodes.Construct() if len(node.arguments) == 1:
                return self._cast(node.type, node.arguments[0])
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.ArrayRef() | c_ast.StructRef():
                return self._part(node)
            case nodes.QualifiedName():
                return self._qualified(node)
            case nodes.TemplateId():
                return self._template(node)
            case nodes.Fold():
                return folded(node, self._scope, self._in)
            case _:
                return None

    def _name(self, name: str) -> Number | None:
        bound = self._scope.find(name)
        if bound is not None:
            if isinstance(bound, ValuePlace) and isinstance(bound.value.value, Constant):
                return bound.value.value.value
            return None
        if name == "warpSize":
            return 32
        return self._of_file(name, self._program.variables.get(name))

    def _within(self, path: list[str], name: str) -> Number | None:
        """A name behind namespaces."""
        variables = self._program.variables
        if not variables.is_declared(name):
            return self._name(name)
        return self._of_file(name, variables.within(path, name))

    def _of_file(self, name: str, declaration: Any) -> Number | None:
        """A constant or enumerator of the file."""
        if declaration is not None:
            marks = {*(declaration.quals or ()), *(declaration.storage or ())}
            marks |= set(declaration.funcspec or ())
            init = declaration.init
            if not marks & {"const", "constexpr"} or init is None:
                return None
            if isinstance(init, c_ast.InitList):
                init = init.exprs[0] if len(init.exprs) == 1 else None
            value = self._elsewhere(init)
            return self._as(value, self._reader.read(declaration.type, Scope()))
        if name in self._program.enumerators:
            return self._enumerator(self._program.enumerators[name])
        return STANDARD.get(name)

    def _qualified(self, node: nodes.QualifiedName) -> Number | None:
        """`Traits<T>::width`, `Mode::fast`, `detail::width`."""
        last = node.parts[-1]
        said = self._reader.said(node, self._scope)
        if said is None and isinstance(last, nodes.TemplateId):
            outside = self._reader.owner(node, self._scope) is None
            return self._template(last) if outside else None
        if said is not None or not isinstance(last, c_ast.ID):
            return said
        enum = getattr(node.parts[-2], "name", "") if len(node.parts) > 1 else ""
        if (enum, last.name) in self._program.of_enum:
            entry = self._program.of_enum[enum, last.name]
            return self._of_enum(node) if entry is None else self._enumerator(entry)
        owner = self._reader.owner(node, self._scope)
        if owner is None:
            return self._within(path_names(node.parts[:-1]), last.name)
        if isinstance(owner, str):
            return self._of_enum(node)
        return held_by(owner.scope.find(last.name))

    def _template(self, node: nodes.TemplateId) -> Number | None:
        """`width<float>`: of a trait, or of a variable template of the file."""
        said = self._reader.said(node, self._scope)
        if said is None and nodes.variable_class(node.name) in self._program.classes:
            return self._qualified(nodes.variable_value(node))
        return said

    def _of_enum(self, node: nodes.QualifiedName) -> Number | None:
        """An enumerator of an enum that the class says which names it, perhaps by another name."""
        *before, last = node.parts
        path = before[0] if len(before) == 1 else nodes.QualifiedName(before, False)
        origin = self._reader.read(nodes.NamedType(path), self._scope).origin
        return held_by(origin.scope.find(last.name)) if isinstance(origin, EnumScope) else None

    def _enumerator(self, entry: tuple[Any, int]) -> Number | None:
        anchor, distance = entry
        base = 0 if anchor is None else self._elsewhere(anchor)
        number = whole(base)
        return None if number is None else number + distance

    def _part(self, node: Any) -> Number | None:
        """`sizes[2]`, `block.x` and `shape.block.x` of host code."""
        owner, member = (
            node.name,
            nodes.member_name(node) if isinstance(node, c_ast.StructRef) else "",
        )
        while member and isinstance(owner, c_ast.StructRef):
            owner, member = owner.name, f"{nodes.member_name(owner)}.{member}"
        bound = self._scope.find(getattr(owner, "name", None) or "")
        if bound is None and isinstance(node, c_ast.ArrayRef) and isinstance(owner, c_ast.ID):
            return self._element(owner.name, node.subscript)
        if not isinstance(bound, KnownParts):
            path = member_path(node)
            known = self._scope.find(path) is not None
            return self._name(path) if known else device_property(node, self._scope, self.value)
        if member:
            return bound.parts.get(member)
        index = self.value(node.subscript)
        return bound.parts.get(int(index)) if index is not None else None

    def _element(self, name: str, subscript: Any) -> Number | None:
        """`sizes[2]` of a constant array of the file, as far as its elements are written."""
        declaration = self._program.variables.get(name)
        index = whole(self.value(subscript)) if written_elements(declaration) else None
        element = written_element(declaration, index)
        type = None if element is None else self._reader.read(declaration.type, Scope()).element
        return None if type is None else self._as(self._elsewhere(element), type)

    def _in(self, node: Any, scope: Scope) -> Number | None:
        return evaluate(node, scope, self._program, self._reader, self._depth + 1)

    def _elsewhere(self, node: Any) -> Number | None:
        return self._in(node, Scope())

    def _unary(self, node: Any) -> Number | None:
        if node.op in ("alignof", "_Alignof"):
            asked = isinstance(node.expr, c_ast.Typename)
            type = self._reader.read(node.expr, self._scope) if asked else ctypes.unknown("auto")
            return None if type.size is None else type.alignment
        if node.op == "sizeof...":
            pack = self._scope.pack(node.expr.name)
            return None if pack is None else len(pack.places)
        if node.op == "sizeof":
            if isinstance(node.expr, c_ast.Typename):
                return self._reader.read(node.expr, self._scope).size
            return self._size_of(node.expr)
        value = self.value(node.expr)
        if value is None:
            return None
        if node.op == "!":
            return int(not value)
        if node.op == "-":
            value = -value
        elif node.op == "~" and isinstance(value, int):
            value = ~value
        elif node.op != "+":
            return None
        return _unsigned(node.expr, value)

    def _size_of(self, node: Any) -> Number | None:
        """The size of a variable, of an element of it, of what it points to."""
        inner = isinstance(node, c_ast.ArrayRef) or getattr(node, "op", "") == "*"
        if inner:
            node = node.name if isinstance(node, c_ast.ArrayRef) else node.expr
        bound = self._scope.find(node.name) if isinstance(node, c_ast.ID) else None
        type = getattr(bound, "type", None)
        if bound is None and isinstance(node, c_ast.ID) and node.name in self._program.variables:
            type = self._reader.read(self._program.variables[node.name].type, Scope())
        if type is not None and inner:
            type = type.element
        return None if type is None else type.size

    def _binary(self, node: Any) -> Number | None:
        left = self.value(node.left)
        if left is None:
            return self._decided(node)
        if node.op == "&&" and not left:
            return 0
        if node.op == "||" and left:
            return 1
        right = self.value(node.right)
        if right is None:
            return None
        made = apply(node.op, left, right)
        wraps = isinstance(made, int) and not ~_INT <= made <= _INT and node.op in _GROWING
        return None if wraps and self._is_narrow(node) else made

    def _is_narrow(self, node: Any) -> bool:
        """Whether an expression is known to be computed in 32 bits at most: `n * n` of `int n`."""
        match node:
            case c_ast.Constant():
                return node.value.isdecimal() and int(node.value) <= _INT
            case c_ast.BinaryOp() if node.op in _ARITHMETIC:
                return self._is_narrow(node.left) and self._is_narrow(node.right)
            case c_ast.UnaryOp(op="-" | "+" | "~"):
                return self._is_narrow(node.expr)
            case c_ast.ID():
                bound = self._scope.find(node.name)
                if not isinstance(bound, ValuePlace):
                    return False
                type = bound.value.type
                return type.form is Form.INTEGER and type.size in (1, 2, 4)
        return False

    def _decided(self, node: Any) -> Number | None:
        """`unknown && false` and `unknown || true`."""
        right = self.value(node.right) if node.op in ("&&", "||") else None
        return None if right is None or bool(right) is (node.op == "&&") else int(bool(right))

    def _cast(self, type_node: Any, expression: Any) -> Number | None:
        value, type = self.value(expression), self._reader.read(type_node, self._scope)
        return None if isinstance(type.origin, ClassScope) else self._as(value, type)

    @staticmethod
    def _as(value: Number | None, type: CType) -> Number | None:
        if value is None or type.form is Form.UNKNOWN:
            return value
        if type.form is Form.BOOL:
            return int(bool(value))
        if type.form is Form.INTEGER:
            return wrap(whole(value) or 0, type.ir())
        return float(value) if type.form is Form.FLOAT else value

    def _call(self, node: Any) -> Number | None:
        given = node.args.exprs if node.args else ()
        path = node.name.parts if isinstance(node.name, nodes.QualifiedName) else (node.name,)
        if isinstance(path[-1], nodes.TemplateId):
            return self._call_of_template(path, given)
        if len(path) > 1:
            owner = self._reader.owner(node.name, self._scope)
            name = getattr(path[-1], "name", None)
            if isinstance(owner, str):
                return None
            return self._call_of(name, given, owner, path_names(path[:-1]))
        if isinstance(node.name, c_ast.StructRef):
            return self._call_of_method(node.name, given)
        name = getattr(node.name, "name", None)
        if name in OFFSET_OF and len(given) == 2:
            return offset(list(given), self._scope, self._reader, self.value)
        return self._call_of(name, given)

    def _call_of_method(self, target: Any, given: Sequence[Any]) -> Number | None:
        """`plan.bytes()` of host code, by what is known of the members of `plan`."""
        owner = class_of_object(target, self._scope)
        arguments = [self.value(argument) for argument in given]
        known = [argument for argument in arguments if argument is not None]
        if owner is None or len(known) < len(arguments):
            return None
        return self._returned(nodes.member_name(target), known, owner, ())

    def _object(self, node: nodes.Construct) -> Number | None:
        """`std::is_signed<T>{}`: what an object of a trait says."""
        type = node.type
        while isinstance(type, c_ast.Typename | c_ast.TypeDecl):
            type = type.type
        if not isinstance(type, nodes.NamedType):
            return None
        named = type.name
        parts = named.parts if isinstance(named, nodes.QualifiedName) else [named]
        return self._qualified(nodes.QualifiedName([*parts, c_ast.ID("value")], False))

    def _call_of_template(self, path: Sequence[Any], given: Sequence[Any]) -> Number | None:
        """`is_small<T>()`, `log2<N>()`, and the object `std::is_signed<T>()` as a number.

        Of several overloads all must say the same.
        """
        last = path[-1]
        owner = None
        if len(path) > 1:
            owner = self._reader.owner(nodes.QualifiedName(list(path), False), self._scope)
        if isinstance(owner, str):
            return None
        if not given and owner is None and last.name not in self._program.functions:
            return self._qualified(nodes.QualifiedName([*path, c_ast.ID("value")], False))
        arguments = [self.value(argument) for argument in given]
        known = [argument for argument in arguments if argument is not None]
        if len(known) < len(arguments):
            return None
        return self._returned(last.name, known, owner, path_names(path[:-1]), last.arguments)

    def _call_of(
        self,
        name: str | None,
        given: Sequence[Any],
        owner: ClassScope | None = None,
        around: Sequence[str] = (),
    ) -> Number | None:
        arguments = [self.value(argument) for argument in given]
        if any(argument is None for argument in arguments):
            return None
        known = [argument for argument in arguments if argument is not None]
        if name in ("min", "max") and len(known) == 2:
            return min(known) if name == "min" else max(known)
        if name in MATHEMATICS and owner is None:
            return call_mathematics(name, known)
        return self._returned(name or "", known, owner, around)

    def _returned(
        self,
        name: str,
        arguments: list[Number],
        owner: ClassScope | None,
        around: Sequence[str],
        explicit: Sequence[Any] = (),
    ) -> Number | None:
        """What the functions of that name, of one statement each, return for these arguments; all
        that may be meant must say the same.
        """
        if owner is not None:
            candidates = list(self._program.methods(owner.definition, name))
        else:
            candidates = self._functions_meant(name, around)
        said: set[Number | None] = set()
        with self._program.constant_calls.for_a_constant():
            for function in candidates:
                with self._program.seen_from(function.scope):
                    said.update(self._result(function, arguments, owner, explicit))
        return said.pop() if len(said) == 1 else None

    def _functions_meant(self, name: str, around: Sequence[str]) -> list[nodes.Function]:
        """The functions that a name stands for: of a namespace, else of the innermost around."""
        program = self._program
        found = [each for each in program.functions.get(name, ()) if not program.is_method(each)]
        if around:
            return named_by(Alike(found), around, program.namespaces)
        nearest = seen_from(found, program.scope)[:1]
        if nearest and program.scope[: len(nearest[0].scope)] == nearest[0].scope:
            return [each for each in found if each.scope == nearest[0].scope]
        return found

    def _result(
        self,
        function: nodes.Function,
        arguments: list[Number],
        owner: ClassScope | None,
        explicit: Sequence[Any],
    ) -> Iterator[Number | None]:
        """What one function returns; nothing where it does not take these arguments."""
        items: Any = getattr(function.body, "block_items", None) or ()
        parameters = getattr(function.decl.type.args, "params", None) or ()
        if len(items) != 1 or not isinstance(items[0], c_ast.Return):
            if explicit:
                yield None
            return
        if len(parameters) != len(arguments):
            return
        calls = self._program.constant_calls
        given = tuple((value, isinstance(value, int)) for value in arguments)
        call = None if explicit else (function, owner, given, self._program.scope)
        known = calls.known(call)
        if known is not None or not calls.take():
            yield known
            return
        inner = Scope(None if owner is None else owner.scope)
        if explicit and function.template is not None:
            self._reader.bind_arguments(function.template, list(explicit), inner, self._scope)
        for parameter, value in zip(parameters, arguments, strict=True):
            type = self._reader.read(parameter.type, inner)
            inner.names[parameter.name] = place(value, type)
        found = evaluate(items[0].expr, inner, self._program, self._reader, self._depth + 1)
        result = self._as(found, self._reader.read(function.decl.type.type, inner))
        if call is not None:
            calls.keep(call, result)
        yield result
