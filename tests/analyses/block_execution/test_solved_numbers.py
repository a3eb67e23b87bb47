"""Numbers that lead a block where the assumed ones do not."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.solved_numbers import solved_numbers
from warplint.analyzer.ir.values import Parameter


def solved(body: str, host: str = "") -> dict[str, int]:
    """For a kernel whose first store is not reached."""
    text = f"""#include <cassert>
    __global__ void k(int *p, int n, int m) {{ {body} }}
    void run(int *p, int q) {{ {host} }}"""
    facts = facts_of(text, None if host else (64, 1, 1))
    launch = facts.launches[0]
    program = BlockProgram(launch)
    store = next(each for each in facts.accesses if each.writes)
    program.plan.unreached.add(store.block)
    assumed = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    found = solved_numbers(program, launch, assumed)
    return {name.name: n for name, n in found.items() if isinstance(name, Parameter)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (n == 3) p[0] = 1;", {"n": 3}),
        ("if (n == 3 && m == 5) p[0] = 1;", {"n": 3, "m": 5}),
        ("if (n == 3) if (m == 5) p[0] = 1;", {"n": 3, "m": 5}),
        ("if (n == 3) return; p[0] = 1;", {}),
        ("if (p[0] == 3) p[0] = 1;", {}),  # data is left to the run
        ("if (threadIdx.x == 3) p[0] = 1;", {}),
        ("assert(n < 3); if (n == 3) p[0] = 1;", {}),  # which the source rules out
        ("if (n > m) p[0] = 1;", {"n": 1025}),
    ],
)
def test_decisions_before_a_block(body: str, expected: dict[str, int]) -> None:
    assert solved(body) == expected


def test_numbers_that_no_launch_can_pass() -> None:
    assert solved("if (n == 3) p[0] = 1;", "k<<<q, 64>>>(p, q, 1);") == {"n": 3}
    assert solved("if (n == 3) p[0] = 1;", "k<<<q, 64>>>(p, q * 2, 1);") == {}
