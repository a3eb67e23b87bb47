"""Two threads that compute what they store in the same way from the same places."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.assumed_numbers import SizeScenario
from warplint.analyzer.analyses.conflicts.block_runs import BlockRuns
from warplint.analyzer.analyses.conflicts.grid_runs import GridRuns
from warplint.analyzer.analyses.conflicts.race_context import RaceContext


def of_blocks(body: str) -> list[bool]:
    """For each pair of stores that two blocks make to one place: whether they store the same."""
    text = f"""__global__ void k(const float *a, const float *b, float *c, const int *at,
        const volatile float *v, int n, float f) {{
        int t = threadIdx.x, i = blockIdx.x * 4 + t; {body} }}"""
    launch = facts_of(text, (8, 1, 1), (2, 1, 1)).launches[0]  # they overlap by four threads
    run = GridRuns(RaceContext(launch)).run(SizeScenario.EQUAL)
    conflicts = [*run.equal.values(), *run.found.values()]
    same = launch.equal_formulas.store_the_same
    return sorted(same(each.first, each.second) for each in conflicts)


def of_threads(body: str) -> list[bool]:
    """The same of the threads of one block, at stores to shared memory."""
    launch = kernel(body).launches[0]
    seen = BlockRuns(launch).again(SizeScenario.EQUAL).seen
    conflicts = [*seen.equal.values(), *seen.found.values()]
    same = launch.equal_formulas.store_the_same
    return sorted(same(each.first, each.second) for each in conflicts)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a[i]", True),
        ("a[i] + b[i]", True),
        ("a[i] * f + n", True),
        ("sinf(a[i]) * 2.0f + a[n]", True),
        ("a[i + 1] - a[i]", True),
        ("a[i] + b[t]", False),  # another place in each block
        ("a[i] * t", False),
        ("a[i] + blockIdx.x", False),
        ("a[i] + gridDim.x", True),  # what all blocks have
        ("c[i] + 1.0f", False),  # which the kernel writes
        ("v[i] + 1.0f", False),  # which somebody else writes
        ("f", False),  # no place is compared: one number, which is for others to see
        ("a[i]" + " * f + f" * 40, False),  # too large a formula
        ("a[i]" + " * f" * 20, True),
    ],
)
def test_values_of_one_store(value: str, *, expected: bool) -> None:
    found = of_blocks(f"c[i] = {value};")
    assert found
    assert found[0] is found[-1] is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a[i] + b[i]", "a[i] + b[i]", True),
        ("a[i] + b[i]", "a[i] - b[i]", False),
        ("a[i] - b[i]", "b[i] - a[i]", False),  # from other places
        ("a[i] + 1.0f", "a[i] + 1.0f", True),
        ("a[i] + 1.0f", "a[i] + 2.0f", False),
        ("a[i]", "b[i]", False),
        ("a[i]", "a[i + 1]", False),
        ("a[i]", "a[i] * 1.5f", False),
        ("sinf(a[i])", "sinf(a[i])", True),
        ("sinf(a[i])", "cosf(a[i])", False),
        ("a[i] * f", "a[i] * n", False),
    ],
)
def test_values_of_two_stores(first: str, second: str, *, expected: bool) -> None:
    """One block makes the first of two stores, another the second."""
    body = f"if (blockIdx.x == 0)\nc[i] = {first};\nelse\nc[i] = {second};"
    assert of_blocks(body) == [expected]


def test_what_a_loop_passes_on() -> None:
    body = "float x = 0; for (int j = 0; j < n; j++) x += a[i + j]; c[i] = x;"
    found = of_blocks(body)
    assert found
    assert not any(found)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s[t / 2] = in[t / 2] + n;", True),
        ("s[t / 2] = in[t / 2] + blockIdx.x;", True),  # one block
        ("s[t / 2] = in[t] + n;", False),
        ("s[t / 2] = in[t / 2] + t;", False),
        ("s[t / 2] = s[255] + n;", False),
    ],
)
def test_threads_of_one_block(body: str, *, expected: bool) -> None:
    found = of_threads(body)
    assert found
    assert found[0] is expected
