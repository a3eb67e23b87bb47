"""The statements of host code, run as far as they are known.

In: statements, and the state they are met in. Out: the state behind them; launches and calls are
handed to the subclass. Where a condition is not known both ways are taken and what they leave
different is not known afterwards. Loops are run round by round (`rounds.py`) if their end is known,
else once with what they assign not known. Expressions are read by `expressions.py`.
Not handled: exceptions.
"""

from __future__ import annotations

from abc import abstractmethod
from enum import Enum
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ...ir.host_formulas import variables_of
from ...source.tokens import words_of
from ..lowering.model import ctypes
from ..lowering.model.scope import KnownParts, PointerPlace, Scope
from ..lowering.program.callees import callee_name
from ..lowering.program.member_paths import member_path
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .callees import called_name
from .changes import Changes
from .declarations import HostDeclarations
from .expressions import STEP_LIMIT
from .offloading import offloaded_places
from .settled import (
    decided_with,
    ends_of_cases,
    is_for_another_type,
    leave,
    settle,
)
from .state import is_launch
from .values.checking_functions import CheckingFunctions, is_done_once
from .values.conditions import divisors, equal, equalities, limits, limits_by, ordered, stated_by
from .values.pointers import is_null
from .values.values import HostValues, held, not_known

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...source.text import SourceText, Span
    from ..lowering.model.scope import Binding
    from ..lowering.program.program import Program
    from ..lowering.types.constant_arithmetic import Number
    from ..lowering.types.type_reader import TypeReader
    from .changes import Repeated
    from .state import State

ROUND_LIMIT = 64  # of one loop
_MOST_IN_CASES = 20_000  # statements of one switch, each for every case that comes by it


class Flow(Enum):
    """How a statement of host code ends."""

    ON = "on"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


class HostStatements(HostDeclarations):
    """Runs the statements of host code."""

    def __init__(self, program: Program, reader: TypeReader, values: HostValues) -> None:
        super().__init__(program, reader, values)
        self._leading: dict[int, bool] = {}  # whether a loop leads to a launch, by its id
        self.changes = Changes()
        self._checking = CheckingFunctions(program)
        self._loops: list[Span] = []  # around what is run, the innermost last: their bodies
        self._offloaded = 0  # statements around what is run that a device runs
        self._undecided = 0  # conditions around what is run, both ways of which are taken
        self._offloaded_places: dict[SourceText, frozenset[int]] = {}
        self._discarded: set[int] = set()  # calls that are statements, by the id of their node
        self.ruled_out: set[Any] = set()  # launches on the way that a known number does not take

    @abstractmethod
    def _may_lead(self, name: str) -> bool:
        """Whether calling a name may lead to a launch."""

    @property
    def is_conditional(self) -> bool:
        """Whether what is run stands on one way behind a condition that nothing decides."""
        return self._undecided > 0

    def _tick(self) -> bool:
        """Whether the budget is used up; then nothing is decided and no loop is run round by
        round."""
        self._steps += 1
        return self._steps > STEP_LIMIT * 2

    def _statement(self, node: Any) -> Flow:
        if node is None or self._tick():
            return Flow.ON
        if not self._is_offloaded(node.coord):
            return self._run(node)
        self._offloaded += 1
        flow = self._run(node)
        self._offloaded -= 1
        return flow

    def _is_offloaded(self, place: Span | None) -> bool:
        if place is None:
            return False
        found = self._offloaded_places.get(place.source)
        if found is None:
            found = self._offloaded_places[place.source] = offloaded_places(place.source.text)
        return place.start in found

    def _run(self, node: Any) -> Flow:
        match node:
            case c_ast.Compound():
                return self._block(node.block_items or ())
            case c_ast.Decl() | c_ast.Typedef() | nodes.TypeAlias():
                self._declare(node)
            case c_ast.DeclList():
                for item in node.decls:
                    self._declare(item)
            case c_ast.If():
                return self._if(node)
            case c_ast.For():
                return self._loop(node.init, node.cond, node.next, node.stmt)
            case c_ast.While():
                return self._loop(None, node.cond, None, node.stmt)
            case c_ast.DoWhile() if is_done_once(node):
                return self._statement(node.stmt)
            case c_ast.DoWhile():
                return self._loop(None, node.cond, None, node.stmt, first=False)
            case nodes.RangeFor():
                return self._range_for(node)
            case c_ast.Switch():
                return self._switch(node)
            case c_ast.Case() | c_ast.Default():
                return self._block(node.stmts or (), scoped=False)
            case c_ast.Label():
                return self._statement(node.stmt)
            case c_ast.Return():
                self._visit(node.expr)
                self._frames[-1].returned.append(self._number(node.expr))
                if not is_null(node.expr):
                    pointer = self._values.pointers.of(node.expr, self._scope)
                    self._frames[-1].pointers.append(pointer)
                self._frames[-1].leave_by(node.expr)
                return Flow.RETURN
            case c_ast.Break():
                return Flow.BREAK
            case c_ast.Continue():
                return Flow.CONTINUE
            case nodes.Try():
                return self._statement(node.body)
            case nodes.Opaque():
                self._forget(self._visible() & words_of(node.text))
            case c_ast.FuncCall() if self._ends(callee_name(node.name)):
                return Flow.RETURN
            case nodes.Throw() | c_ast.Goto():
                return Flow.RETURN
            case _:
                self._discarded.add(id(node))
                self._visit(node)
                if isinstance(node, c_ast.FuncCall):
                    self._hold_after(node)
        return Flow.ON

    def _ends(self, name: str) -> bool:
        """Whether the program ends in a function."""
        return self._checking.ends_program(name)

    def _hold_after(self, call: Any) -> None:
        """A call has come back: what it checks of variables holds."""
        if not self._program.is_defined(callee_name(call.name)):
            self._hold(stated_by(call, self._number), limits_by(call, self._number))
        for condition, holds in self._checking.holding_after(call):
            dividing = divisors(condition, self._number, holds=holds)
            self._hold(dividing, limits(condition, self._number, holds=holds))

    def _block(self, items: Iterable[Any], *, scoped: bool = True) -> Flow:
        outer = self._scope
        if scoped:
            self._scope = Scope(outer)
        flow = Flow.ON
        for item in items:
            if isinstance(item, c_ast.Label):
                self._forget(self._changing())
                flow = Flow.ON
            if flow is Flow.ON:
                flow = self._statement(item)
        if scoped:
            self._leave(self._scope)
        self._scope = outer
        return flow

    def _changing(self) -> set[str]:
        """The variables that may hold something else where a jump leads to a label."""
        frame, found = self._frames[-1], set[str]()
        for name in self._visible():
            held = self._scope.find(name)
            if isinstance(held, PointerPlace) or frame.may_change(name):
                found.add(name)
        return found

    def _leave(self, scope: Scope) -> None:
        """Control leaves a block: the variables of its scope end."""

    def _if(self, node: Any) -> Flow:
        condition = node.cond
        outer = self._scope
        if isinstance(condition, nodes.ConditionDeclaration):
            self._scope = Scope(outer)
            self._statement(condition.declaration)
            condition = condition.condition
        decided = self._truth(condition)
        if decided is not None:
            taken, other = node.iftrue, node.iffalse
            if not decided:
                taken, other = other, taken
            if other is not None and self._leads(other):
                self.ruled_out.update(filter(is_launch, nodes.walk(other)))
            flow = self._statement(taken)
        else:
            known = self._number(condition)  # where every branch is taken, whatever holds
            excluded = None if known is None else int(bool(known))
            flow = self._either([[node.iftrue], [node.iffalse]], condition, excluded=excluded)
        self._scope = outer
        return flow

    def _either(
        self,
        ways: list[list[Any]],
        condition: Any = None,
        cases: Sequence[Iterable[tuple[str, int]]] = (),
        excluded: int | None = None,
    ) -> Flow:
        """Every way from the same state; afterwards what all that go on agree on.

        The first way is that of a condition that holds. What variables hold in the `cases` of a
        switch is forgotten behind it. On a way that is `excluded` by what variables hold, they hold
        something else. What an open condition compares by size is not known on either way, nor
        behind one that leaves the function: control may not come there with the number it holds.
        """
        self._doubt_sides(condition)
        condition = self._checking.written_out(condition)
        before = self._state()
        ends: list[tuple[Flow, State]] = []
        compared = self._compared(condition) if excluded is None else {}
        kept = set(compared)
        for number, way in enumerate(ways):
            self._restore(before)
            if number == excluded:
                self._forget(decided_with(self._frames[-1], condition))
            self._forget(compared)
            unknown = {name: self._scope.find(name) for name in compared}
            holds = way is ways[0]
            dividing = divisors(condition, self._number, holds=holds)
            self._hold(dividing, limits(condition, self._number, holds=holds))
            known = cases[number] if number < len(cases) else ()
            holding = [*known, *equalities(condition, self._number, holds=holds)]
            if is_for_another_type(self._frames[-1], holding):
                continue
            settled = settle(self._frames, self._scope, holding, self._bind)
            self._undecided += 1
            flow = self._block(way, scoped=False)
            self._undecided -= 1
            leave(settled)
            kept = {name for name in kept if self._scope.find(name) is unknown[name]}
            ends.append((flow, self._state()))
        left = [end for end in ends if end[0] is not Flow.RETURN]
        if not left:
            return Flow.RETURN
        self._restore(left[0][1])
        for _, state in left[1:]:
            self._merge(state)
        for name in kept if len(left) == len(ends) else ():
            self._assign(name, compared[name])
        flows = {flow for flow, _ in left}
        if len(flows) == 1:
            return flows.pop()
        self._frames[-1].loose = True
        return Flow.ON

    @abstractmethod
    def _doubt_sides(self, condition: Any) -> None:
        """Both ways behind a condition are taken, which may be for pointers of either side."""

    def _compared(self, condition: Any) -> dict[str, Binding]:
        """The variables with numbers that a condition compares by size with what is neither a
        number nor free: whoever chooses a free variable decides whether control comes there.
        """
        found: dict[str, Binding] = {}
        for sides in ordered(condition) if condition is not None else ():
            if any(map(self._is_free, sides)):
                continue
            for name in (each for side in sides for each in nodes.identifiers(side)):
                binding = self._scope.find(name)
                if binding is not None and self._number(c_ast.ID(name)) is not None:
                    found[name] = binding
        return found

    def _is_free(self, node: Any) -> bool:
        """Whether an expression is a formula of variables of the function, parameters included, to
        which nobody has given a number.
        """
        if any(isinstance(each, c_ast.StructRef | c_ast.FuncCall) for each in nodes.walk(node)):
            return False
        outermost = self._frames[-1].outermost
        own = takewhile(lambda each: each is not outermost, self._scope.outwards())
        known = outermost.names.keys() | {name for each in own for name in each.names}
        if not known.issuperset(nodes.identifiers(node)):
            return False
        formula = self._values.formulas.of(node, self._scope)
        return formula is not None and any(True for _ in variables_of(formula))

    def _switch(self, node: Any) -> Flow:
        self._visit(node.cond)
        items = list(getattr(node.stmt, "block_items", None) or ())
        cases = [i for i, item in enumerate(items) if isinstance(item, c_ast.Case)]
        defaults = [i for i, item in enumerate(items) if isinstance(item, c_ast.Default)]
        selector = self._number(node.cond)
        if selector is not None:
            same = [i for i in cases if self._number(items[i].expr) == selector]
            starts = (same or defaults)[:1]
        else:
            starts = [*cases, *defaults]
        ends = ends_of_cases(items)
        if sum(ends[start] - start for start in starts) > _MOST_IN_CASES:
            return self._jumped_into(items)
        ways = [items[start : ends[start]] for start in starts]
        held_there: list[list[tuple[str, int]]] = []
        if selector is None:
            held_there = [list(equal(node.cond, items[i].expr, self._number)) for i in cases]
            if not defaults:
                ways.append([])
        flow = self._either(ways, cases=held_there) if ways else Flow.ON
        return Flow.ON if flow is Flow.BREAK else flow

    def _jumped_into(self, items: list[Any]) -> Flow:
        """A switch of very many cases that fall through to each other: every one is like a label
        that anybody may jump to.
        """
        flow = Flow.ON
        for item in items:
            if isinstance(item, c_ast.Case | c_ast.Default):
                self._forget(self._changing())
                flow = Flow.ON
            if flow is Flow.ON:
                flow = self._statement(item)
        self._forget(self._changing())
        return Flow.ON

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

    @abstractmethod
    def _iterations(self, condition: Any, step: Any, body: Any, *, first: bool) -> Flow | None:
        """The rounds of a loop; None when its course is not known or too long."""

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


def _owner(target: Any) -> str:
    """The variable that an assignment changes, or a part of it."""
    while isinstance(target, c_ast.StructRef | c_ast.ArrayRef):
        target = target.name
    return getattr(target, "name", None) or ""
