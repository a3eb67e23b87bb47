"""What changes from round to round of a loop, by its operands or by the way control came."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.dataflow.loop_variance import LoopVariance
from warplint.analyzer.ir.operations import AccessKind


@pytest.mark.parametrize(
    ("stored", "varies"),
    [
        ("a", False),
        ("a + i", True),
        ("c", True),  # picked by a decision on i
        ("d", False),  # picked by a decision on t
        ("e", True),  # what an inner loop, i rounds long, leaves behind
        ("f", False),  # what an inner loop of n rounds leaves behind
    ],
)
def test_what_varies(stored: str, varies: bool) -> None:
    body = f"""
        int t = threadIdx.x;
        for (int i = 0; i < 8; ++i) {{
            int a = 3 * t, c = 1, d = 1, e = 0, f = 0;
            if (i > 3) c = 2;
            if (t > 3) d = 2;
            for (int j = 0; j < i; ++j) e = 5 * j;
            for (int j = 0; j < n; ++j) f = 5 * j;
            p[{stored}] = 1;
        }}"""
    facts = body_facts(body, (32, 1, 1))
    (store,) = (op for op in facts.accesses if op.kind is AccessKind.STORE)
    outer = facts.flow.loops[0]
    assert (store.address in LoopVariance(facts.flow).of(outer)) is varies
