"""What stands in place of a member mask."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, ptx_facts

from warplint.analyzer.analyses.warp_intrinsics.mistaken_masks import mistaken_masks

PARAMETERS = "float *p, const int *a, float f, int n"


def found(body: str) -> list[tuple[str, bool]]:
    facts = body_facts(f"int t = threadIdx.x, v = a[t]; {body}", parameters=PARAMETERS)
    return [(each.kind, each.only_missing) for each in mistaken_masks(facts)]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("__shfl_down_sync(~0u, v, 1)", []),
        ("__shfl_down_sync(f, 16, 32)", [("float", True)]),
        ("__shfl_down_sync(f, n, 16, 32)", [("float", False)]),
        ("__any_sync(v > 3, 1)", [("condition", False)]),
        ("__ballot_sync(n > 3, v)", [("condition", False)]),
        ("__shfl_down_sync(v, 16, 32)", [("data", True)]),
        ("__shfl_down_sync(v, n, 16, 0xffffffff)", [("data", False)]),
        ("__shfl_down_sync(v, 16, 3)", []),  # no width of a group
        ("__shfl_down_sync(v, t, 16)", []),  # something is shuffled
        ("__shfl_down_sync(n, 16, 32)", []),  # the same mask for all lanes
        ("__shfl_down_sync(n, v, 1)", []),
    ],
)
def test_calls(call: str, expected: list[tuple[str, bool]]) -> None:
    assert found(f"p[t] = {call};") == expected


def test_in_ptx_the_operand_has_a_place_of_its_own() -> None:
    line = (
        "setp.gt.u32 %p1, %r1, 3; selp.u32 %r3, 1, 0, %p1; shfl.sync.down.b32 %r4, %r1, 1, 31, %r3;"
    )
    assert not list(mistaken_masks(ptx_facts(line)))
