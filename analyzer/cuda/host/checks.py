"""Launches, and calls of the runtime, after which nobody asks whether they failed.

In: the functions of a file. Out: the launches that are followed by something that may see their
error: `cudaGetLastError()`, any call of the runtime whose result is used, a function of the file
that does so, a function that is not seen at all. So is a launch in a function after which a caller
looks. The error of a call whose result is thrown away is only seen by `cudaGetLastError()` after
it, in the same function or in one that is called there. A function with its body in another file
that is given nothing but constants, `check("after copying")`, may be for just that. Order is that
of the statements. Not
handled: a check at the top of a loop, or in the condition of a `do`, for the launch in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..lowering.program.callees import callee_name
from ..names.conventions import ENDING
from ..names.host_memory import PLAIN_FUNCTIONS, TELLING, takes_values
from ..names.runtime import is_of_runtime
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .state import is_launch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..lowering.program.program import Program

_PLACES = frozenset({"__FILE__", "__LINE__", "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"})
_ASKING = frozenset({"cudaGetLastError", "cudaPeekAtLastError"})


class LaunchChecks:
    """Which launches in the host code of a file are checked for errors."""

    def __init__(
        self, functions: Iterable[nodes.Function], program: Program, *, all_seen: bool
    ) -> None:
        self._program = program
        self._all_seen = all_seen  # whether every header was found
        self._functions = [each for each in functions if each.body is not None]
        self._steps: dict[int, list[Any]] = {}  # by the id of a function
        self._discarded: set[int] = set()  # calls that are statements, by the id of their node
        for each in self._functions:
            every = list(nodes.walk(each.body))
            self._steps[id(each)] = _steps(every)
            self._discarded.update(id(part) for node in every for part in _statements(node))
        self._asking: set[str] = set()  # functions that ask for an error
        self._grow(self._asking, self._asks)
        self._telling: set[str] = set()  # functions that look at the last error
        self._grow(self._telling, self._tells)

    def checked(self) -> set[int]:
        """The ids of the nodes of launches and of thrown away calls that are checked."""
        return self._checked_launches() | self._checked_calls()

    def _checked_calls(self) -> set[int]:
        found: set[int] = set()
        for function in self._functions:
            told = False
            for node in reversed(self._steps[id(function)]):
                if is_launch(node):
                    continue
                if told and id(node) in self._discarded:
                    found.add(id(node))
                told = told or self._tells(node)
        return found

    def _tells(self, call: Any) -> bool:
        """Whether a call gives the error of any call before it to somebody who looks at it."""
        name = callee_name(call.name)
        if name in _ASKING:
            return id(call) not in self._discarded
        return name in self._telling or self._may_look(call)

    def _checked_launches(self) -> set[int]:
        watched = self._watched_functions()
        found: set[int] = set()
        for function in self._functions:
            asked = function.decl.name in watched
            for node in reversed(self._steps[id(function)]):
                if is_launch(node):
                    if asked:
                        found.add(id(node))
                else:
                    asked = asked or self._asks(node)
        return found

    def _grow(self, found: set[str], does: Callable[[Any], bool]) -> None:
        """Adds the functions of the file with a call that does something, by itself or because it
        is of one that was found.
        """
        while True:
            more = {
                function.decl.name
                for function in self._functions
                if function.decl.name not in found
                and any(not is_launch(node) and does(node) for node in self._steps[id(function)])
            }
            if not more:
                return
            found |= more

    def _watched_functions(self) -> set[str]:
        """The functions after some call of which an error is asked for."""
        watched: set[str] = set()
        grown = True
        while grown:
            grown = False
            for function in self._functions:
                asked = function.decl.name in watched
                for node in reversed(self._steps[id(function)]):
                    name = "" if is_launch(node) else callee_name(node.name)
                    if asked and name and name not in watched and name in self._program.functions:
                        watched.add(name)
                        grown = True
                    asked = asked or (not is_launch(node) and self._asks(node))
        return watched

    def _asks(self, call: Any) -> bool:
        """Whether a call may see the error of a launch before it."""
        name = callee_name(call.name)
        if name in self._asking:
            return True
        if self._program.is_defined(name):
            return False
        if name in _ASKING or is_of_runtime(name):
            return id(call) not in self._discarded
        seen = self._all_seen or name in PLAIN_FUNCTIONS or is_standard(call.name)
        unseen = not seen and not isinstance(call.name, c_ast.StructRef)
        return unseen or self._may_look(call)

    def _may_look(self, call: Any) -> bool:
        """Whether a call may be there to look for errors: its function stands in another file, and
        it is given nothing to work on, and gives nothing back.
        """
        name = callee_name(call.name)
        given = call.args.exprs if call.args is not None else ()
        return (
            isinstance(call.name, c_ast.ID)
            and id(call) in self._discarded
            and all(map(_is_constant, given))
            and not (self._program.is_defined(name) or is_of_runtime(name))
            and not takes_values(name, ())
        )


def _is_constant(node: Any) -> bool:
    """Whether an argument is written out, or says where it stands."""
    return isinstance(node, c_ast.Constant) or getattr(node, "name", None) in _PLACES


def _steps(every: Iterable[Any]) -> list[Any]:
    """The launches and calls among the nodes of a body, in the order of the statements. Their
    places say less: what a macro is given stands behind what the macro itself says.
    """
    found = [node for node in every if isinstance(node, nodes.Launch | c_ast.FuncCall)]
    return [node for node in found if node.coord is not None]


def _statements(node: Any) -> Iterator[Any]:
    """The statements that a node is made of."""
    match node:
        case c_ast.Compound():
            yield from node.block_items or ()
        case c_ast.If():
            yield from (node.iftrue, node.iffalse)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            yield node.stmt
        case c_ast.Case() | c_ast.Default():
            yield from node.stmts or ()


#: What such a function may be made of, beside calls.
_TALKING = (
    *(c_ast.Compound, c_ast.If, c_ast.EmptyStatement, c_ast.ExprList, c_ast.BinaryOp, c_ast.ID),
    *(c_ast.Constant, c_ast.TernaryOp),
)


def only_tells(function: nodes.Function, program: Program) -> bool:
    """Whether a host function looks at numbers, prints what it finds and may end the program, no
    more: `check(error, __FILE__, __LINE__)`. Whoever calls it goes on as before.
    """
    for node in nodes.walk(function.body):
        if isinstance(node, c_ast.FuncCall):
            name = node.name.name if isinstance(node.name, c_ast.ID) else ""
            tells = name in TELLING or ENDING.fullmatch(name) is not None
            if not tells or program.is_defined(name):
                return False
        elif not isinstance(node, _TALKING) or (
            isinstance(node, c_ast.BinaryOp) and node.op in ("<<", ">>")
        ):
            return False
    return True


def is_standard(node: Any) -> bool:
    """Whether a call in host code names a function of namespace `std`."""
    parts = list(node.parts) if isinstance(node, nodes.QualifiedName) else []
    return bool(parts) and getattr(parts[0], "name", "") == "std"
