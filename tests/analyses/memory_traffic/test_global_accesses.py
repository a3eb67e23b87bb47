"""Sectors of global accesses, against bytes that are counted lane by lane."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.global_accesses import GlobalAccess, worst_launch

TYPES = {"char": 1, "short": 2, "float": 4, "double": 8, "float4": 16}


def only(body: str, parameters: str = "float *p, const int *a, int n") -> GlobalAccess:
    found = body_facts(body, (32, 1, 1), parameters).global_accesses
    return found[-1]


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(TYPES)), st.integers(0, 40), st.integers(1, 9), st.integers(0, 9),
    st.integers(1, 32),
)  # fmt: skip
def test_sectors_of_one_warp(name: str, step: int, group: int, start: int, active: int) -> None:
    width = TYPES[name]
    index = f"threadIdx.x / {group} * {step} + {start}"
    body = f"if (threadIdx.x < {active}) p[{index}] = {name}();"
    access = only(body, f"{name} *p")
    touched = {
        (lane // group * step + start) * width + byte
        for lane in range(active)
        for byte in range(width)
    }
    (sample,) = access.samples
    assert sample.active == active
    assert access.width == width
    assert access.sectors == len({byte // 32 for byte in touched})
    assert access.ideal == min(access.sectors, -(-active * width // 32))
    assert access.ratio == access.sectors / access.ideal


def test_iterations_that_move_the_warp_are_samples_of_their_own() -> None:
    access = only("for (int k = 0; k < 6; k++) p[threadIdx.x + k] = 1;")
    assert [sample.offsets[0] for sample in access.samples] == [0, 4, 8, 12, 16, 20]
    assert [sample.use.sectors for sample in access.samples] == [4, 5, 5, 5, 5, 5]
    assert access.worst is access.samples[1]


@pytest.mark.parametrize(
    ("index", "shifts"),
    [
        ("threadIdx.x", 0),
        ("threadIdx.x + n", 1),
        ("threadIdx.x + n * 8", 0),  # whole sectors
        ("threadIdx.x + n * 4", 1),
        ("threadIdx.x + blockIdx.x * 64", 0),
    ],
)
def test_what_may_move_a_warp_by_part_of_a_sector(index: str, shifts: int) -> None:
    assert len(only(f"p[{index}] = 1;").shifts) == shifts


def test_what_is_not_known_is_said_and_comes_last() -> None:
    text = """__global__ void k(float *p, const int *a) { p[a[threadIdx.x]] = 1; }"""
    unknown = facts_of(text, (32, 1, 1)).global_accesses[-1]
    assert unknown.reason
    assert unknown.samples == ()
    known = only("p[threadIdx.x * 2] = 1;")
    better = only("p[threadIdx.x] = 1;")
    assert worst_launch([unknown, better, known]) is known
    assert worst_launch([unknown]) is unknown


def test_only_accesses_to_global_memory_are_listed() -> None:
    facts = body_facts(
        "__shared__ int s[64]; s[n & 63] = p[n]; int l[4]; l[n & 3] = 1; p[1] = l[n];"
    )
    assert [each.access.name for each in facts.global_accesses] == ["p[n]", "p[1]"]
