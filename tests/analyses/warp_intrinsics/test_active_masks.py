"""Member masks that come from `__activemask()`."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.warp_intrinsics.active_masks import active_masks

MASK = "unsigned m = __activemask();"
SHUFFLE = "p[0] = __shfl_down_sync(m, n, 1);"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (f"{MASK} {SHUFFLE}", 1),
        ("p[0] = __shfl_down_sync(__activemask(), n, 1);", 1),
        (f"{MASK} {SHUFFLE} p[1] = __any_sync(m, n);", 2),
        (f"{MASK} __syncwarp(m);", 1),
        (f"{MASK} m &= 255; {SHUFFLE}", 1),
        (f"unsigned m = ~0u; if (n) m = __activemask(); {SHUFFLE}", 1),
        (f"unsigned m = ~0u; {SHUFFLE}", 0),
        (f"{MASK} p[0] = m;", 0),
        # Whoever runs together: a leader, a count, a place in the group.
        (f"{MASK} int leader = __ffs(m) - 1; {SHUFFLE} p[1] = leader;", 0),
        (f"{MASK} int many = __popc(m); {SHUFFLE} p[1] = many;", 0),
        (f"{MASK} unsigned alike = __match_any_sync(m, n); {SHUFFLE} p[1] = alike;", 0),
        (f"{MASK} if ((m & n) == 0) p[1] = 1; {SHUFFLE}", 0),
        (f"{MASK} if (m == n) p[1] = 1; {SHUFFLE}", 1),
        (f"{MASK} unsigned v = __ballot_sync(m, n > 3); p[0] = __ffs(v);", 0),
        (f"{MASK} unsigned v = __ballot_sync(m, n > 3); p[0] = v;", 1),
    ],
)
def test_operations_that_take_it(body: str, count: int) -> None:
    assert len(list(active_masks(body_facts(body)))) == count


def test_an_assertion_that_all_lanes_run_together() -> None:
    stated = "assert(__activemask() == 0xffffffff);"
    assert not list(active_masks(body_facts(f"{stated} {MASK} {SHUFFLE}")))
    assert list(active_masks(body_facts(f"{MASK} {SHUFFLE} {stated}")))
    assert list(active_masks(body_facts(f"if (n > 3) {{ {stated} }} {MASK} {SHUFFLE}")))
    other = "assert(__activemask() == 0xffff);"
    assert list(active_masks(body_facts(f"{other} {MASK} {SHUFFLE}")))
