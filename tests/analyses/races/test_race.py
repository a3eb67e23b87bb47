"""What a race tells: the numbers that were assumed for it, and what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.ir.values import Parameter

if TYPE_CHECKING:
    from warplint.analyzer.analyses.races.race import Race

HEAD = """__global__ void k(const int *in, int *out, int n, int m) {
    __shared__ int s[512]; int t = threadIdx.x;"""


def race(body: str) -> Race:
    found = facts_of(f"{HEAD} {body} }}", (256, 1, 1)).races
    return found[0]


def names(numbers: tuple[tuple[object, int], ...]) -> set[str]:
    return {value.name for value, _ in numbers if isinstance(value, Parameter)}


def test_nothing_is_assumed_where_nothing_is_asked() -> None:
    found = race("s[t] = in[t]; out[t] = s[t ^ 64];")
    assert found.assumed == found.decisive == ()
    assert found.data == found.decided == ()
    assert found.definite
    assert not found.benign
    assert found.kind is found.candidate.kind
    assert found.conflict is found.candidate.conflict


def test_numbers_of_loops_are_not_decisive() -> None:
    found = race("for (int i = 0; i < n; i++) { s[t] = in[t]; out[t] = s[t ^ 64]; }")
    assert names(found.decisive) == set()
    assert names(found.assumed) == {"n"}


def test_numbers_of_guards_and_addresses_are() -> None:
    found = race("if (t < n) s[t] = in[t]; out[t] = s[t ^ 64];")
    assert names(found.decisive) == {"n"}
    placed = race("s[(t + n) & 511] = in[t]; out[t] = s[((t ^ 64) + n) & 511];")
    assert names(placed.decisive) == {"n"}
    assert names(placed.assumed) == {"n"}


def told(body: str) -> tuple[list[str], list[tuple[str, bool]]]:
    """The loads of which numbers were assumed, and the decisions that were."""
    found = race(body)
    loads = [load.location.span.text for load, number in found.data if number > 0]
    return loads, [(branch.location.span.text, holds) for branch, holds in found.decided]


END = "s[t] = in[t]; out[t + 9] = s[t ^ 64];"


@pytest.mark.parametrize(
    ("body", "loads", "decided"),
    [
        (f"if (in[0] > 3) {END}", ["in[0]"], []),
        (f"if (in[0] > 3) {{ {END} }} if (in[1] > 7) out[5] = 2;", ["in[0]"], []),  # not after it
        (f"int y = in[7]; {END} out[t + 300] = y;", [], []),  # decides about nothing
        ("s[(t + in[0]) & 511] = in[t]; out[t] = s[t ^ 64];", ["in[0]"], []),
        (f"float f = in[0]; if (f > 3.5f) {END}", ["in[0]"], [("f > 3.5f", True)]),
        (f"{END} float f = in[0]; if (f > 3.5f) out[5] = 2;", [], []),
        ("for (int i = 0; i < 3; i++) { if (in[i] > 3) s[t] = i; out[t] = s[t ^ 64]; }",
         ["in[i]"], []),
    ],
)  # fmt: skip
def test_data_that_was_assumed_on_the_way(
    body: str, loads: list[str], decided: list[tuple[str, bool]]
) -> None:
    assert told(body) == (loads, decided)


def test_doubts_make_it_possible_and_benign() -> None:
    found = race("if (in[t] == 7) s[0] = t; __syncthreads(); out[t] = s[0];")
    assert not found.definite
    assert not found.benign
