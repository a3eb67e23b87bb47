"""What variables hold behind regions that do not write them: against plain execution; no phis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from compiled_modules import of_python_only
from hypothesis import given, settings
from hypothesis import strategies as st
from ir.graphs import SELECTOR, WHERE, new_builder

from warplint.analyzer.ir import builder as builder_module
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess, Phi, Return
from warplint.analyzer.ir.types import INT32, POINTER
from warplint.analyzer.ir.untouched_regions import UntouchedRegions
from warplint.analyzer.ir.values import Constant, Parameter, Unknown, Value
from warplint.analyzer.ir.verifier import verify

if TYPE_CHECKING:
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.kernel import Kernel

ADDRESS = Parameter(POINTER, "p", 0)
NAMES = ("x", "y")
Statement = tuple[Any, ...]


@st.composite
def bodies(draw: st.DrawFn, depth: int = 3) -> list[Statement]:
    """Statements, of which those with bodies go down to a depth."""
    kinds = ["write", "read", "write", "break", "continue", "goto", "label"]
    found: list[Statement] = []
    for _ in range(draw(st.integers(1, 4 if depth == 3 else 2))):
        kind = draw(st.sampled_from(kinds + ["if", "while", "do"] * (2 * (depth > 0))))
        inner = bodies(depth - 1)
        if kind in ("write", "read"):
            found.append((kind, draw(st.sampled_from(NAMES)), draw(st.integers(0, 9))))
        elif kind == "if":
            found.append((kind, draw(inner), draw(inner) if draw(st.booleans()) else []))
        elif kind in ("while", "do"):
            found.append((kind, draw(inner)))
        else:
            found.append((kind, draw(st.integers(0, 1))))
    return found


@dataclass
class Lowered:
    """A program as a kernel; what each of its stores stands for."""

    labels: int  # how many of those that are named there are
    builder: Any = field(default_factory=new_builder)
    marks: dict[MemoryAccess, tuple[str, str]] = field(default_factory=dict)
    targets: list[Block] = field(default_factory=list)
    placed: set[Block] = field(default_factory=set)

    def kernel(self, program: list[Statement]) -> Kernel:
        """The whole kernel; labels that stand nowhere stand at its end."""
        self.targets = [self.builder.new_block(f"label {n}") for n in range(self.labels)]
        self._body(program, None)
        for target in self.targets:
            self._place(target)
        self._body([("read", name, 0) for name in NAMES], None)
        if self.builder.current is not None:
            self.builder.terminate(Return(WHERE))
        kernel: Kernel = self.builder.finish()
        return kernel

    def _place(self, target: Block) -> None:
        if target not in self.placed:
            self.placed.add(target)
            self.builder.jump(target)
            self.builder.start(target, sealed=False)

    def _mark(self, what: str, name: str, value: Value) -> None:
        access = MemoryAccess(AccessKind.STORE, INT32, [ADDRESS, value], WHERE, width=4)
        self.builder.emit(access)
        self.marks[access] = (what, name)

    def _lower(self, statement: Statement, loop: tuple[Block, Block] | None) -> None:
        builder = self.builder
        match statement:
            case ("write", name, number):
                builder.write(name, Constant(INT32, number))
                self._mark("write", name, Constant(INT32, number))
            case ("read", name, _):
                self._mark("read", name, builder.read(name, INT32))
            case ("break" | "continue", _) if loop is not None:
                builder.jump(loop[statement[0] == "continue"])
            case ("goto", number) if number < self.labels:
                builder.jump(self.targets[number])
            case ("label", number) if number < self.labels:
                self._place(self.targets[number])
            case ("if", then, otherwise):
                self._if(then, otherwise, loop)
            case ("while", body):
                header, inside, end = (builder.new_block(n) for n in ("test", "body", "end"))
                builder.jump(header)
                builder.start_loop(header)
                builder.branch(SELECTOR, inside, end)
                builder.start(inside)
                self._body(body, (end, header))
                builder.jump(header)
                builder.seal(header)
                builder.start(end)
            case ("do", body):
                inside, test, end = (builder.new_block(n) for n in ("body", "test", "end"))
                builder.jump(inside)
                builder.start_loop(inside)
                self._body(body, (end, test))
                builder.jump(test)
                builder.start(test)
                builder.branch(SELECTOR, inside, end)
                builder.seal(inside)
                builder.start(end)

    def _if(
        self, then: list[Statement], otherwise: list[Statement], loop: tuple[Block, Block] | None
    ) -> None:
        builder = self.builder
        first, second, join = (builder.new_block(name) for name in ("then", "else", "join"))
        builder.branch(SELECTOR, first, second)
        for block, body in ((first, then), (second, otherwise)):
            builder.start(block)
            self._body(body, loop)
            builder.jump(join)
        builder.start(join)

    def _body(self, body: list[Statement], loop: tuple[Block, Block] | None) -> None:
        for statement in body:
            self._lower(statement, loop)


@settings(max_examples=300)
@given(bodies(), st.sampled_from([0, 0, 1, 2]), st.data())
def test_variables_hold_what_was_written_last(
    program: list[Statement], labels: int, data: st.DataObject
) -> None:
    lowered = Lowered(labels)
    kernel = lowered.kernel(program)
    assert verify(kernel) == []
    held: dict[str, int | None] = dict.fromkeys(NAMES)
    values: dict[Value, int | None] = {}
    block, before = kernel.blocks[0], None
    for _ in range(25):
        if before is not None:
            place = block.predecessors.index(before)
            values |= {phi: _number(phi.operands[place], values) for phi in block.phis}
        for operation in block.operations:
            if isinstance(operation, MemoryAccess):
                what, name = lowered.marks[operation]
                number = _number(operation.operands[1], values)
                if what == "write":
                    held[name] = number
                else:
                    assert number == held[name]
        if not block.successors:
            return
        before, block = block, data.draw(st.sampled_from(block.successors))


def _number(value: Value, values: dict[Value, int | None]) -> int | None:
    if isinstance(value, Constant):
        assert isinstance(value.value, int)
        return value.value
    return None if isinstance(value, Unknown) else values[value]


@of_python_only(builder_module, "puts another function in the place of a method")
def test_no_phi_is_placed_where_nothing_is_written() -> None:
    lowered = Lowered(0)
    body = [("if", [("write", "y", 1)], [("break", 0)]), ("while", [("if", [], [])])]
    program = [("write", "x", 7), ("while", body), ("read", "x", 0)]
    builder = lowered.builder
    placed: list[str] = []
    place = builder._place_phi
    builder._place_phi = lambda variable, *where: placed.append(variable) or place(variable, *where)
    kernel = lowered.kernel(program)
    assert "x" not in placed
    assert {phi.variable for phi in kernel.operations() if isinstance(phi, Phi)} == {"y"}


def test_a_goto_into_a_loop_brings_what_it_has_written() -> None:
    lowered = Lowered(1)
    into = ("if", [("goto", 0)], [])
    kernel = lowered.kernel(
        [("write", "x", 1), into, ("write", "x", 2), ("while", [("label", 0)]), ("read", "x", 0)]
    )
    reads = [access for access, mark in lowered.marks.items() if mark == ("read", "x")]
    assert verify(kernel) == []
    assert isinstance(reads[0].operands[1], Phi)


def test_behind_a_label_nothing_is_said() -> None:
    builder = new_builder()
    regions = UntouchedRegions()
    first, then, join = (builder.new_block(name) for name in ("first", "then", "join"))
    for block in (first, then):
        regions.begin(block)
        join.predecessors.append(block)
        then.predecessors = [first]
    regions.begin(join)
    assert regions.before("x", join) is first
    regions.give_up()
    assert regions.before("x", join) is None


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60))
def test_the_common_ancestor_is_the_immediate_dominator(steps: list[int]) -> None:
    """Chains of blocks that end at joins: against walking up one by one."""
    builder = new_builder()
    regions = UntouchedRegions()
    blocks = [builder.new_block("0")]
    parents: dict[Block, Block] = {}
    regions.begin(blocks[0])
    for number, step in enumerate(steps, 1):
        block = builder.new_block(str(number))
        block.predecessors = list({blocks[-1], blocks[max(0, len(blocks) - 1 - 2 * step)]})
        regions.begin(block)
        above = [_above(each, parents) for each in block.predecessors]
        parents[block] = next(each for each in above[0] if all(each in way for way in above))
        assert regions.before("never written", block) is parents[block]
        blocks.append(block)


def _above(block: Block, parents: dict[Block, Block]) -> list[Block]:
    """A block and all that dominate it, the nearest first."""
    found = [block]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return found
