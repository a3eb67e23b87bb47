"""How far an order must reach, and what orders so far."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of, on_line, ptx_facts

from warplint.analyzer.analyses.inter_block.scopes import (
    are_of_two_blocks,
    has_one_block,
    has_one_thread,
    meet_in_block,
    orders,
)
from warplint.analyzer.ir.operation_kinds import RELEASING
from warplint.analyzer.ir.operations import Opcode, Operation

TEXT = "__global__ void k(int *p, int n) {{\n{}\n}}"


@pytest.mark.parametrize(
    ("block", "grid", "one_block", "one_thread"),
    [
        ((1, 1, 1), (1, 1, 1), True, True),
        ((2, 1, 1), (1, 1, 1), True, False),
        ((1, 1, 1), (2, 1, 1), False, False),
        ((1, 1, 1), None, False, False),
    ],
)
def test_sizes_of_launches(
    block: tuple[int, int, int],
    grid: tuple[int, int, int] | None,
    *,
    one_block: bool,
    one_thread: bool,
) -> None:
    facts = facts_of(TEXT.format("p[0] = n;"), block, grid)
    assert has_one_block(facts) is one_block
    assert has_one_thread(facts) is one_thread
    assert meet_in_block(facts, facts.accesses[0], facts.accesses[0]) is one_block


@pytest.mark.parametrize(
    ("one", "other", "meet", "apart"),
    [
        ("if (blockIdx.x == 0)", "if (blockIdx.x == 0)", True, False),
        ("if (blockIdx.x == 0)", "if (blockIdx.x == 1)", False, True),
        ("if (blockIdx.x == 0)", "", False, False),
        ("if (blockIdx.x == 0)", "if (blockIdx.y == 1)", False, False),
        ("if (blockIdx.x != 0) return; if (n)", "if (n)", True, False),
        ("if (blockIdx.x < 1)", "if (blockIdx.x < 1)", False, False),
        ("if ((blockIdx.x | blockIdx.y) == 0)", "if (blockIdx.y == 0)", True, False),
        ("if (blockIdx.x == 0 && n > 3)", "if (blockIdx.x == 0)", True, False),
        ("if (threadIdx.x == 0)", "if (threadIdx.x == 0)", False, False),
        ("if (blockIdx.x == n)", "if (blockIdx.x == n)", False, False),
    ],
)
def test_operations_of_certain_blocks(one: str, other: str, *, meet: bool, apart: bool) -> None:
    facts = facts_of(
        TEXT.format(f"{one} {{\np[0] = n; // one\n}}\n{other} {{\np[1] = n; // other\n}}")
    )
    first, second = (on_line(facts.kernel, mark)[-1] for mark in ("// one", "// other"))
    assert meet_in_block(facts, first, second) is meet
    assert meet_in_block(facts, second, first) is meet
    assert are_of_two_blocks(facts, first, second) is apart


def ordering(line: str) -> Operation:
    """The last operation of a PTX line that is no return."""
    *_, operation, _ = ptx_facts(line).kernel.operations()
    return operation


@pytest.mark.parametrize(
    ("line", "device", "block"),
    [
        ("membar.gl;", True, True),
        ("membar.cta;", False, True),
        ("fence.acq_rel.gpu;", True, True),
        ("fence.acq_rel.cta;", False, True),
        ("bar.sync 0;", False, True),
        ("st.release.gpu.global.u32 [%rd1], 1;", True, True),
        ("st.relaxed.gpu.global.u32 [%rd1], 1;", False, False),
        ("st.global.u32 [%rd1], 1;", False, False),
    ],
)
def test_what_orders(line: str, *, device: bool, block: bool) -> None:
    operation = ordering(line)
    assert operation.opcode is not Opcode.RETURN
    assert orders(operation, RELEASING, in_block=False) is device
    assert orders(operation, RELEASING, in_block=True) is block


def test_code_that_was_not_read_may_have_a_fence() -> None:
    facts = facts_of(TEXT.format("other(p); p[0] = n;"))
    (call,) = (each for each in facts.kernel.operations() if each.opcode is Opcode.CALL)
    assert orders(call, RELEASING, in_block=False)
