"""The rounds of a loop of host code, run one after the other while its condition is known.

In: a loop, and the state it is met in. Out: the state behind it; nothing where its course is not
known or is longer than `ROUND_LIMIT`: then it is as it was before, and the caller runs the loop
once with what it changes not known. Of such a loop no more rounds are run than differ: where all
variables but the counter hold what they held a round ago, and the body does not speak of the
counter, the next rounds would do the same again.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from ..lowering.model import ctypes
from ..lowering.model.scope import KnownParts, LambdaValue, PointerPlace, Scope
from ..lowering.program.callees import library_name
from ..lowering.program.member_paths import member_path
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .callees import called_name
from .expressions import STEP_LIMIT
from .state import held_by, is_launch
from .statements import Flow, HostStatements
from .values.conditions import steps_within
from .values.values import held, not_known

if TYPE_CHECKING:
    from ..lowering.types.constant_arithmetic import Number
    from .changes import Repeated

ROUND_LIMIT = 64  # of one loop


class HostRounds(HostStatements):
    """Runs the loops of host code round by round."""

    @abstractmethod
    def _is_runtime(self, name: str) -> bool:
        """Whether a call is one of the runtime or of the C library."""

    def _loop(self, init: Any, condition: Any, step: Any, body: Any, *, first: bool = True) -> Flow:
        outer, frame = self._scope, self._frames[-1]
        self._scope = Scope(outer)
        was_loose, frame.loose = frame.loose, False
        self._statement(init)
        self._loops.append(body.coord)
        leads = self._leads(body)
        repeated = self.changes.of_loop(condition, step, body)
        changed = repeated.assigned
        counted = leads or not changed <= self._scope.names.keys()
        flow = self._iterations(condition, step, body, first=first) if counted else None
        lost = changed - self._written_through(repeated)
        if flow is None or frame.loose:
            self._forget(lost)
            self._forget_objects(repeated)
        if flow is None and (leads or self._touches(condition, body)):
            self._visit(condition if first else None)
            before = self._limited(condition) if first else {}
            self._statement(body)
            self._unlimited(before)
            self._visit(None if first else condition)
            self._visit(step)
            self._forget(lost)
            self._forget_objects(repeated)
        self._loops.pop()
        frame.loose = was_loose
        self._scope = outer
        return Flow.RETURN if flow is Flow.RETURN else Flow.ON

    def _written_through(self, repeated: Repeated) -> set[str]:
        """The pointers that are only written through: they lead to where they did."""
        found = repeated.assigned - repeated.reassigned
        pointers = {name for name in found if isinstance(self._scope.find(name), PointerPlace)}
        led: dict[str, list[bool]] = {}
        for target in repeated.targets:
            path = member_path(target.name) if isinstance(target, c_ast.ArrayRef) else ""
            through = isinstance(self._scope.find(path), PointerPlace)
            led.setdefault(path.partition(".")[0] if through else _owner(target), []).append(
                through
            )
        return pointers | {name for name in found if all(led.get(name, [False]))}

    def _leads(self, body: Any) -> bool:
        """Whether a loop's body may launch; what only fills arrays is not run round by round."""
        if id(body) not in self._leading:
            self._leading[id(body)] = any(
                is_launch(node)
                or (isinstance(node, c_ast.FuncCall) and self._may_lead(called_name(node)))
                for node in nodes.walk(body)
            )
        return self._leading[id(body)]

    def _touches(self, *parts: Any) -> bool:
        """Whether parts of a loop may do something to memory of known origin, or wait for it."""
        visible = (binding for scope in self._scope.outwards() for binding in scope.names.values())
        if not any(isinstance(binding, PointerPlace) for binding in visible):
            return False
        return any(
            isinstance(node, c_ast.FuncCall | c_ast.ArrayRef | c_ast.UnaryOp | nodes.Delete)
            for part in parts
            if part is not None
            for node in nodes.walk(part)
        )

    def _range_for(self, node: Any) -> Flow:
        name = getattr(node.declaration, "name", None) or ""
        items: list[Number | None] = [None]
        known = self._scope.find(getattr(node.range, "name", None) or "")
        if isinstance(known, KnownParts):
            items = list(known.parts.values())
        elif isinstance(node.range, c_ast.InitList):
            items = [self._number(item) for item in node.range.exprs or ()]
        outer = self._scope
        for value in items[:ROUND_LIMIT]:
            self._scope = Scope(outer)
            binding = not_known(name) if value is None else held(value, ctypes.unknown("auto"))
            self._scope.names[name] = binding
            self._loops.append(node.body.coord)
            flow = self._statement(node.body)
            self._loops.pop()
            self._scope = outer
            if flow in (Flow.BREAK, Flow.RETURN):
                return Flow.ON if flow is Flow.BREAK else flow
        return Flow.ON

    def _iterations(self, condition: Any, step: Any, body: Any, *, first: bool) -> Flow | None:
        """The rounds of a loop; one that does no more than compute, and makes more of them than are
        run, is not begun.
        """
        counter = self._counter_of(condition, step, body)
        repeated = self.changes.of_loop(condition, step, body)
        alike = bool(counter) and self._only_computes(counter, repeated)
        if alike and not self._leads(body) and self._touches(body):
            return None
        ends_alike = bool(counter) and not self._speaks_of(counter, body)
        before = self._state()
        last: object = None
        for number in range(ROUND_LIMIT):
            if first or number:
                decided = True if condition is None else self._truth(condition)
                if decided is None:
                    break
                if not decided:
                    return Flow.ON
            flow = self._statement(body)
            if flow in (Flow.BREAK, Flow.RETURN):
                return flow
            self._visit(step)
            if self._steps > STEP_LIMIT:
                break
            if ends_alike:
                earlier, last = last, held_by(self._scope, counter)
                if last == earlier:
                    break
        self._restore(before)
        return None

    def _speaks_of(self, counter: str, body: Any) -> bool:
        """Whether what a loop does may rest on its counter, be it in a lambda that it calls."""
        visible = (self._scope.find(name) for name in self._visible())
        return any(isinstance(each, LambdaValue) for each in visible) or any(
            isinstance(node, nodes.Opaque | nodes.Lambda) or _is_named(node, counter)
            for node in nodes.walk(body)
        )

    def _counter_of(self, condition: Any, step: Any, body: Any) -> str:
        """The counter of a loop that makes more rounds than are run, whatever they do; else ""."""
        counted = steps_within(condition, step, self._number)
        if counted is None or counted[1] <= ROUND_LIMIT:
            return ""
        assigned = self.changes.of_loop(condition, step, body).assigned
        read = [condition.right, *([step.rvalue] if isinstance(step, c_ast.Assignment) else [])]
        fixed = assigned.isdisjoint(name for each in read for name in nodes.identifiers(each))
        return counted[0] if fixed else ""

    def _only_computes(self, counter: str, repeated: Repeated) -> bool:
        """Whether all that a loop does beside counting it does in any round as in others."""
        if not repeated.plain or sum(_is_named(each, counter) for each in repeated.targets) != 1:
            return False
        changed = (each for each in repeated.targets if not isinstance(each, c_ast.ArrayRef))
        paths = (x.name if isinstance(x, c_ast.ID) else member_path(x) for x in changed)
        if any(isinstance(self._scope.find(each), PointerPlace) for each in paths):
            return False
        called = {library_name(each.name) for each in repeated.calls}
        return not any(self._is_runtime(each) or self._ends(each) for each in called)


def _is_named(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def _owner(target: Any) -> str:
    """The variable that an assignment changes, or a part of it."""
    while isinstance(target, c_ast.StructRef | c_ast.ArrayRef):
        target = target.name
    return getattr(target, "name", None) or ""
