"""Which races are told of together: one finding for one cause."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind
from warplint.analyzer.analyses.races.race_groups import grouped
from warplint.rules import load_rules

HELPER = """
__device__ void last_step(volatile float *sums) {
    sums[threadIdx.x] += sums[threadIdx.x + 1];
}
__device__ void fold(float *sums) {
    if (threadIdx.x < 16)
        last_step(sums);
}
"""
KERNEL = """
__global__ void k(float *out, int n) {{
    __shared__ float first[64], second[64], third[64];
    first[threadIdx.x] = second[threadIdx.x] = third[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    {body}
    __syncthreads();
    out[threadIdx.x] = first[0] + second[0] + third[0];
}}
"""


def groups_of(body: str) -> list[tuple[str, list[str]]]:
    """For each group the array of its best race, and those where the same happens."""
    facts = facts_of(HELPER + KERNEL.format(body=body), (32, 1, 1))
    return [
        (group.best.conflict.item.name, [race.conflict.item.name for race in group.alike])
        for group in grouped(facts, RaceKind.WARP_BARRIER)
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("fold(first); fold(second); fold(third);", [("first", ["second", "third"])]),
        ("fold(first); fold(first);", [("first", [])]),
        ("fold(first);", [("first", [])]),
        (
            "volatile float *a = first, *b = second; int t = threadIdx.x;"
            "if (t < 16) { a[t] += a[t + 1]; b[t] += b[t + 1]; }",
            [("first", []), ("second", [])],
        ),
        (
            "fold(first); volatile float *b = second; int t = threadIdx.x;"
            "if (t < 16) b[t] += b[t + 1];",
            [("first", []), ("second", [])],
        ),
    ],
)
def test_arrays_that_one_function_is_called_for(
    body: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert sorted(groups_of(body)) == expected


def test_the_finding_names_the_other_arrays_and_their_calls() -> None:
    body = "fold(first);\n    fold(second);\n    fold(third);"
    facts = facts_of(HELPER + KERNEL.format(body=body), (32, 1, 1))
    rule = load_rules()["WRP001"]
    assert rule.check is not None
    (found,) = rule.check(facts)
    (alike,) = (fact for fact in found.evidence if fact.name == "alike")
    assert alike.value == ["second", "third"]
    assert alike.text == "the same race exists on second and third"
    calls = {each.label: each.span.text for each in found.related if "call for" in each.label}
    assert calls == {
        "inlined from this call for second": "fold(second)",
        "inlined from this call for third": "fold(third)",
    }
    assert "fold(first)" in [each.span.text for each in found.related]


SIDE_BY_SIDE = """
__global__ void k(float *out, int n) {{
    __shared__ float x[65], y[65], z[65];
    int t = threadIdx.x;
    {body}
}}
"""


def barriers_of(body: str) -> list[tuple[str, list[str]]]:
    """The same of races that a barrier of the block is missing from."""
    facts = facts_of(SIDE_BY_SIDE.format(body=body), (64, 1, 1))
    return [
        (group.best.conflict.item.name, [race.conflict.item.name for race in group.alike])
        for group in grouped(facts, RaceKind.BARRIER, RaceKind.BARRIER_IN_LOOP)
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "x[t] = n; y[t] = n; out[t] = x[63 - t] + y[63 - t];", [("x", ["y"])], id="side by side"
        ),
        pytest.param(
            "x[t] = n; out[t] = x[63 - t]; y[t] = n; out[t] += y[63 - t];",
            [("x", []), ("y", [])],
            id="a barrier for each",
        ),
        pytest.param(
            "x[t] = n; y[t] = n; out[t] = x[63 - t] + y[(t + 32) % 64];",
            [("x", []), ("y", [])],
            id="other threads meet",
        ),
        pytest.param(
            "x[t] = y[t] = z[t] = n; if (n > 3) out[t] = x[63 - t] + y[63 - t] + z[63 - t];",
            [("x", ["y", "z"])],
            id="behind a branch",
        ),
        pytest.param(
            "x[t] = y[t] = n; if (n > 3) out[t] = x[63 - t]; else out[t] = y[63 - t];",
            [("x", []), ("y", [])],
            id="in two branches",
        ),
    ],
)
def test_arrays_that_one_barrier_orders(body: str, expected: list[tuple[str, list[str]]]) -> None:
    assert sorted(barriers_of(body)) == expected


def test_one_barrier_is_proposed_for_all_of_them() -> None:
    body = "x[t] = n;\n y[t] = n;\n out[t] = x[63 - t];\n out[t + n] = y[63 - t];"
    facts = facts_of(SIDE_BY_SIDE.format(body=body), (64, 1, 1))
    rule = load_rules()["SYN002"]
    assert rule.check is not None
    (found,) = rule.check(facts)
    assert [edit.text.strip() for fix in found.fixes for edit in fix.edits] == ["__syncthreads();"]
    assert [each.span.text for each in found.related if "likewise" in each.label] == ["y[63 - t]"]
