"""What an access may cost whose lanes go where data leads them, against placing groups."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.gathers import Gather, gather
from warplint.analyzer.ir.memory import Space

PARAMETERS = "float *x, const int *index, float *out, int n"


def of(place: str, head: str = "") -> Gather | None:
    body = f"int i = threadIdx.x; {head} out[i] = {place};"
    facts = body_facts(body, (32, 1, 1), PARAMETERS)
    base = place.partition("[")[0]
    access = next(each for each in facts.accesses if each.reads and each.name.startswith(base))
    return gather(facts.launches[0], access)


@settings(max_examples=20)
@given(st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 3))
def test_groups_of_neighbours(group: int, step: int) -> None:
    """All groups in one place, in its fewest sectors; or each apart, in the most of them."""
    found = of(f"x[index[i / {group}] * 64 + i % {group} * {step}]")
    assert found is not None
    starts = [
        len({(start + lane * step * 4) // 32 for lane in range(group)}) for start in range(0, 32, 4)
    ]
    assert (found.least, found.most) == (min(starts), max(starts) * (32 // group))
    assert found.ideal == min(found.most, 4)
    assert found.space is Space.GLOBAL


@pytest.mark.parametrize(
    ("place", "head", "bounds"),
    [
        ("x[index[i]]", "", (1, 32)),
        ("x[index[n]]", "", None),  # the same for all: known
        ("x[i]", "", None),  # nothing of data in it
        ("x[unread(i)]", "", None),  # more could be known
        ("s[index[i] & 255]", "__shared__ float s[256]; s[i] = n; __syncthreads();", (1, 32)),
        (
            "s[(index[i] & 7) * 32 + i]",
            "__shared__ float s[256]; s[i] = n; __syncthreads();",
            (1, 32),
        ),
    ],
)
def test_what_is_judged(place: str, head: str, bounds: tuple[int, int] | None) -> None:
    found = of(place, head)
    assert (None if found is None else (found.least, found.most)) == bounds
