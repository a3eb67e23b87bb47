"""Lanes that a mask names and lanes that come, against counting them."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_intrinsics.warp_members import (
    ALL,
    Mismatch,
    MismatchKind,
    is_by_whole_warp,
    member_mask,
    mismatches,
)
from warplint.analyzer.ir.operations import Opcode

PARAMETERS = "int *p, const int *a, int n"


def found(body: str, threads: int = 64) -> list[Mismatch]:
    facts = body_facts(f"int t = threadIdx.x, v = a[t]; {body}", (threads, 1, 1), PARAMETERS)
    return list(mismatches(facts))


def bits(lanes: range) -> int:
    return sum(1 << lane for lane in lanes)


@settings(max_examples=25)
@given(st.integers(1, 31), st.integers(1, ALL))
def test_lanes_that_come_without_being_named(count: int, mask: int) -> None:
    body = f"if (t < {count}) p[t] = __shfl_xor_sync({mask}u, v, 1);"
    excluded = bits(range(count)) & ~mask
    kinds = [each for each in found(body) if each.kind is MismatchKind.EXCLUDED]
    assert [each.lanes for each in kinds] == ([excluded] if excluded else [])
    assert all(each.executing == bits(range(count)) for each in kinds)


@settings(max_examples=20)
@given(st.integers(1, 31))
def test_lanes_that_are_named_and_meet_the_others_elsewhere(count: int) -> None:
    body = f"if (t % 32 < {count}) p[t] = __shfl_xor_sync(~0u, v, 1); else __syncwarp();"
    (mismatch,) = found(body)
    assert mismatch.kind is MismatchKind.ABSENT
    # The barrier stands before the shuffle: the lanes that shuffle are missing at it.
    assert mismatch.operation.opcode is Opcode.BARRIER
    assert mismatch.lanes == bits(range(count))
    assert mismatch.executing == bits(range(count, 32))
    assert mismatch.edge is not None


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("p[t] = __shfl_xor_sync(~0u, v, 1);", []),
        ("if (t < 32) p[t] = __shfl_xor_sync(~0u, v, 1);", []),  # whole warps
        ("if (n > 3) p[t] = __shfl_xor_sync(~0u, v, 1);", []),
        ("if (t < 8) p[t] = __shfl_xor_sync(255u, v, 1);", []),
        ("p[t] = __shfl_xor_sync(~0u, v, 1, 12);", [MismatchKind.WIDTH]),
        ("p[t] = __shfl_xor_sync(~0u, v, 1, 16);", []),
        ("p[t] = __shfl_xor_sync(~0u, v, 1, n);", []),
        ("if (t < 8) p[t] = __shfl_xor_sync(~0u, v, 1);", [MismatchKind.RUNS_ON]),
        (
            "if (n > 3) if (t < 8) p[t] = __shfl_xor_sync(~0u, v, 1);",
            [MismatchKind.RUNS_ON],
        ),
        ("if (t < n) p[t] = __shfl_sync(~0u, v, 0);", []),  # any n may be chosen
        (
            "if (t < 8) p[t] = __shfl_xor_sync(~0u, v, 1); else p[t] = __shfl_xor_sync(~0u, v, 2);",
            [],
        ),
        ("if (t < 8) p[t] = __shfl_sync(255u, v, 20);", [MismatchKind.SOURCE]),
        ("if (t < 8) p[t] = __shfl_sync(255u, v, 7);", []),
        ("unsigned m = __ballot_sync(~0u, t < 8); if (t < 8) p[t] = __shfl_xor_sync(m, v, 1);", []),
        ("p[t] = __any_sync(n, v);", [MismatchKind.EXCLUDED]),  # for some n
    ],
)
def test_what_does_not_fit(body: str, kinds: list[MismatchKind]) -> None:
    assert [each.kind for each in found(body)] == kinds


def test_a_decision_is_told_once() -> None:
    line = "p[t] = __shfl_xor_sync(1u, v, 1);"
    assert len(found(f"if (t < 8) {{ {line} {line} }}")) == 2
    whole = "p[t] = __shfl_xor_sync(~0u, v, 1);"
    assert len(found(f"if (t < 8) {{ {whole} {whole} }}")) == 1


def test_masks_of_operations_and_barriers() -> None:
    facts = body_facts("__syncwarp(255); __syncwarp(); p[0] = __any_sync(n, 1); __syncthreads();")
    masks = [member_mask(each) for each in facts.kernel.operations()]
    named = [
        getattr(mask, "value", getattr(mask, "name", "")) for mask in masks if mask is not None
    ]
    assert named == [255, ALL, "n"]


@pytest.mark.parametrize(
    ("condition", "whole"), [("n > 3", True), ("t < 32", True), ("t < 8", False), ("v > 3", False)]
)
def test_decisions_that_part_a_warp(condition: str, *, whole: bool) -> None:
    body = f"int t = threadIdx.x, v = a[t]; if ({condition}) p[t] = __any_sync(255u, v);"
    facts = body_facts(body, parameters=PARAMETERS)
    (vote,) = (e for e in facts.kernel.operations() if member_mask(e) is not None)
    assert is_by_whole_warp(facts, vote) is whole  # type: ignore[arg-type]
