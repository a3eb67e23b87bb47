"""SSA construction: against plain execution on random graphs, and its promises one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import WHERE, Graph, build, graphs, leave, new_builder

from warplint.analyzer.ir.operations import (
    AccessKind,
    Branch,
    Jump,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Return,
)
from warplint.analyzer.ir.types import FLOAT32, INT32, POINTER, PREDICATE, UINT8
from warplint.analyzer.ir.values import Constant, Parameter, Undefined, Unknown, Value
from warplint.analyzer.ir.verifier import verify

if TYPE_CHECKING:
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.builder import Builder
    from warplint.analyzer.ir.kernel import Kernel

NAMES = "xyz"
ADDRESS = Parameter(POINTER, "p", 0)
CHOICE = Parameter(INT32, "n", 1)


def store(builder: Builder, value: Value) -> MemoryAccess:
    """Keep a value alive."""
    access = MemoryAccess(AccessKind.STORE, INT32, [ADDRESS, value], WHERE, width=4)
    builder.emit(access)
    return access


# ---- against plain execution ---------------------------------------------------------------------

Action = tuple[str, int]  # ("=x", 3): x holds 3 from here on; ("x", 0): x is stored
actions = st.lists(
    st.tuples(st.sampled_from([*NAMES, *(f"={name}" for name in NAMES)]), st.integers(0, 9)),
    max_size=4,
)


@given(graphs(), st.lists(actions, min_size=9, max_size=9), st.data())
def test_variables_read_as_they_were_written(
    graph: Graph, scripts: list[list[Action]], data: st.DataObject
) -> None:
    kernel, stores = _build(graph, scripts)
    assert verify(kernel) == []
    blocks = {block.label: block for block in kernel.blocks}
    variables: dict[str, int | None] = dict.fromkeys(NAMES)
    values: dict[Value, int | None] = {}
    node, before = 0, None
    for _ in range(12):
        block = blocks["entry" if node == 0 else f"b{node}"]
        _take_phis(block, before, values)
        for position, (name, number) in enumerate(scripts[node]):
            if name.startswith("="):
                variables[name[1:]] = number
            else:
                stored = stores[node, position].operands[1]
                assert _number(stored, values) == variables[name]
        if not graph[node]:
            return
        node, before = data.draw(st.sampled_from(graph[node])), block


def _build(
    graph: Graph, scripts: list[list[Action]]
) -> tuple[Kernel, dict[tuple[int, int], MemoryAccess]]:
    builder = new_builder()
    blocks = [builder.entry, *(builder.new_block(f"b{i}") for i in range(1, len(graph)))]
    stores: dict[tuple[int, int], MemoryAccess] = {}
    for node, targets in enumerate(graph):
        builder.start(blocks[node], sealed=False)
        for position, (name, number) in enumerate(scripts[node]):
            if name.startswith("="):
                builder.write(name[1:], Constant(INT32, number))
            else:
                stores[node, position] = store(builder, builder.read(name, INT32))
        leave(builder, [blocks[target] for target in targets])
    return builder.finish(), stores


def _take_phis(block: Block, before: Block | None, values: dict[Value, int | None]) -> None:
    if before is None:
        return
    position = block.predecessors.index(before)
    new = {phi: _number(phi.operands[position], values) for phi in block.phis}
    values.update(new)


def _number(value: Value, values: dict[Value, int | None]) -> int | None:
    if isinstance(value, Constant):
        assert isinstance(value.value, int)
        return value.value
    return None if isinstance(value, Unknown) else values[value]


# ---- phis ----------------------------------------------------------------------------------------


def diamond(then_value: int, else_value: int) -> tuple[Kernel, MemoryAccess]:
    builder = new_builder()
    then, otherwise, join = (builder.new_block(name) for name in ("then", "else", "join"))
    builder.branch(CHOICE, then, otherwise)
    for block, number in ((then, then_value), (otherwise, else_value)):
        builder.start(block)
        builder.write("x", Constant(INT32, number))
        builder.jump(join)
    builder.start(join)
    access = store(builder, builder.read("x", INT32))
    builder.terminate(Return(WHERE))
    return builder.finish(), access


def test_two_values_meet_in_a_phi() -> None:
    kernel, access = diamond(1, 2)
    phi = access.operands[1]
    assert isinstance(phi, Phi)
    assert [value.value for value in phi.operands if isinstance(value, Constant)] == [1, 2]
    assert phi.variable == "x"
    assert phi.block is not None
    assert phi.block.label == "join"
    assert verify(kernel) == []


def test_equal_constants_need_no_phi() -> None:
    kernel, access = diamond(7, 7)
    assert isinstance(access.operands[1], Constant)
    assert not any(isinstance(operation, Phi) for operation in kernel.operations())


def loop(step: bool) -> tuple[Kernel, MemoryAccess]:
    """`i = 0; while (n) { i = i + step; } store i;`."""
    builder = new_builder()
    test, body, end = (builder.new_block(name) for name in ("test", "body", "end"))
    builder.write("i", Constant(INT32, 0))
    builder.jump(test)
    builder.start(test, sealed=False)
    builder.branch(CHOICE, body, end, "while")
    builder.start(body)
    value = builder.read("i", INT32)
    if step:
        value = builder.compute(Opcode.ADD, INT32, value, Constant(INT32, 1))
    builder.write("i", value)
    builder.jump(test)
    builder.seal(test)
    builder.start(end)
    access = store(builder, builder.read("i", INT32))
    builder.terminate(Return(WHERE))
    return builder.finish(), access


def test_a_loop_counter_is_one_phi() -> None:
    kernel, access = loop(step=True)
    (phi,) = [operation for operation in kernel.operations() if isinstance(operation, Phi)]
    assert access.operands[1] is phi
    first, following = phi.operands
    assert isinstance(first, Constant)
    assert isinstance(following, Operation)
    assert following.opcode is Opcode.ADD
    assert following.operands[0] is phi
    assert verify(kernel) == []


def test_a_loop_that_changes_nothing_leaves_no_phi() -> None:
    kernel, access = loop(step=False)
    assert isinstance(access.operands[1], Constant)
    assert not any(isinstance(operation, Phi) for operation in kernel.operations())


def test_in_a_loop_that_nothing_leads_to_no_value_is_computed_from_itself() -> None:
    builder = new_builder()
    builder.terminate(Return(WHERE))
    body, end = builder.new_block("body"), builder.new_block("end")
    builder.current = None
    builder.jump(body)
    builder.start_loop(body)
    following = builder.compute(Opcode.ADD, INT32, builder.read("x", INT32), Constant(INT32, 1))
    builder.write("x", following)
    builder.branch(CHOICE, body, end, "do")
    builder.seal(body)
    builder.start(end)
    assert isinstance(following, Operation)
    assert isinstance(builder.resolve(following.operands[0]), Phi)
    store(builder, builder.read("x", INT32))
    builder.terminate(Return(WHERE))
    kernel = builder.finish()
    assert [block.label for block in kernel.blocks] == ["entry"]
    assert verify(kernel) == []


def test_what_is_never_written_is_unknown() -> None:
    builder = new_builder()
    value = builder.read("ghost", INT32)
    assert isinstance(value, Unknown)
    assert value.reason == "ghost is read before it is written"
    assert value.per_thread


def test_what_one_way_does_not_write_is_a_phi_with_an_unknown() -> None:
    builder = new_builder()
    then, join = builder.new_block("then"), builder.new_block("join")
    builder.branch(CHOICE, then, join)
    builder.start(then)
    builder.write("x", Constant(INT32, 1))
    builder.jump(join)
    builder.start(join)
    phi = builder.read("x", INT32)
    assert isinstance(phi, Phi)
    assert {type(operand) for operand in phi.operands} == {Constant, Undefined}


# ---- folding -------------------------------------------------------------------------------------


def test_constants_fold_and_wrap() -> None:
    builder = new_builder()
    total = builder.compute(Opcode.ADD, UINT8, Constant(UINT8, 250), Constant(UINT8, 10))
    assert isinstance(total, Constant)
    assert total.value == 4
    assert builder.constant(300, UINT8).value == 44
    assert builder.constant(1.5, FLOAT32).value == 1.5
    less = builder.compare(Opcode.LT, INT32, Constant(INT32, -1), Constant(INT32, 0))
    assert isinstance(less, Constant)
    assert (less.value, less.type) == (1, PREDICATE)


def test_division_by_zero_and_floats_do_not_fold() -> None:
    builder = new_builder()
    zero, half = Constant(INT32, 0), Constant(FLOAT32, 0.5)
    assert isinstance(builder.compute(Opcode.DIV, INT32, Constant(INT32, 1), zero), Operation)
    assert isinstance(builder.compute(Opcode.ADD, FLOAT32, half, half), Operation)


def test_a_constant_decision_is_a_jump() -> None:
    for value, taken in ((1, "then"), (0, "else")):
        builder = new_builder()
        then, otherwise = builder.new_block("then"), builder.new_block("else")
        builder.branch(Constant(PREDICATE, value), then, otherwise)
        for block in (then, otherwise):
            builder.start(block)
            builder.terminate(Return(WHERE))
        kernel = builder.finish()
        assert [block.label for block in kernel.blocks] == ["entry", taken]
        assert isinstance(kernel.blocks[0].terminator, Jump)


# ---- control -------------------------------------------------------------------------------------


def test_code_behind_a_terminator_is_unreachable_and_dropped() -> None:
    builder = new_builder()
    builder.terminate(Return(WHERE))
    builder.write("x", Constant(INT32, 1))
    store(builder, builder.read("x", INT32))
    builder.terminate(Return(WHERE))
    kernel = builder.finish()
    assert [block.label for block in kernel.blocks] == ["entry"]
    assert verify(kernel) == []


def test_an_unreachable_way_takes_its_phi_operand_along() -> None:
    builder = new_builder()
    dead, join = builder.new_block("dead"), builder.new_block("join")
    builder.write("x", Constant(INT32, 1))
    builder.jump(join)
    builder.start(dead)
    builder.write("x", Constant(INT32, 2))
    builder.jump(join)
    builder.start(join)
    access = store(builder, builder.read("x", INT32))
    builder.terminate(Return(WHERE))
    kernel = builder.finish()
    assert verify(kernel) == []
    assert isinstance(access.operands[1], Constant)
    assert access.operands[1].value == 1


def test_jumps_and_branches_without_a_block_do_nothing() -> None:
    builder = new_builder()
    target = builder.new_block("target")
    builder.terminate(Return(WHERE))
    builder.jump(target)
    builder.branch(CHOICE, target, target)
    assert target.predecessors == []


@given(graphs())
def test_blocks_stand_in_reverse_postorder(graph: Graph) -> None:
    kernel = build(graph)
    assert verify(kernel) == []
    for block in kernel.blocks[1:]:
        assert any(predecessor.index < block.index for predecessor in block.predecessors)


def test_what_nothing_takes_is_dropped_on_demand() -> None:
    for drop, left in ((False, 3), (True, 2)):
        builder = new_builder()
        builder.compute(Opcode.ADD, INT32, CHOICE, CHOICE)
        used = builder.compute(Opcode.MUL, INT32, CHOICE, CHOICE)
        store(builder, used)
        builder.terminate(Return(WHERE))
        kernel = builder.finish(drop_unused=drop)
        assert len([o for o in kernel.operations() if not isinstance(o, Return)]) == left


def test_a_loop_of_unused_values_is_dropped() -> None:
    kernel, _ = loop(step=True)
    builder_size = len(list(kernel.operations()))
    assert builder_size > 4
    builder = new_builder()
    test, end = builder.new_block("test"), builder.new_block("end")
    builder.write("i", Constant(INT32, 0))
    builder.jump(test)
    builder.start(test, sealed=False)
    old = builder.read("i", INT32)
    builder.write("i", builder.compute(Opcode.ADD, INT32, old, Constant(INT32, 1)))
    builder.branch(CHOICE, test, end)
    builder.start(end)
    builder.terminate(Return(WHERE))
    kernel = builder.finish(drop_unused=True)
    assert {type(operation) for operation in kernel.operations()} == {Jump, Branch, Return}


def test_a_mask_is_rewritten_with_the_operands() -> None:
    """Operations that name an operand twice must not keep a phi that was forwarded."""
    from warplint.analyzer.ir.operation_kinds import WarpKind
    from warplint.analyzer.ir.operations import WarpOperation

    builder = new_builder()
    test, body, end = (builder.new_block(name) for name in ("test", "body", "end"))
    builder.write("mask", CHOICE)
    builder.jump(test)
    builder.start(test, sealed=False)
    mask = builder.read("mask", INT32)
    shuffle = WarpOperation(WarpKind.SHUFFLE_INDEX, INT32, [CHOICE], WHERE, mask)
    builder.emit(shuffle)
    builder.branch(CHOICE, body, end)
    builder.start(body)
    builder.jump(test)
    builder.seal(test)
    builder.start(end)
    builder.terminate(Return(WHERE))
    builder.finish()
    assert shuffle.mask is CHOICE
    assert shuffle.operands == [CHOICE, CHOICE]


# ---- size ----------------------------------------------------------------------------------------

LENGTH = 50_000


def test_a_long_chain_of_blocks_does_not_recurse() -> None:
    builder = new_builder()
    builder.write("x", CHOICE)
    for _ in range(LENGTH):
        following = builder.new_block("next")
        builder.jump(following)
        builder.start(following)
    access = store(builder, builder.read("x", INT32))
    builder.terminate(Return(WHERE))
    kernel = builder.finish()
    assert len(kernel.blocks) == LENGTH + 1
    assert access.operands[1] is CHOICE


def test_a_long_chain_of_diamonds_does_not_recurse() -> None:
    builder = new_builder()
    builder.write("x", CHOICE)
    for _ in range(LENGTH // 3):
        then, join = builder.new_block("then"), builder.new_block("join")
        builder.branch(CHOICE, then, join)
        builder.start(then)
        builder.jump(join)
        builder.start(join)
    access = store(builder, builder.read("x", INT32))
    builder.terminate(Return(WHERE))
    kernel = builder.finish()
    assert access.operands[1] is CHOICE
    assert not any(isinstance(operation, Phi) for operation in kernel.operations())


def test_unsealed_blocks_to_the_end_do_not_recurse() -> None:
    """Labels that a later goto might reach: nothing is sealed before `finish`."""
    builder = new_builder()
    builder.write("x", CHOICE)
    for _ in range(LENGTH // 10):
        following = builder.new_block("label")
        builder.jump(following)
        builder.start(following, sealed=False)
        store(builder, builder.read("x", INT32))
    builder.terminate(Return(WHERE))
    kernel = builder.finish()
    stored = [o.operands[1] for o in kernel.operations() if isinstance(o, MemoryAccess)]
    assert set(stored) == {CHOICE}
    assert not any(isinstance(operation, Phi) for operation in kernel.operations())
