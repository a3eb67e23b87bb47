"""Calls that are not looked into, and whether the whole block may meet in one."""

from __future__ import annotations

import pytest
from analyses.block_execution.watching import Watch
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.block_values import BlockValues
from warplint.analyzer.analyses.block_execution.execution import BlockExecution
from warplint.analyzer.analyses.block_execution.run_context import Changes, RunContext
from warplint.analyzer.ir.operations import Call


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("other(n);", "block"),
        ("if (threadIdx.x < n) other(n);", "block"),  # may let all through
        ("if (p[0] > 3) other(n);", "block"),  # a flag that the block shares
        ("if (p[threadIdx.x] > 3) other(n);", "warp 5"),  # what each has loaded for itself
        ("int x = p[threadIdx.x]; if (n > 3) if (x > n) other(n);", "warp 5"),
    ],
)
def test_the_meeting_that_a_call_may_be(body: str, told: str) -> None:
    facts = body_facts(body)
    (call,) = facts.every(Call)
    launch = facts.launches[0]
    program, observer = BlockProgram(launch), Watch()
    assumed = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    values = BlockValues(program, launch.launch, (0, 0, 0), assumed)
    for _ in range(2):
        program.unread_calls.meet(observer, call, 5, values)
    assert observer.told == [told] * 2


def test_nobody_meets_where_memory_is_allocated() -> None:
    facts = body_facts("int *own = (int *)malloc(n); p[0] = own[0]; free(own); other(n);")
    launch = facts.launches[0]
    program, observer = BlockProgram(launch), Watch()
    assumed = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    BlockExecution(program, RunContext(launch, (0, 0, 0), assumed), observer).run()
    assert observer.told == ["block"]


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        ("p[0] = f(n); if (threadIdx.x < 20) p[1] = f(n);", [False, False]),
        ("p[0] = f(n); if (threadIdx.x < n) p[1] = f(n);", [True, True]),  # perhaps all of them
        ("p[0] = f(n); if (threadIdx.x < 99) p[1] = f(n);", [True, True]),  # all 64 of them
        ("p[0] = f(n); if (threadIdx.x > 20) return; p[1] = f(n);", [True, True]),
        ("p[0] = f(n); if (threadIdx.x < 20) p[1] = g(n);", [True, False]),
        ("f(n); if (threadIdx.x < 20) f(n);", [True, False]),  # which computes nothing
        (
            "for (int d = blockDim.x; d > 1; d /= 2) if (threadIdx.x < d / 2) p[d] = f(n);",
            [False],
        ),
    ],
)
def test_functions_that_a_part_of_the_block_calls(body: str, waits: list[bool]) -> None:
    facts = body_facts(body)
    launch = facts.launches[0]
    program = BlockProgram(launch)
    context = RunContext(
        launch, (0, 0, 0), AssumedNumbers(program, launch, SizeScenario.EQUAL), Changes()
    )
    BlockExecution(program, context, Watch()).run()
    assert [program.unread_calls.may_wait(call) for call in facts.every(Call)] == waits
