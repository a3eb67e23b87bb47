"""Numbers that lead a block where the assumed ones do not."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from warplint.analyzer.analyses.block_execution.block_program import BlockProgram
from warplint.analyzer.analyses.block_execution.solved_numbers import solved_numbers
from warplint.analyzer.ir.values import Parameter, Special


def solved(body: str, host: str = "") -> list[dict[str, int]]:
    """Of each run, for a kernel whose stores are not reached; `p[0]` is what is loaded."""
    text = f"""#include <cassert>
    __global__ void k(int *p, int n, int m) {{ {body} }}
    void run(int *p, int q) {{ {host} }}"""
    facts = facts_of(text, None if host else (64, 1, 1))
    launch = facts.launches[0]
    program = BlockProgram(launch)
    program.plan.unreached |= {each.block for each in facts.accesses if each.writes}
    assumed = AssumedNumbers(program, launch, SizeScenario.EQUAL)
    return [
        {_word(name): n for name, n in run.items()}
        for run in solved_numbers(program, launch, assumed)
    ]


def _word(name: object) -> str:
    if isinstance(name, Special):
        return name.value
    return name.name if isinstance(name, Parameter) else "p[0]"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (n == 3) p[0] = 1;", [{"n": 3}]),
        ("if (n == 3 && m == 5) p[0] = 1;", [{"n": 3, "m": 5}]),
        ("if (n == 3) if (m == 5) p[0] = 1;", [{"n": 3, "m": 5}]),
        ("if (n == 3) return; p[0] = 1;", []),
        ("if (threadIdx.x == 3) p[0] = 1;", []),
        ("if (threadIdx.x + n == 3) p[0] = 1;", [{"n": 3}]),  # the first one comes
        ("if (threadIdx.x + p[0] < 99) p[0] = 1;", [{"p[0]": 98}]),
        ("assert(n < 3); if (n == 3) p[0] = 1;", []),  # which the source rules out
        ("if (n > m) p[0] = 1;", [{"n": 1025}]),
        ("if (p[0] == 3) p[0] = 1;", [{"p[0]": 3}]),
        ("if ((p[0] >> 2 & 1) == 3) p[0] = 1;", []),
        ("if ((p[0] & 12) == 4) p[0] = 1;", [{"p[0]": 4}]),
        ("if (n & 1) p[0] = 1;", [{"n": 1}]),
        ("if ((n & 1024) == 0) p[0] = 1;", [{"n": 0}]),
        ("if (p[0] / 16 == 3 && n == 3) p[0] = 1;", [{"n": 3, "p[0]": 48}]),
        ("if (n == 3 && p[0] == 4) p[0] = 1;", [{"n": 3, "p[0]": 4}]),  # one after the other
        ("if (!(n == 3 || p[0] != 4)) p[0] = 1;", [{"p[0]": 4}]),
        ("if (n == 3 || p[0] == 4) p[0] = 1;", [{"n": 3, "p[0]": 4096}]),  # one will do
        ("int q = n; if (m > 0) q = p[0]; if (q == 5) p[0] = 1;", [{"p[0]": 5}]),
        ("int q = n; if (m < 0) q = p[0]; if (q == 5) p[0] = 1;", [{"n": 5}]),
        ("if (p[0] > 5) p[0] = 1;", [{"p[0]": 4096}]),  # as it was loaded for the search
        ("if (p[threadIdx.x] == 3) p[0] = 1;", []),  # data of each thread is left to the run
        ("switch (n) { case 3: p[0] = 1; }", [{"n": 3}]),
        ("switch (n) { case 3: case 4: p[0] = 1; }", [{"n": 3}]),
        ("switch (p[0]) { case 3: p[0] = 1; }", [{"p[0]": 3}]),
    ],
)
def test_decisions_before_a_block(body: str, expected: list[dict[str, int]]) -> None:
    assert solved(body) == expected


def test_blocks_to_which_different_numbers_lead() -> None:
    ways = "if (n == 3) p[0] = 1; else if (n == 5) p[0] = 2; else if (n == 7) p[0] = 3;"
    assert sorted(found["n"] for found in solved(ways)) == [3, 5, 7]
    assert solved("if (n == 3) p[0] = 1; if (n == 5) p[0] = 2; if (n < 0 && n > 1) p[0] = 3;") == [
        {"n": 3},
        {"n": 5},
    ]


def test_the_block_of_a_grid() -> None:
    assert solved("if (blockIdx.x > 70) p[0] = 1;") == [{"ctaid.x": 71}]
    assert solved("for (int i = 0; i <= (int)blockIdx.y; i += 64) p[i] = 1;") == [{"ctaid.y": 64}]
    assert solved("if (blockIdx.x > 70000) p[0] = 1;") == []  # more than any axis has
    asked = "if (blockIdx.x > 70) p[0] = 1;"
    assert solved(asked, "k<<<71, 64>>>(p, q, 1);") == []  # the last one is 70
    assert solved(asked, "k<<<72, 64>>>(p, q, 1);") == [{"ctaid.x": 71}]


def test_numbers_that_no_launch_can_pass() -> None:
    assert solved("if (n == 3) p[0] = 1;", "k<<<q, 64>>>(p, q, 1);") == [{"n": 3}]
    assert solved("if (n == 3) p[0] = 1;", "k<<<q, 64>>>(p, q * 2, 1);") == []
