"""Ranges of values: they hold what the threads of a run hold, and show what is inside of arrays."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of, last_of
from analyses.random_kernels import random_kernel
from hypothesis import example, given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.array_bounds.value_ranges import ValueRanges
from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.execution import BlockExecution
from warplint.analyzer.analyses.block_execution.run_context import RunContext, Unordered
from warplint.analyzer.analyses.block_execution.thread_vectors import entry_of, numbers
from warplint.analyzer.ir.operations import AccessKind

if TYPE_CHECKING:
    from warplint.analyzer.analyses.block_execution.run_context import AccessEvent
    from warplint.analyzer.analyses.block_execution.thread_vectors import Vector
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.values import Value

THREADS = 64
CONDITIONS = ("i < {0}", "{0} > i", "i >= {1} && i <= {0}", "!(i > {0}) && i != {1}", "i == {0}")
INDICES = ("i", "i * {1} + {0}", "i / 3", "i % {0}", "i & 15", "i - {1}", "(i << 2) | 1", "-i")
LOOPS = (
    "for (int i = t; i < {0}; i += {2})",
    "for (int i = {0} - t; i >= {1}; i -= {2})",
    "for (unsigned i = t; i < {0}; i += blockDim.x)",
    "for (int i = {0}; i > {1}; i >>= 1)",
    "for (int i = 1; i < {0}; i *= 2)",
    "for (long long i = t; i <= {0}; i += {2})",
    "for (int j = 0; j < 3; j++) for (int i = j; i < {0} + j; i += {2})",
    "for (int i = t, j = {0}; j > 0; j -= {2}, i += {1})",
    "int i = t; do",
)


class Watch(Unordered):
    """Compares every address and stored value with its range."""

    def __init__(self, ranges: ValueRanges) -> None:
        self._ranges = ranges
        self.compared = 0

    def access(self, event: AccessEvent) -> None:
        """Threads execute an access."""
        self._compare(event, event.access.address, event.addresses)
        if event.access.kind is AccessKind.STORE:
            self._compare(event, event.access.operands[1], event.stored)

    def _compare(self, event: AccessEvent, value: Value, vector: Vector) -> None:
        range = self._ranges.of(value, event.access.block)
        if range is None or vector is None:
            return
        for thread in numbers(event.must, THREADS):
            number = entry_of(thread, vector)
            if number is not None:
                self.compared += 1
                assert range.low <= number <= range.high
                assert (number - range.low) % (range.step or 1) == 0


def compared(facts: KernelFacts) -> int:
    """How many values of the runs of three blocks are within their ranges."""
    (launch,) = facts.launches
    program = BlockProgram(launch)
    blocks = [(0, 0, 0), (1, 0, 0), (3, 0, 0)]
    watch = Watch(ValueRanges(launch, program, blocks))
    for index in blocks:
        assumed = AssumedNumbers(program, launch, SizeScenario.EQUAL)
        BlockExecution(program, RunContext(launch, index, assumed), watch).run()
    return watch.compared


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(-5, 300))
@example(2301, 0)  # an unsigned sum that wraps around, compared as an int
def test_random_kernels_stay_in_their_ranges(seed: int, passed: int) -> None:
    launch = f"void run(int *o, int *q) {{ kernel<<<4, {THREADS}>>>(o, q, {passed}); }}"
    assert compared(facts_of(random_kernel(seed) + launch)) >= 0


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 1 << 30))
def test_indices_of_loops_stay_in_their_ranges(seed: int) -> None:
    random = Random(seed)

    def filled(templates: tuple[str, ...]) -> str:
        given = random.randint(1, 90), random.randint(1, 9), random.choice((1, 7, 32, 64))
        return random.choice(templates).format(*given)

    loop, guard = filled(LOOPS), filled(CONDITIONS)
    store = f"if ({guard}) o[{filled(INDICES)}] = {filled(INDICES)}; o[{filled(INDICES)}] = i;"
    end = f" while ((i += {random.randint(1, 40)}) < {random.randint(1, 200)});"
    body = f"{loop} {{ {store} }}{end if loop.endswith('do') else ''}"
    text = f"""__global__ void k(int *o, int n) {{
        int t = threadIdx.x + {random.choice(("0", "blockIdx.x * blockDim.x"))}; {body} }}
    void run(int *o) {{ k<<<4, {THREADS}>>>(o, 50); }}"""
    assert compared(facts_of(text)) >= 0  # a loop may have no iteration at all


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("o[threadIdx.x] = 1;", (0, 252, 4)),
        ("o[blockIdx.x * blockDim.x + threadIdx.x] = 1;", (0, 1020, 4)),
        ("int i = blockIdx.x * 64 + threadIdx.x; if (i < 100) o[i] = 1;", (0, 396, 4)),
        ("int i = blockIdx.x * 64 + threadIdx.x; if (i < n) o[i] = 1;", (0, 196, 4)),
        ("int i = threadIdx.x; if (i >= n) return; o[i] = 1;", (0, 196, 4)),
        ("for (int i = threadIdx.x; i < 100; i += 32) o[i] = 1;", (0, 396, 4)),
        ("for (int i = 8 * threadIdx.x; i < 100; i += 32) o[i] = 1;", (0, 384, 32)),
        ("for (int i = threadIdx.x + 50u; i >= 0; i -= blockDim.x) o[i] = 1;", (0, 452, 4)),
        ("for (int i = 32; i > 0; i >>= 1) o[i] = 1;", (4, 128, 4)),
        ("for (int r = 0; r < 3; r++) for (int c = 0; c < 5; c++) o[5 * r + c] = 1;", (0, 56, 4)),
        ("o[(int)threadIdx.x / 8 * 8 + threadIdx.x % 8] = 1;", (0, 252, 4)),
        ("o[(int)threadIdx.x - 1 + 1] = 1;", (0, 252, 4)),
        ("o[threadIdx.x * n] = 1;", (0, 12600, 200)),
        ("int b = blockIdx.x - 2u; if (b < 6) o[b & 15] = 1;", (0, 60, 4)),  # b is -2 to 1
        ("int b = blockIdx.x + 10u; if (b < 12) o[b] = 1;", (40, 44, 4)),
        ("o[o[0]] = 1;", None),  # what memory holds
        ("o[m] = 1;", None),  # what nobody passes
        ("int i = threadIdx.x; while (o[i]) i += n; o[i] = 1;", None),  # may wrap around
    ],
)
def test_addresses(body: str, expected: tuple[int, int, int] | None) -> None:
    """In bytes from the start of an array."""
    text = f"""__global__ void k(int *o, int n, int m) {{ {body} }}
    void run(int *o, int m) {{ k<<<4, {THREADS}>>>(o, 50, m); }}"""
    facts = facts_of(text)
    (launch,) = facts.launches
    program = BlockProgram(launch)
    access = last_of(facts, AccessKind.STORE)
    start = program.address(next(iter(facts.points_to.touched(access))))  # type: ignore[arg-type]
    range = ValueRanges(launch, program, [(0, 0, 0), (3, 0, 0)]).of(access.address, access.block)
    if expected is None:
        assert range is None or range.high - range.low > 1 << 32
    else:
        assert range is not None
        assert (range.low - start, range.high - start, range.step) == expected
