"""Rounds of loops that are computed at once are what they are one by one."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.warp_evaluation import loop_iterations as loop_iterations
from warplint.analyzer.analyses.warp_evaluation.access_iterations import look_in, sweep
from warplint.analyzer.analyses.warp_evaluation.iteration_spans import (
    Span,
    UndecidedError,
    combined,
    converted,
    in_iteration,
    span_range,
    warp_spans,
)
from warplint.analyzer.analyses.warp_evaluation.lane_functions import threads_of
from warplint.analyzer.analyses.warp_evaluation.lane_values import (
    LaneValue,
    compute,
    constant,
    convert,
)
from warplint.analyzer.analyses.warp_evaluation.outcomes import Unevaluable
from warplint.analyzer.ir.block import Block
from warplint.analyzer.ir.operations import COMPARISONS, Opcode
from warplint.analyzer.ir.types import INT32, UINT8, UINT32, Type
from warplint.analyzer.ir.values import Special

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts

HEADER = Block("0")
SPAN = Span(HEADER, 2, 9)
LANES = tuple(range(32))
VALUES = [
    LaneValue(LANES, ((SPAN, 32),)),
    LaneValue(LANES, ((SPAN, -1),)),
    LaneValue((0,) * 32, ((SPAN, 8),)),
    LaneValue((7,) * 32, ((SPAN, 1),)),
    LaneValue(LANES, ((SPAN, tuple(range(32))),)),
    LaneValue((1 << 30,) * 32, ((SPAN, 1 << 28),)),
    LaneValue(LANES, (("n", 4), (SPAN, 64))),
    constant(0),
    constant(3),
    constant(8),
    constant(-8),
    constant(100),
    LaneValue(LANES),
]
OPCODES = [
    *sorted(COMPARISONS, key=lambda opcode: opcode.value),
    Opcode.ADD,
    Opcode.SUB,
    Opcode.MUL,
    Opcode.DIV,
    Opcode.REM,
    Opcode.AND,
    Opcode.OR,
    Opcode.XOR,
    Opcode.SHL,
    Opcode.SHR,
    Opcode.MIN,
    Opcode.MAX,
]


def in_each(value: LaneValue) -> list[LaneValue]:
    return [in_iteration(value, {HEADER: number}) for number in range(SPAN.first, SPAN.last + 1)]


@pytest.mark.parametrize("opcode", OPCODES, ids=lambda opcode: opcode.value)
@pytest.mark.parametrize("type", [INT32, UINT32], ids=str)
def test_operations_give_what_each_round_gives(opcode: Opcode, type: Type) -> None:
    decided = 0
    for a, b in product(VALUES, VALUES):
        if not (a in VALUES[:7] or b in VALUES[:7]):
            continue
        try:
            together = combined(opcode, type, a, b, span_range)
        except UndecidedError:
            continue
        alone = [compute(opcode, type, x, y) for x, y in zip(in_each(a), in_each(b), strict=True)]
        if together is None:
            assert not any(alone)  # no round decides a comparison with n
            continue
        decided += 1
        for here, there in zip(in_each(together), alone, strict=True):
            assert there is not None
            assert (here.lanes, dict(here.terms)) == (there.lanes, dict(there.terms))
    assert decided


@pytest.mark.parametrize("target", [INT32, UINT32, UINT8], ids=str)
@pytest.mark.parametrize("value", VALUES[:5])
def test_conversions_give_what_each_round_gives(value: LaneValue, target: Type) -> None:
    alone = [convert(each, INT32, target) for each in in_each(value)]
    try:
        together = converted(value, INT32, target)
    except UndecidedError:
        assert alone != in_each(value)  # some number wraps around
        return
    assert together is not None
    assert in_each(together) == alone


LOOPS = {
    "strided": "for (int i = threadIdx.x; i < 5000; i += 64) p[i] = 1;",
    "strided, a tail": "for (int i = threadIdx.x; i < 1000; i += 64) p[i] = 1;",
    "clamped": "for (int i = threadIdx.x; i < 900; i += 64) for (int u = 0; u < 4; ++u)"
    " p[min(899, i + 16 * u)] = 1;",
    "unsigned": "for (unsigned i = threadIdx.x; i < 999u; i += 64u) p[i - 1u] = 1;",
    "downwards": "for (int i = 20; i >= 0; --i) if (threadIdx.x < i) p[threadIdx.x + i] = 1;",
    "halved": "for (int s = 32; s > 0; s >>= 1) if (threadIdx.x < s) p[threadIdx.x + s] = 1;",
    "turned": "for (int i = 0; i < 32; ++i) if (i < 30) p[(threadIdx.x + i) & 31] = 1;",
    "pitch": "for (int i = 0; i < 40; ++i) if (threadIdx.x + i < 60) p[i * n + threadIdx.x] = 1;",
    "triangle": "for (int i = 0; i < 12; ++i) for (int j = 0; j < i; ++j)"
    " if (threadIdx.x > j) p[32 * i + j + threadIdx.x] = 1;",
    "two counters": "int k = 5; for (int i = 0; i < 30; ++i) { if (threadIdx.x < 50 - i)"
    " p[k + threadIdx.x] = 1; k += 3; }",
    "not a counter": "int k = 1; for (int i = 0; i < 20; ++i) { if (threadIdx.x < 50 - i)"
    " p[k + threadIdx.x] = 1; k = 3 * k & 255; }",
    "left in the middle": "for (int i = 0; i < 40; ++i) { if (i * 2 > threadIdx.x) break;"
    " p[threadIdx.x + 32 * i] = 1; }",
    "behind a loop": "for (int i = 0; i < 20; ++i) { int k = 0; while (k < 8 + i) k += 2;"
    " if (threadIdx.x + i < 60) p[k + threadIdx.x] = 1; }",
    "data": "for (int i = threadIdx.x; i < 900; i += 64) if (p[i] > 0) p[i + 1] = 1;",
    "a sum": "int s = 0; for (int i = threadIdx.x; i < 900; i += 64) s += p[i]; p[n] = s;",
}


def iterations_seen(facts: KernelFacts) -> list[object]:
    """All that is seen of every access."""
    (launch,) = facts.launches
    found: list[object] = []
    for access in facts.accesses:
        swept = sweep(launch, access)
        if isinstance(swept, Unevaluable):
            found.append(swept)
            continue
        found += [swept.complete, len(swept.iterations)]
        for each in swept.iterations:
            terms = sorted((type(name).__name__, str(c)) for name, c in each.terms)
            found.append((each.warp, each.number, each.offsets, terms))
    return found


@pytest.mark.parametrize("loop", LOOPS.values(), ids=list(LOOPS))
def test_loops_are_what_they_are_round_by_round(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = iterations_seen(body_facts(loop))
    monkeypatch.setattr(loop_iterations, "_TRIALS", 0)
    assert together == iterations_seen(body_facts(loop))


@pytest.mark.parametrize("loop", LOOPS.values(), ids=list(LOOPS))
def test_a_round_is_the_same_when_it_is_asked_alone(loop: str) -> None:
    facts = body_facts(loop)
    (launch,) = facts.launches
    for access in facts.accesses:
        assert access.block is not None
        nest = facts.flow.loop_nest(access.block)
        iterations = launch.iterations(1, nest) if nest else None
        for each in iterations.each if iterations else ():
            value, guarded = look_in(access, each)
            assert each.evaluator is not None
            assert each.guards is not None
            alone = each.evaluator.value_in(access.block, access.address)
            assert each.guards.of(access.block) == guarded
            if isinstance(value, LaneValue):
                assert isinstance(alone, LaneValue)
                assert (value.lanes, dict(value.terms)) == (alone.lanes, dict(alone.terms))


def test_rounds_that_differ_by_a_number_are_computed_once() -> None:
    loops = [f"for (int i = threadIdx.x; i < {n}; i += 64) p[i] = 1;" for n in (1000, 4000)]
    spent: list[int] = []
    for loop in loops:
        facts = body_facts(loop)
        iterations_seen(facts)
        spent.append(-facts.budget.left)
    assert spent[1] - spent[0] < 30  # of 16 rounds in one, 64 in the other


def test_a_sum_that_is_only_stored_is_not_computed() -> None:
    facts = body_facts(LOOPS["a sum"])
    counters = [phi for block in facts.kernel.blocks for phi in block.phis]
    assert {phi.variable: phi in facts.variance.asked for phi in counters} == {
        "i": True,
        "s": False,
    }


@pytest.mark.parametrize(
    "block",
    [
        (64, 1, 1),
        (1024, 1, 1),
        (32, 8, 1),
        (64, 4, 2),
        (16, 16, 1),
        (8, 8, 8),
        (4, 8, 3),
        (1, 64, 1),
    ],
)
def test_the_threads_of_any_warp(block: tuple[int, int, int]) -> None:
    found = warp_spans(block)
    assert found is not None
    axes = (Special.THREAD_X, Special.THREAD_Y, Special.THREAD_Z)
    for warp in range(prod(block) // 32):
        numbers = found.numbers(warp)
        lanes = [in_iteration(found.axes[axis], numbers).lanes for axis in axes]
        assert tuple(zip(*lanes, strict=True)) == threads_of(block, warp)


@pytest.mark.parametrize("block", [(32, 1, 1), (48, 2, 1), (100, 1, 1), (4, 4, 4), (16, 3, 1)])
def test_warps_that_do_not_tile_a_block_are_looked_at_one_by_one(
    block: tuple[int, int, int],
) -> None:
    assert warp_spans(block) is None


def test_sums_that_double_are_known_no_more_where_they_have_outgrown_any_type() -> None:
    terms = ((Span(Special.THREAD_X, 0, 7), 32), ("n", 1))
    value: LaneValue | None = LaneValue(tuple(range(32)), terms)
    for _ in range(400):
        if value is not None:
            value = combined(Opcode.ADD, INT32, value, value, lambda name: None)
    assert value is None
