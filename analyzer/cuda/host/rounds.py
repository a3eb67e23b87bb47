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

from ..lowering.model.scope import LambdaValue, PointerPlace
from ..lowering.program.callees import library_name
from ..lowering.program.member_paths import member_path
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .expressions import STEP_LIMIT
from .state import held_by
from .statements import ROUND_LIMIT, Flow, HostStatements
from .values.conditions import steps_within

if TYPE_CHECKING:
    from .changes import Repeated


class HostRounds(HostStatements):
    """Runs the loops of host code round by round."""

    @abstractmethod
    def _is_runtime(self, name: str) -> bool:
        """Whether a call is one of the runtime or of the C library."""

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
