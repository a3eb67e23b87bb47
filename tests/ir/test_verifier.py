"""The verifier: silent on what the builder makes, and each complaint provoked once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ir.graphs import WHERE, build, new_builder

from warplint.analyzer.ir.block import Block
from warplint.analyzer.ir.operations import (
    AccessKind,
    Jump,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Return,
)
from warplint.analyzer.ir.types import INT32, POINTER, VOID
from warplint.analyzer.ir.values import Constant, Parameter
from warplint.analyzer.ir.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from warplint.analyzer.ir.kernel import Kernel

N = Parameter(INT32, "n", 0)


def addition(*operands: Operation | Parameter) -> Operation:
    return Operation(Opcode.ADD, INT32, list(operands), WHERE)


def place(block: Block, operation: Operation, position: int = 0) -> Operation:
    operation.block = block
    block.operations.insert(position, operation)
    return operation


def diamond() -> Kernel:
    """entry → b1, b2 → b3."""
    return build([[1, 2], [3], [3], []])


def named(kernel: Kernel, label: str) -> Block:
    return next(block for block in kernel.blocks if block.label == label)


def test_a_well_formed_kernel_has_no_complaints() -> None:
    kernel = diamond()
    phi = Phi(INT32, WHERE, "x")
    phi.operands = [N, N]
    place(named(kernel, "b3"), phi)
    user = addition(phi, N)
    place(named(kernel, "b3"), user, 1)
    assert verify(kernel) == []


def no_blocks(kernel: Kernel) -> None:
    kernel.blocks = []


def wrong_number(kernel: Kernel) -> None:
    named(kernel, "b3").index = 7


def no_terminator(kernel: Kernel) -> None:
    named(kernel, "b3").operations = [addition(N, N)]


def empty_block(kernel: Kernel) -> None:
    named(kernel, "b3").operations = []


def foreign_operation(kernel: Kernel) -> None:
    place(named(kernel, "b3"), addition(N, N)).block = named(kernel, "b1")


def early_terminator(kernel: Kernel) -> None:
    place(named(kernel, "b3"), Return(WHERE))


def late_phi(kernel: Kernel) -> None:
    phi = Phi(INT32, WHERE, "x")
    phi.operands = [N, N]
    place(named(kernel, "b3"), phi)
    place(named(kernel, "b3"), addition(N, N))


def short_phi(kernel: Kernel) -> None:
    phi = Phi(INT32, WHERE, "x")
    phi.operands = [N]
    place(named(kernel, "b3"), phi)


def outside_target(kernel: Kernel) -> None:
    outside = Block("outside")
    outside.predecessors = [named(kernel, "b1")]
    named(kernel, "b1").operations = []
    place(named(kernel, "b1"), Jump(outside, WHERE))


def unknown_to_successor(kernel: Kernel) -> None:
    named(kernel, "b3").predecessors.remove(named(kernel, "b1"))


def stale_predecessor(kernel: Kernel) -> None:
    named(kernel, "b1").predecessors.append(named(kernel, "b2"))


def homeless_operand(kernel: Kernel) -> None:
    place(named(kernel, "b3"), addition(addition(N, N), N))


def later_operand(kernel: Kernel) -> None:
    later = place(named(kernel, "b3"), addition(N, N))
    place(named(kernel, "b3"), addition(later, N))


def operand_of_one_way(kernel: Kernel) -> None:
    here = place(named(kernel, "b1"), addition(N, N))
    place(named(kernel, "b3"), addition(here, N))


def phi_operand_of_the_other_way(kernel: Kernel) -> None:
    here = place(named(kernel, "b1"), addition(N, N))
    phi = Phi(INT32, WHERE, "x")
    ways = named(kernel, "b3").predecessors
    phi.operands = [N if way is named(kernel, "b1") else here for way in ways]
    place(named(kernel, "b3"), phi)


def constant_out_of_range(kernel: Kernel) -> None:
    place(named(kernel, "b3"), addition(N, Constant(INT32, 1 << 40)))


def store_of_nothing(kernel: Kernel) -> None:
    store = MemoryAccess(AccessKind.STORE, VOID, [N], WHERE, name="st")
    place(named(kernel, "b3"), store)


PROVOKED: list[tuple[Callable[[Kernel], None], str]] = [
    (no_blocks, "the kernel has no blocks"),
    (wrong_number, "b3: numbered 7, stands at"),
    (no_terminator, "b3: does not end with a terminator"),
    (empty_block, "b3: does not end with a terminator"),
    (foreign_operation, "b3: add believes to be in Block(b1)"),
    (early_terminator, "b3: a terminator stands before the end"),
    (late_phi, "b3: a phi stands behind another operation"),
    (short_phi, "b3: phi of x does not match the predecessors"),
    (outside_target, "b1: goes to outside, which is not in the kernel"),
    (unknown_to_successor, "b1: b3 does not know it as a predecessor"),
    (stale_predecessor, "b1: b2 does not go here"),
    (homeless_operand, "b3: add uses a value of no block"),
    (later_operand, "b3: add uses a later value"),
    (operand_of_one_way, "b3: add uses a value not always defined"),
    (phi_operand_of_the_other_way, "b3: phi uses a value not always defined"),
    (constant_out_of_range, "b3: add uses 1099511627776, which is no s32"),
    (store_of_nothing, "b3: st writes no value"),
]


@pytest.mark.parametrize(
    ("damage", "complaint"), PROVOKED, ids=lambda item: getattr(item, "__name__", item)
)
def test_each_complaint(damage: Callable[[Kernel], None], complaint: str) -> None:
    kernel = diamond()
    damage(kernel)
    complaints = verify(kernel)
    assert any(item.startswith(complaint) for item in complaints), complaints


def test_a_loop_may_use_its_own_later_value_in_a_phi() -> None:
    builder = new_builder()
    test, end = builder.new_block("test"), builder.new_block("end")
    builder.write("i", Constant(INT32, 0))
    builder.jump(test)
    builder.start(test, sealed=False)
    value = builder.compute(Opcode.ADD, INT32, builder.read("i", INT32), N)
    builder.write("i", value)
    builder.branch(N, test, end)
    builder.start(end)
    address = Parameter(POINTER, "p", 1)
    builder.emit(MemoryAccess(AccessKind.STORE, INT32, [address, value], WHERE, width=4))
    builder.terminate(Return(WHERE))
    assert verify(builder.finish()) == []
