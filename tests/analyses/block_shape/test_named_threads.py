"""Threads that a decision names, and numbers that are none."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_shape.named_threads import last_named


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("if (t == 127) p[0] = n;", 127),
        ("if (95 == threadIdx.x) p[0] = n; if (t == 31) p[1] = n;", 95),
        ("if (t < n && t == 64) p[0] = n;", 64),
        ("if (t < 127) p[0] = n;", -1),
        ("if (t == n) p[0] = n;", -1),
        ("if (t / 32 == 3) p[0] = n;", -1),
        ("if (n == 127) p[0] = n;", -1),
        ("if (blockDim.x == 256) { if (t == 255) p[0] = n; }", -1),  # for such blocks only
        ("if (blockDim.x > 127 && t == 127) p[0] = n;", -1),
    ],
)
def test_the_last_thread_that_is_named(body: str, named: int) -> None:
    assert last_named(body_facts(f"int t = threadIdx.x; {body}")) == named
