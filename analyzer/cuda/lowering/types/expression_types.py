"""The type of an expression that is not evaluated: what `decltype` names.

In: an expression and a scope. Out: its type; one that is not known where a call, an operator of a
class or a name is not. References count as what they refer to, as everywhere. Not handled:
overloads told apart by their arguments, methods, conversions of classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import ClassScope, LambdaValue, Scope, ValuePlace
from ..program.namespaces import path_names
from ..program.parameters import parameters_of
from .deduction import deduce
from .number_literals import literal

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..program.program import Program
    from .reading import Reader

_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))
_NOT_KNOWN = ctypes.unknown("auto")


def type_of(node: Any, scope: Scope, program: Program, reader: Reader) -> CType:
    """The type of an expression."""
    return _Typer(scope, program, reader).of(node)


class _Typer:
    def __init__(self, scope: Scope, program: Program, reader: Reader) -> None:
        self._scope = scope
        self._program = program
        self._reader = reader

    def of(self, node: Any) -> CType:
        match node:
            case c_ast.Constant():
                return _literal(node)
            case c_ast.ID():
                return self._name(node.name)
            case nodes.QualifiedName():
                return self._qualified(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.TernaryOp():
                return ctypes.arithmetic(self.of(node.iftrue), self.of(node.iffalse))
            case c_ast.ArrayRef():
                return self.of(node.name).element or _NOT_KNOWN
            case c_ast.StructRef():
                return self._member(node)
            case c_ast.Cast():
                return self._reader.read(node.to_type, self._scope)
            case nodes.NamedCast():
                return self._reader.read(node.type, self._scope)
            case c_ast.FuncCall():
                return self._call(node)
            case nodes.Lambda():
                return self._reader.closures.of(node, self._scope)
            case nodes.Construct() if node.type is not None and not self._program.called(node):
                return self._reader.read(node.type, self._scope)
            case _:
                return _NOT_KNOWN

    def _name(self, name: str) -> CType:
        bound = self._scope.find(name)
        if isinstance(bound, LambdaValue):
            return self._reader.closures.held(bound)
        if bound is not None:
            return bound.type
        this = self._scope.find("this")  # in host code, where a method is run
        if this is not None:
            own = _member_of(self._name("this").element, name)
            if own is not None:
                return own
        declared = self._program.variables.get(name)
        return _NOT_KNOWN if declared is None else self._reader.of_file(declared.type)

    def _qualified(self, node: nodes.QualifiedName) -> CType:
        last, owner = node.parts[-1], self._reader.owner(node, self._scope)
        if not isinstance(last, c_ast.ID):
            return _NOT_KNOWN
        if owner is None:
            return self._within(path_names(node.parts[:-1]), last.name)
        found = owner.scope.find(last.name) if isinstance(owner, ClassScope) else None
        return found.type if isinstance(found, ValuePlace) else _NOT_KNOWN

    def _within(self, path: list[str], name: str) -> CType:
        """A name behind namespaces."""
        if not self._program.variables.is_declared(name):
            return self._name(name)
        declared = self._program.variables.within(path, name)
        return _NOT_KNOWN if declared is None else self._reader.of_file(declared.type)

    def _unary(self, node: Any) -> CType:
        if node.op in ("sizeof", "sizeof...", "alignof", "_Alignof"):
            return ctypes.ULONG
        type = self.of(node.expr)
        if node.op == "*":
            return type.element or _NOT_KNOWN
        if node.op == "&":
            return ctypes.pointer_to(type) if type.form is not Form.UNKNOWN else _NOT_KNOWN
        if node.op == "!":
            return ctypes.BOOL
        if "+" * 2 in node.op or "-" * 2 in node.op:
            return type
        return ctypes.promoted(type) if type.is_scalar else _NOT_KNOWN

    def _binary(self, node: Any) -> CType:
        if node.op in _COMPARISONS:
            return ctypes.BOOL
        left, right = self.of(node.left), self.of(node.right)
        for one, other in ((left, right), (right, left)):
            if one.form is Form.POINTER and other.form is Form.INTEGER:
                return one
        if left.form is Form.POINTER and right.form is Form.POINTER:
            return ctypes.LONG
        if not (left.is_scalar and right.is_scalar):
            return _NOT_KNOWN
        return ctypes.promoted(left) if node.op in ("<<", ">>") else ctypes.arithmetic(left, right)

    def _member(self, node: Any) -> CType:
        whole = self.of(node.name)
        if node.type == "->":
            whole = whole.element or _NOT_KNOWN
        return _member_of(whole, getattr(node.field, "name", "")) or _NOT_KNOWN

    def _call(self, node: Any) -> CType:
        """What the functions of that name return, where all agree."""
        callee = node.name
        if isinstance(callee, nodes.QualifiedName):
            if self._reader.owner(callee, self._scope) is not None:
                return _NOT_KNOWN
            callee = callee.parts[-1]
        explicit = list(callee.arguments) if isinstance(callee, nodes.TemplateId) else []
        name = getattr(callee, "name", None)
        if not isinstance(name, str) or self._scope.find(name) is not None:
            return _NOT_KNOWN
        given = [self.of(item) for item in (node.args.exprs if node.args is not None else ())]
        found = [
            self._returned(function, explicit, given)
            for function in self._program.device_functions(name)
            if not self._program.is_method(function) and len(parameters_of(function)) == len(given)
        ]
        return found[0] if found and all(type == found[0] for type in found) else _NOT_KNOWN

    def _returned(self, function: nodes.Function, explicit: list[Any], given: list[CType]) -> CType:
        inner, template = Scope(), function.template
        if template is not None:
            self._reader.bind_arguments(template, explicit, inner, self._scope)
            open_names = {item.name: item for item in template.parameters[len(explicit) :]}
            for parameter, type in zip(parameters_of(function), given, strict=True):
                deduce(parameter.type, type, open_names, inner)
        return self._reader.read(function.decl.type.type, inner)


def _member_of(whole: CType | None, name: str) -> CType | None:
    """The type of a data member; of what it refers to where it is a reference."""
    member = None if whole is None else whole.member(name)
    if member is None:
        return None
    return (member.type.element if ctypes.is_reference(member.type) else None) or member.type


def _literal(node: Any) -> CType:
    value, text = literal(node.value), node.value.lower()
    if value is None:
        return _NOT_KNOWN
    if isinstance(value, float):
        return ctypes.FLOAT if text.endswith("f") else ctypes.DOUBLE
    if text in ("true", "false"):
        return ctypes.BOOL
    if text.startswith("'"):
        return ctypes.CHAR
    wide = "l" in text or abs(value) > 0x7FFFFFFF
    if "u" in text:
        return ctypes.ULONG if wide else ctypes.UINT
    return ctypes.LONG if wide else ctypes.INT
