"""What a race tells: the numbers that were assumed for it, and what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    assert names(found.assumed) <= {"n"}


def test_numbers_of_guards_and_addresses_are() -> None:
    found = race("if (t < n) s[t] = in[t]; out[t] = s[t ^ 64];")
    assert names(found.decisive) == {"n"}
    placed = race("s[(t + n) & 511] = in[t]; out[t] = s[((t ^ 64) + n) & 511];")
    assert names(placed.decisive) == {"n"}
    assert names(placed.assumed) == {"n"}


def test_decisions_on_data_for_the_whole_block() -> None:
    found = race("if (in[0] > 3) s[t] = in[t]; out[t] = s[t ^ 64];")
    told = [*found.decided, *found.data]
    assert told
    assert all(branch.operands for branch, holds in found.decided if holds is not None)


def test_doubts_make_it_possible_and_benign() -> None:
    found = race("if (in[t] == 7) s[0] = t; __syncthreads(); out[t] = s[0];")
    assert not found.definite
    assert not found.benign
