"""Expressions of host code as formulas over its variables (`ir/host_formulas.py`).

In: an expression and the scope around it, where control comes by. Out: a formula, in which a
variable stands for what `HostValues` holds as not known: its copies are the same one, what is
assigned anew is another. `note` says what a new variable was computed as. None where an operator is
not covered, a number is no whole one, or a variable may change out of sight.
Functions of one `return`, and tests before it that numbers decide, are looked into, as
`div_up(n, 256)`, up to `_DEPTH`; `ceil` and such in `rounding.py`. The result of another one in
sight is no variable: nobody is free to choose it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.host_formulas import (
    INEQUALITIES,
    OPERATORS,
    UNLIMITED,
    Formula,
    LaunchFormulas,
    Limits,
    Operation,
    Variable,
    applied,
    is_small,
    quotient,
    variables_of,
)
from ....ir.types import INT64
from ....ir.values import Constant, Unknown
from ....source.numbers import whole
from ...lowering.model.ctypes import Form
from ...lowering.model.scope import (
    KnownParts,
    LoosePlace,
    MultiplePlace,
    PointerPlace,
    ValuePlace,
)
from ...lowering.program.callees import callee_name
from ...lowering.program.member_paths import member_path
from ...lowering.types.constant_arithmetic import apply
from ...lowering.types.method_scopes import class_of_object
from ...lowering.types.number_literals import literal
from ...names.host_memory import CONTAINERS
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .kernels import bare
from .rounding import ROUNDINGS, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ....ir.host_formulas import Shape
    from ....ir.values import Value
    from ...lowering.model.ctypes import CType
    from ...lowering.model.scope import Binding, Scope
    from ...lowering.program.program import Program

    Lookup = Callable[[str], Formula | None]

_COMPARED = INEQUALITIES | {"==", "!="}
_CHOICES = frozenset({"min", "max"})
_WRITTEN = OPERATORS - _CHOICES  # between their operands
_DEPTH = 3  # functions in functions
_INT = (1 << 31) - 1


class HostFormulas:
    """The formulas of host code in one translation unit; variables are numbered as they are met."""

    def __init__(
        self,
        program: Program,
        number: Callable[[Any, Scope], float | None],
        type_of: Callable[[Any, Scope], CType],
    ) -> None:
        self._program = program
        self._number = number
        self._type_of = type_of
        #: What a variable that is not known was computed as; None: by a function in sight that is
        #: no formula, so that nobody is free to choose it.
        self._made: dict[Value, Formula | None] = {}
        self._variables: dict[Value, Variable] = {}
        self._members: dict[tuple[Value | str, ...], Variable] = {}

    def note(self, binding: Binding, init: Any, scope: Scope) -> None:
        """Keep what a variable was initialised with, or assigned."""
        value = binding.value.value if isinstance(binding, ValuePlace) else None
        if not isinstance(value, Unknown) or value in self._variables or value in self._made:
            return
        if isinstance(binding, KnownParts | LoosePlace):
            return
        formula = self.of(init, scope)
        if formula is not None and is_small(formula):
            self._made[value] = formula
        elif self._is_computed_in_sight(bare(init)):
            self._made[value] = None

    def _is_computed_in_sight(self, node: Any) -> bool:
        return isinstance(node, c_ast.FuncCall) and self._program.is_defined(callee_name(node.name))

    def limits(self, scope: Scope) -> dict[int, Limits]:
        """What limits variables here, by their numbers."""
        found: dict[int, Limits] = {}
        for around in scope.outwards():
            for held in around.names.values():
                if isinstance(held, MultiplePlace) and held.limits != UNLIMITED:
                    variable = self._variables.get(held.value.value)
                    if variable is not None:
                        known = found.get(variable.number, UNLIMITED)
                        found[variable.number] = known.narrowed(held.limits)
        return found

    def of(self, node: Any, scope: Scope) -> Formula | None:
        """The formula that an expression is."""
        return self._read(node, lambda name: self._variable(name, scope), scope, 0)

    def dimensions(self, node: Any, scope: Scope, items: list[Any] | None) -> Shape:
        """The formulas of a grid or a block; `items` are the parts that it is written with."""
        found = scope.find(node.name) if isinstance(node, c_ast.ID) else None
        if isinstance(found, KnownParts):
            return (_part(found, "x"), _part(found, "y"), _part(found, "z"))
        if items is not None and len(items) == 1 and isinstance(items[0], c_ast.ID):
            return self.dimensions(items[0], scope, None)
        given = [node] if items is None else items
        made = [self.of(given[at], scope) if at < len(given) else 1 for at in range(3)]
        if isinstance(found, ValuePlace) and not found.type.is_scalar:
            return (None, None, None)  # all of a shape
        return (made[0], made[1], made[2])

    def _variable(self, name: str, scope: Scope) -> Formula | None:
        found = scope.find(name)
        if not isinstance(found, ValuePlace) or isinstance(found, KnownParts | LoosePlace):
            return None
        if found.type.form is Form.POINTER:
            return None
        value = found.value.value
        if isinstance(value, Constant):
            return value.value if isinstance(value.value, int) else None
        if not isinstance(value, Unknown):
            return None
        if value in self._made:
            return self._made[value]
        return self._variables.setdefault(value, Variable(len(self._variables), name))

    def _read(self, node: Any, lookup: Lookup, scope: Scope, depth: int) -> Formula | None:
        node = bare(node)
        match node:
            case c_ast.Constant():
                return _whole(node.value)
            case c_ast.ID():
                return self._named(node.name, lookup, scope)
            case c_ast.StructRef():
                return self._member(node, scope)
            case c_ast.BinaryOp() if node.op in _WRITTEN:
                left = self._read(node.left, lookup, scope, depth)
                right = self._read(node.right, lookup, scope, depth)
                made = applied(node.op, left, right)
                return made if self._fits(made, node, scope) else None
            case nodes.Construct() if len(node.arguments) == 1 and self._is_whole(node, scope):
                return self._read(node.arguments[0], lookup, scope, depth)
            case c_ast.BinaryOp(op="&"):
                left = self._read(node.left, lookup, scope, depth)
                return _masked(left, self._mask(node.right, lookup, scope, depth))
            case c_ast.UnaryOp(op="sizeof"):
                return whole(self._number(node, scope))
            case c_ast.FuncCall():
                return self._call(node, lookup, scope, depth)
            case c_ast.TernaryOp():
                return self._chosen(node, lookup, scope, depth)
        return None

    def _is_whole(self, node: Any, scope: Scope) -> bool:
        """Whether `size_t(n)` is the number that `n` is, as casts are taken to be."""
        return node.type is not None and self._type_of(node, scope).form is Form.INTEGER

    def _fits(self, made: Formula | None, node: Any, scope: Scope) -> bool:
        """Whether a number is one of `int`, or known to be of a wider type: `n * n` wraps."""
        small = not isinstance(made, int) or abs(made) <= _INT
        return small or whole(self._number(node, scope)) == made

    def forget(self, name: str) -> None:
        """A member, or a variable that nothing in sight declares, was assigned."""
        self._members = {path: held for path, held in self._members.items() if name not in path}

    def forget_members(self) -> None:
        """Any member may have changed."""
        self._members = {}

    def _member(self, node: Any, scope: Scope) -> Formula | None:
        """A member of an object, the same one until it is assigned: `context->blocks`."""
        path: list[str] = []
        while isinstance(node, c_ast.StructRef) and isinstance(node.field, c_ast.ID):
            path.insert(0, node.field.name)
            node = bare(node.name)
        if not isinstance(node, c_ast.ID):
            return None
        found = scope.find(node.name)
        whole = ".".join((node.name, *path))
        if scope.find(whole) is not None:
            return self._variable(whole, scope)
        if isinstance(found, KnownParts) and len(path) == 1:
            return _part(found, path[0])
        if found is None:
            return self._from_elsewhere(node.name, *path)
        if not isinstance(found, ValuePlace) or isinstance(found, KnownParts | LoosePlace):
            return None
        return self._from_elsewhere(found.value.value, *path)

    def _from_elsewhere(self, *path: Value | str) -> Variable:
        """A variable of which nothing but its name is known."""
        name = ".".join(each for each in path if isinstance(each, str))
        if path not in self._members:
            unknown = Unknown(INT64, "computed by the host", per_thread=False)
            variable = self._variables.setdefault(unknown, Variable(len(self._variables), name))
            self._members[path] = variable
        return self._members[path]

    def _mask(self, node: Any, lookup: Lookup, scope: Scope, depth: int) -> int | None:
        """The number that a mask is, as `255` or `~255`."""
        node, sign = bare(node), ""
        if isinstance(node, c_ast.UnaryOp) and node.op in ("~", "-"):
            node, sign = node.expr, node.op
        number = self._read(node, lookup, scope, depth)
        if not isinstance(number, int):
            return None
        return {"~": ~number, "-": -number}.get(sign, number)

    def something(self, name: str = "") -> Variable:
        """A number of which nothing is known: `min(f(n), 65535)` is 65,535 at most all the same."""
        unknown = Unknown(INT64, "computed by the host", per_thread=False)
        return self._variables.setdefault(unknown, Variable(len(self._variables), name))

    def _named(self, name: str, lookup: Lookup, scope: Scope) -> Formula | None:
        found = lookup(name)
        if found is not None:
            return found
        declared = self._program.variables.get(name)
        if declared is None:
            return self._from_elsewhere(name) if scope.find(name) is None else None
        init = getattr(declared, "init", None)
        if not isinstance(init, c_ast.Constant) or not is_fixed(declared):
            return None
        return _whole(init.value)

    def _chosen(self, node: Any, lookup: Lookup, scope: Scope, depth: int) -> Formula | None:
        """`n < 32 ? 32 : n`, the larger one of two numbers or the smaller one."""
        condition = bare(node.cond)
        if not isinstance(condition, c_ast.BinaryOp) or condition.op not in INEQUALITIES:
            return None
        parts = (condition.left, condition.right, node.iftrue, node.iffalse)
        left, right, true, false = (self._read(each, lookup, scope, depth) for each in parts)
        if None in (left, right) or {left, right} != {true, false}:
            return None
        return applied("min" if (true == left) == (condition.op[0] == "<") else "max", left, right)

    def _call(self, node: Any, lookup: Lookup, scope: Scope, depth: int) -> Formula | None:
        name = callee_name(node.name)
        given: Any = node.args.exprs if node.args is not None else ()
        if not given and isinstance(node.name, c_ast.StructRef):
            asked = node.name.name
            held = scope.find(asked.name if isinstance(asked, c_ast.ID) else member_path(asked))
            if isinstance(held, PointerPlace):
                return _count(held) if nodes.member_name(node.name) == "size" else None
        arguments = [self._read(each, lookup, scope, depth) for each in given]
        if name in _CHOICES and len(arguments) == 2:
            return applied(
                name, *(self.something() if each is None else each for each in arguments)
            )
        functions = self._program.functions.get(name, ())
        owner = class_of_object(node.name, scope)
        if owner is not None:
            scope = owner.scope
            functions = self._program.methods(owner.definition, nodes.member_name(node.name))
        if len(given) == 1 and name in ROUNDINGS and name not in self._program.functions:
            return self._rounded(name, given[0], lookup, scope, depth)
        if len(functions) != 1 or depth >= _DEPTH:
            return None
        (function,) = functions
        body: Any = getattr(function.body, "block_items", None) or ()
        parameters = getattr(function.decl.type.args, "params", None) or ()
        if len(parameters) != len(arguments):
            return None
        names = {each.name: value for each, value in zip(parameters, arguments, strict=True)}
        if owner is not None:
            for member, held in scope.names.items():
                if isinstance(held, ValuePlace) and held.type.form is not Form.POINTER:
                    names.setdefault(member, self._variable(member, scope) or self.something())
        return self._returned(body, names.get, scope, depth + 1)

    def _rounded(
        self, name: str, node: Any, lookup: Lookup, scope: Scope, depth: int
    ) -> Formula | None:
        """`ceil(n / 256.0)`; what a function in the call names has no type out here."""

        def form_of(part: Any) -> Form:
            named = depth > 0 and isinstance(part, c_ast.ID | c_ast.StructRef)
            return Form.UNKNOWN if named else self._type_of(part, scope).form

        return rounded(name, node, lambda part: self._read(part, lookup, scope, depth), form_of)

    def _returned(
        self, statements: Iterable[Any], lookup: Lookup, scope: Scope, depth: int
    ) -> Formula | None:
        """What a function returns that does nothing else, but for tests that numbers decide."""
        for statement in statements:
            if isinstance(statement, c_ast.Return):
                return self._read(statement.expr, lookup, scope, depth)
            if not isinstance(statement, c_ast.If) or statement.iffalse is not None:
                return None
            truth = self._truth(statement.cond, lookup, scope, depth)
            if truth is None:
                return None
            if truth:
                taken = getattr(statement.iftrue, "block_items", None) or [statement.iftrue]
                return self._returned(taken, lookup, scope, depth)
        return None

    def _truth(self, node: Any, lookup: Lookup, scope: Scope, depth: int) -> bool | None:
        """Whether a comparison of two numbers holds."""
        node = bare(node)
        if not isinstance(node, c_ast.BinaryOp) or node.op not in _COMPARED:
            return None
        left = self._read(node.left, lookup, scope, depth)
        right = self._read(node.right, lookup, scope, depth)
        if isinstance(left, int) and isinstance(right, int):
            return bool(apply(node.op, left, right))
        return None


Sizes = tuple["Formula | None", ...]


def is_fixed(declared: Any) -> bool:
    """Whether a file-scope variable in a formula of host code keeps what it is initialised with."""
    marks = {*(declared.quals or ()), *(declared.storage or ()), *(declared.funcspec or ())}
    return bool(marks & {"const", "constexpr"})


def canonical(
    formulas: LaunchFormulas, sizes: Sizes, limits: Mapping[int, Limits]
) -> tuple[LaunchFormulas | None, Sizes]:
    """The formulas of a launch with variables numbered as they appear, so that equal launches are
    equal, and others (sizes, template arguments) over the same variables, which keep within their
    limits; None when nothing is known.
    """
    parts = (*formulas.grid, *formulas.block, *formulas.arguments)
    numbers: dict[int, int] = {}
    for variable in _variables(parts):
        numbers.setdefault(variable.number, len(numbers))
    known = bool(numbers)
    for variable in _variables(sizes):
        numbers.setdefault(variable.number, len(numbers))
    sized = tuple(_renumbered(each, numbers, limits) for each in sizes)
    if not known:
        return None, sized
    x, y, z, a, b, c, *rest = (_renumbered(each, numbers, limits) for each in parts)
    return LaunchFormulas((x, y, z), (a, b, c), tuple(rest)), sized


def _variables(parts: Iterable[Formula | None]) -> Iterable[Variable]:
    return (each for part in parts if part is not None for each in variables_of(part))


def _renumbered(
    formula: Formula | None, numbers: dict[int, int], limits: Mapping[int, Limits]
) -> Formula | None:
    if isinstance(formula, Variable):
        return Variable(
            numbers[formula.number], formula.name, limits.get(formula.number, UNLIMITED)
        )
    if isinstance(formula, Operation):
        left, right = (_renumbered(each, numbers, limits) for each in (formula.left, formula.right))
        assert left is not None
        assert right is not None
        return Operation(formula.operator, left, right)
    return formula


def _masked(formula: Formula | None, mask: int | None) -> Formula | None:
    """`n & 255`, which is `n % 256`, and `n & ~255`, which is `n / 256 * 256`, of a size."""
    if formula is None or mask is None:
        return None
    low = mask if mask >= 0 else ~mask
    if low & (low + 1):
        return None
    if mask >= 0:
        return applied("%", formula, low + 1)
    return applied("*", applied("/", formula, low + 1), low + 1)


def _count(held: PointerPlace) -> Formula | None:
    """How many elements a container has."""
    made = held.pointer.allocation
    if made.maker not in CONTAINERS or made.size is None or not made.element_size:
        return None
    return quotient(made.size, made.element_size)


def _part(known: KnownParts, axis: str) -> Formula | None:
    number = known.parts.get(axis)
    if number is not None:
        return whole(number)
    return known.formulas.get(axis)


def _whole(text: str) -> int | None:
    number = literal(text)
    return number if isinstance(number, int) else None
