"""Functions of host code that check what they are given, and what holds once they have come back.

In: a call of a function in sight, or a condition with such calls. Out: conditions over what the
caller passes, each with whether it holds: after `void check(int n) { if (n % 32) throw ...; }` and
`check(size)` no `size % 32`; for `bool fits(int n) { return n % 32 == 0; }` and `fits(size)` what
it returns. So are the checks of `do { if (!(n % 32 == 0)) abort(); } while (0)`. Also out: whether
a function ends the program, by its name or by how its body ends.
Not handled: methods, overloads, and what is checked after a way out of the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....source.records import dataclass
from ...lowering.program.callees import callee_name
from ...lowering.program.parameters import parameters_of
from ...names.conventions import ENDING
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from .conditions import STEPS
from .kernels import uncast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...lowering.program.program import Program

_DEPTH = 3  # functions in functions
_KEPT = frozenset("!-+~")
_WAYS_OUT = c_ast.Return | c_ast.Goto | c_ast.Label


@dataclass(frozen=True, slots=True)
class _Function:
    """What a function of the file says of what it is given."""

    parameters: tuple[str, ...]
    own: frozenset[str]  # its other variables, and parameters that it changes
    checked: tuple[tuple[Any, bool], ...]  # conditions, with whether they hold when it comes back
    returned: Any  # where it does nothing else


class CheckingFunctions:
    """The functions of one translation unit; each is read once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, _Function | None] = {}
        self._ending: dict[str, bool] = {}

    def holding_after(self, call: Any) -> Iterator[tuple[Any, bool]]:
        """The conditions of what a call is given, with whether they hold when it has come back."""
        function = self._function(call)
        if function is not None and function.checked:
            given = _given(function, call)
            for condition, holds in function.checked:
                yield self.written_out(self._put_in(condition, given)), holds

    def written_out(self, condition: Any) -> Any:
        """A condition with what functions in sight return in place of their calls."""
        calls = (each for each in nodes.walk(condition) if isinstance(each, c_ast.FuncCall))
        functions = [] if condition is None else list(map(self._function, calls))
        if not any(each is not None and each.returned is not None for each in functions):
            return condition
        return self._put_in(condition, {})

    def ends_program(self, name: str) -> bool:
        """Whether the program ends in a function, whatever it is given."""
        if not self._program.is_defined(name):
            return ENDING.fullmatch(name) is not None
        if name not in self._ending:
            self._ending[name] = False  # while it is looked into: it may call itself
            functions = self._program.functions[name]
            self._ending[name] = len(functions) == 1 and self._ends(functions[0].body)
        return self._ending[name]

    def _function(self, call: Any) -> _Function | None:
        """The one function that a call means, if it can be told."""
        if not isinstance(call.name, c_ast.ID):
            return None
        name = call.name.name
        if name not in self._known:
            self._known[name] = None  # while it is read
            functions = self._program.functions.get(name, ())
            if len(functions) == 1 and functions[0].body is not None:
                self._known[name] = self._read(functions[0])
        return self._known[name]

    def _read(self, function: Any) -> _Function:
        names = tuple(each.name or "" for each in parameters_of(function))
        inside = list(nodes.walk(function.body))
        declared = {each.name for each in inside if isinstance(each, c_ast.Decl)}
        changed = {name for each in inside for name in _changed(each)}
        items = function.body.block_items or []
        alone = len(items) == 1 and isinstance(items[0], c_ast.Return)
        own = frozenset(declared | changed)
        return _Function(
            names, own, tuple(self._checks(function.body)), items[0].expr if alone else None
        )

    def _checks(self, body: Any) -> Iterator[tuple[Any, bool]]:
        for statement in _statements(body):
            if isinstance(statement, c_ast.If):
                if statement.iffalse is None and self._ends(statement.iftrue):
                    yield statement.cond, False
                    continue
            elif isinstance(statement, c_ast.FuncCall):
                yield from self.holding_after(statement)
            if any(isinstance(each, _WAYS_OUT) for each in nodes.walk(statement)):
                return

    def _ends(self, statement: Any) -> bool:
        """Whether control never comes out of a statement: the program ends there."""
        while isinstance(statement, c_ast.Compound) and statement.block_items:
            if any(isinstance(each, _WAYS_OUT) for each in nodes.walk(statement)):
                return False
            statement = statement.block_items[-1]
        if isinstance(statement, c_ast.FuncCall):
            return self.ends_program(callee_name(statement.name))
        return isinstance(statement, nodes.Throw)

    def _put_in(self, node: Any, given: Mapping[str, Any], depth: int = _DEPTH) -> Any:
        """An expression of a function with what it was given; a variable without a name where that
        is not plain.
        """
        node = uncast(node)
        if isinstance(node, c_ast.ID) and given.get(node.name, node) is not None:
            return given.get(node.name, node)
        if isinstance(node, c_ast.BinaryOp):
            left, right = (self._put_in(each, given, depth) for each in (node.left, node.right))
            return c_ast.BinaryOp(node.op, left, right, node.coord)
        if isinstance(node, c_ast.UnaryOp) and node.op in _KEPT:
            return c_ast.UnaryOp(node.op, self._put_in(node.expr, given, depth), node.coord)
        if isinstance(node, c_ast.Constant):
            return node
        function = self._function(node) if isinstance(node, c_ast.FuncCall) and depth else None
        if function is not None and function.returned is not None:
            inside = self._put_in(function.returned, _given(function, node), depth - 1)
            return self._put_in(inside, given, 0)
        return c_ast.ID("")


def is_done_once(loop: Any) -> bool:
    """Whether a loop is there to make one statement of several: `do { ... } while (0)`."""
    never = isinstance(loop.cond, c_ast.Constant) and loop.cond.value in ("0", "false")
    jumps = c_ast.Break | c_ast.Continue
    return never and not any(isinstance(each, jumps) for each in nodes.walk(loop.stmt))


def _given(function: _Function, call: Any) -> Mapping[str, Any]:
    """What names of a function stand for in its caller; None for what only it knows."""
    passed = list(call.args.exprs) if call.args is not None else []
    names: dict[str, Any] = dict.fromkeys(function.parameters)
    names.update(zip(function.parameters, passed, strict=False))
    return {**names, **dict.fromkeys(function.own)}


def _changed(node: Any) -> Iterable[str]:
    if isinstance(node, c_ast.Assignment):
        return nodes.identifiers(node.lvalue)
    stepped = isinstance(node, c_ast.UnaryOp) and (node.op in STEPS or node.op == "&")
    return nodes.identifiers(node.expr) if stepped else ()


def _statements(body: Any) -> Iterator[Any]:
    """The statements of a body, those of blocks that are run once in their place."""
    for each in body.block_items or ():
        inner = each.stmt if isinstance(each, c_ast.DoWhile) and is_done_once(each) else each
        if isinstance(inner, c_ast.Compound):
            yield from _statements(inner)
        else:
            yield inner
