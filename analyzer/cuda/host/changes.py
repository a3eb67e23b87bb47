"""What host code changes, as its text says: the variables it assigns, and whose address it takes.

In: statements and expressions. Out: names. The body of a function is walked once for itself and for
all lambdas in it: `BOOL_SWITCH` and its like write hundreds of them into each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..lowering.program.callees import callee_name
from ..names.host_memory import FILLERS, FINDERS, GIVERS
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .call_effects import is_written
from .state import CONFIGURED, LAUNCHING
from .values.conditions import STEPS
from .values.kernels import uncast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Changed(NamedTuple):
    """The variables of host code that a body may change."""

    escaped: frozenset[str]  # their address is taken, or a reference is bound to them
    assigned: frozenset[str]
    addressed: frozenset[str]  # their address is taken, be it only for a call of the runtime
    called_on: frozenset[str]  # a method is called on them, or on a part of them


class Repeated(NamedTuple):
    """The variables that a loop of host code assigns or steps: themselves or a part of what they
    lead to, and themselves; and what stands where it does. The calls in it, and whether nothing but
    its condition may end it, or hand what it does to others.
    """

    assigned: frozenset[str]
    reassigned: frozenset[str]
    targets: tuple[Any, ...]
    calls: tuple[Any, ...]
    plain: bool


class Changes:
    """What the bodies of functions and loops in host code change, found once for each."""

    def __init__(self) -> None:
        self._known: dict[int, Changed] = {}  # by the id of a body
        self._loops: dict[int, Repeated] = {}  # likewise

    def of(self, body: Any) -> Changed:
        """What the body of a function or lambda changes, with the lambdas in it."""
        if id(body) not in self._known:
            self._read(body)
        return self._known[id(body)]

    def of_loop(self, condition: Any, step: Any, body: Any) -> Repeated:
        """What a loop changes; the loop is known by its body."""
        if id(body) not in self._loops:
            parts = [part for part in (condition, step, body) if part is not None]
            inside = [node for part in parts for node in nodes.walk(part)]
            targets = tuple(_targets(inside))
            self._loops[id(body)] = Repeated(
                frozenset(name for each in targets for name in _variable(each)),
                frozenset(each.name for each in targets if isinstance(each, c_ast.ID)),
                targets,
                tuple(node for node in inside if isinstance(node, c_ast.FuncCall)),
                not any(isinstance(node, _PARTING) for node in inside),
            )
        return self._loops[id(body)]

    def _read(self, body: Any) -> None:
        """Walk a body, and note which of the nodes that matter stand in which lambda."""
        telling: list[Any] = []
        bodies = {id(body)}
        work: list[Any] = [body]
        while work:
            node = work.pop()
            if isinstance(node, _End):
                inside = telling[node.start :]
                addresses = (each.expr for each in inside if _is_address(each))
                self._known[id(node.body)] = Changed(
                    frozenset(_escaped(inside, node.body)),
                    frozenset(_assigned(inside)),
                    frozenset(name for each in addresses for name in _variable(each)),
                    frozenset(name for each in inside for name in _called_on(each)),
                )
                continue
            if isinstance(node, nodes.Lambda):
                bodies.add(id(node.body))
            elif isinstance(node, _TELLING):
                telling.append(node)
            if id(node) in bodies:
                work.append(_End(node, len(telling)))
            work += reversed(list(node))


class _End(NamedTuple):
    """Where the walk leaves a body, and what it had found before that."""

    body: Any
    start: int


_PARTING = (
    *(c_ast.Break, c_ast.Return, c_ast.Goto, c_ast.Label, nodes.Throw, nodes.Try),
    *(nodes.Lambda, nodes.Opaque, nodes.New, nodes.Delete),
)
_TELLING = (c_ast.Assignment, c_ast.UnaryOp, c_ast.FuncCall, c_ast.Decl)


def assigned(parts: Iterable[Any]) -> Iterator[str]:
    """Names of host variables that are assigned, stepped, or have a part assigned."""
    return _assigned(node for part in parts if part is not None for node in nodes.walk(part))


def _assigned(every: Iterable[Any]) -> Iterator[str]:
    for target in _targets(every):
        yield from _variable(target)


def _targets(every: Iterable[Any]) -> Iterator[Any]:
    for node in every:
        if isinstance(node, c_ast.Assignment):
            yield node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in STEPS:
            yield node.expr
        elif isinstance(node, c_ast.FuncCall):
            yield from filled(node)


def filled(call: Any) -> Iterator[Any]:
    """The variables that a library writes, and then leaves alone: `scanf("%d", &n)`."""
    written = FILLERS.get(callee_name(call.name)) if call.args is not None else None
    if written is not None:
        yield from (each.expr for each in _whole(call.args.exprs[written]))


def _whole(given: Iterable[Any]) -> Iterator[Any]:
    """The addresses of variables, not of their parts."""
    for node in map(uncast, given):
        if _is_address(node) and isinstance(node.expr, c_ast.ID):
            yield node


def _escaped(telling: Sequence[Any], body: Any) -> Iterator[str]:
    """Variables that references are bound to or whose address is taken; a launch only reads its
    configuration and arguments.
    """
    for node in telling:
        if isinstance(node, c_ast.Decl) and node.init is not None and is_written(node):
            yield from _variable(node.init)
    addresses = [each for each in telling if _is_address(each)]
    if not addresses:
        return
    read: set[int] = set()
    for node in telling:
        if not isinstance(node, c_ast.FuncCall) or not node.args:
            continue
        name, first = callee_name(node.name), node.args.exprs[0]
        if name in CONFIGURED:
            read.add(id(first))
        elif name in FINDERS or (name in GIVERS and GIVERS[name].pointer == 0):
            read |= {id(each) for each in nodes.walk(first)}
        elif name in FILLERS:
            read |= {id(each) for each in _whole(node.args.exprs)}
    read |= {id(address) for address in _passed(telling, body)}
    for node in addresses:
        if id(node) not in read:
            yield from _variable(node.expr)


def _called_on(node: Any) -> Iterator[str]:
    if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.StructRef):
        yield from _variable(node.name.name)


def _is_address(node: Any) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "&"


def _variable(target: Any) -> Iterator[str]:
    """The variable that an expression names, itself or a part of it; nothing for any other."""
    while isinstance(target, c_ast.StructRef | c_ast.ArrayRef):
        target = target.name
    if isinstance(target, c_ast.ID):
        yield target.name


def _passed(telling: Iterable[Any], body: Any) -> Iterator[Any]:
    """The addresses in `void *arguments[] = {&n, &p};` that only launches get to see."""
    tables: dict[str, list[Any]] = {}
    launched: list[Any] = []
    for node in telling:
        if isinstance(node, c_ast.Decl) and isinstance(node.init, c_ast.InitList) and node.name:
            tables.setdefault(node.name, []).extend(node.init.exprs or ())
        if isinstance(node, c_ast.FuncCall) and callee_name(node.name) in LAUNCHING and node.args:
            launched += node.args.exprs
    if not tables:
        return
    used: dict[str, int] = {}
    for every, sign in ((nodes.walk(body), 1), (launched, -1)):
        for node in every:
            if isinstance(node, c_ast.ID):
                used[node.name] = used.get(node.name, 0) + sign
    for name, parts in tables.items():
        if not used.get(name):
            yield from map(uncast, parts)
