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
from ..lowering.model.scope import PointerPlace, Scope, ValuePlace
from ..lowering.program.callees import callee_name
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .changes import Changes
from .declarations import HostDeclarations
from .expressions import STEP_LIMIT
from .launch_makings import LaunchMakings
from .offloading import offloaded_places
from .settled import (
    decided_with,
    ends_of_cases,
    is_for_another_type,
    leave,
    settle,
)
from .state import differ, is_launch
from .values.checking_functions import CheckingFunctions, is_done_once
from .values.conditions import divisors, equal, equalities, limits, limits_by, ordered, stated_by
from .values.pointers import is_null
from .values.values import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...source.text import SourceText, Span
    from ..lowering.model.scope import Binding
    from ..lowering.program.program import Program
    from ..lowering.types.constant_arithmetic import Number
    from ..lowering.types.type_reader import TypeReader
    from .state import State
    from .values.values import HostValues

_MOST_IN_CASES = 20_000  # statements of one switch, each for every case that comes by it
_MOST_WAYS = 4  # of earlier decisions that what follows them is run for
_JUMPED_TO = (c_ast.Case, c_ast.Default, c_ast.Label)
#: The statements that may leave several states behind them.
_DECIDING = (
    *(c_ast.Compound, c_ast.If, c_ast.Switch, c_ast.Case, c_ast.Default),
    *(c_ast.Decl, c_ast.Assignment),
)


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
        self._ways: list[State] = []  # in which states the ways of the last decision ended
        self._makings = LaunchMakings()
        self._courses = 1  # how often what is run is run, for different ways of decisions
        self._offloaded_places: dict[SourceText, frozenset[int]] = {}
        self._discarded: set[int] = set()  # calls that are statements, by the id of their node
        self.ruled_out: set[Any] = set()  # launches on the way that a known number does not take

    @abstractmethod
    def _leads(self, body: Any) -> bool:
        """Whether a part of a function may launch."""

    @abstractmethod
    def _may_lead(self, name: str) -> bool:
        """Whether calling a name may lead to a launch."""

    @abstractmethod
    def _loop(self, init: Any, condition: Any, step: Any, body: Any, *, first: bool = True) -> Flow:
        """Runs a loop (`rounds.py`)."""

    @abstractmethod
    def _range_for(self, node: Any) -> Flow:
        """Runs a loop over all of something."""

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
        offloaded = self._is_offloaded(node.coord)
        self._offloaded += offloaded
        flow = self._run(node)
        self._offloaded -= offloaded
        if not isinstance(node, _DECIDING):
            self._ways = []
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
            case c_ast.Decl():
                self._declare(node)
                self._choose(node.name, node.init)
            case c_ast.Typedef() | nodes.TypeAlias():
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
                if isinstance(node, c_ast.Assignment) and node.op == "=":
                    self._choose(getattr(node.lvalue, "name", None), node.rvalue)
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

    def _block(self, items: Sequence[Any], *, scoped: bool = True) -> Flow:
        outer = self._scope
        if scoped:
            self._scope = Scope(outer)
        flow = Flow.ON
        for at, item in enumerate(items):
            if isinstance(item, c_ast.Label):
                self._forget(self._changing())
                flow = Flow.ON
            if flow is Flow.ON:
                self._ways = []
                flow = self._statement(item)
                if flow is Flow.ON and self._is_run_apart(items, at):
                    flow = self._apart(items[at + 1 :])
                    break
        if scoped:
            self._leave(self._scope)
        self._scope = outer
        return flow

    def _choose(self, name: Any, value: Any) -> None:
        """What `threads = n < 1000 ? 128 : 256` leaves: a state for each choice of numbers."""
        self._ways = []
        held_now = self._scope.find(name) if isinstance(name, str) else None
        if isinstance(value, c_ast.TernaryOp) and type(held_now) is ValuePlace:
            before, ways = self._state(), []
            for number in self._chosen(value):
                if isinstance(number, int):
                    self._assign(name, held(number, held_now.type))
                    ways.append(self._state())
                else:
                    ways.clear()
                    break
            self._restore(before)
            self._ways = ways

    def _chosen(self, node: Any) -> Iterator[Number | None]:
        """The numbers that an expression may be, each in the state that its conditions leave."""
        if not isinstance(node, c_ast.TernaryOp):
            yield self._number(node)
            return
        before, decided = self._state(), self._truth(node.cond)
        for holds, way in ((True, node.iftrue), (False, node.iffalse)):
            if decided is not (not holds):
                self._restore(before)
                dividing = divisors(node.cond, self._number, holds=holds)
                self._hold(dividing, limits(node.cond, self._number, holds=holds))
                yield from self._chosen(way)

    def _is_run_apart(self, items: Sequence[Any], at: int) -> bool:
        """Whether what follows a decision is run for each of its ways: they leave different numbers
        in what a launch there is made of.
        """
        if not 1 < len(self._ways) <= _MOST_WAYS // self._courses:
            return False
        return differ(self._ways, self._makings.after(items, at))

    def _apart(self, items: Sequence[Any]) -> Flow:
        """What follows a decision, once for each state in which its ways left."""
        ways = self._ways
        ends: list[tuple[Flow, State]] = []
        self._undecided += 1
        self._courses *= len(ways)
        for way in ways:
            self._restore(way)
            ends.append((self._block(items, scoped=False), self._state()))
        self._courses //= len(ways)
        self._undecided -= 1
        self._ways = []
        return self._join(ends)

    def _join(self, ends: list[tuple[Flow, State]]) -> Flow:
        """What all ways that go on agree on holds behind them."""
        left = [end for end in ends if end[0] is not Flow.RETURN]
        if not left:
            return Flow.RETURN
        self._restore(left[0][1])
        for _, state in left[1:]:
            self._merge(state)
        flows = {flow for flow, _ in left}
        if len(flows) == 1:
            return flows.pop()
        self._frames[-1].loose = True
        return Flow.ON

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
        apart: list[State] = []
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
            self._ways = []
            flow = self._block(way, scoped=False)
            self._undecided -= 1
            leave(settled)
            kept = {name for name in kept if self._scope.find(name) is unknown[name]}
            ends.append((flow, self._state()))
            if flow is not Flow.RETURN:
                apart += self._ways if self._ways and not settled else [ends[-1][1]]
        if any(flow is Flow.RETURN for flow, _ in ends):
            kept = set()
        flow = self._join(ends)
        known_again = {name: compared[name] for name in kept}
        for name, binding in known_again.items():
            self._assign(name, binding)
        loose = flow is Flow.RETURN or excluded is not None or len(apart) > _MOST_WAYS
        self._ways = [] if loose else [self._replaced(way, known_again) for way in apart]
        return flow

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
        inner = (each for item in items for each in nodes.walk(item) if each is not item)
        if any(isinstance(each, _JUMPED_TO) for each in inner):
            self._ways = []
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
