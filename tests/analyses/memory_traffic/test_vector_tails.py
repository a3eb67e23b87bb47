"""Element by element beside the vector version: what a warp does for the last few elements."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.analyses.memory_traffic.vector_tails import is_vector_tail

HEAD = "int at = (blockIdx.x * 32 + threadIdx.x) * 4;"
VECTOR = "*(float4 *)&p[at] = *(const float4 *)&q[at];"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"if (n - at < 4) {{ p[at] = q[at]; // own\n }} else {VECTOR}", True),
        (f"if (n - at >= 4) {VECTOR} else {{\np[at] = q[at]; // own\n }}", True),
        ("if (n - at < 4) { p[at] = q[at]; // own\n }", False),  # no wider one
        ("if (n - at < 4) { p[at] = q[at]; // own\n } else p[at] = 2;", False),  # not wider
        (f"if (n < 4) {{ p[at] = q[at]; // own\n }} else {VECTOR}", False),  # all decide alike
        (f"if (n - at < 4) {{ p[at] = q[at]; // own\n }} {VECTOR}", False),  # behind both
        (
            "if (n - at < 4) { p[at] = q[at]; // own\n } else *(float4 *)&r[at] = float4();",
            False,  # of another object
        ),
    ],
)
def test_tails(body: str, *, expected: bool) -> None:
    facts = body_facts(f"{HEAD}\n{body}", (32, 1, 1), "float *p, const float *q, float *r, int n")
    own = on_line(facts.kernel, "// own")
    stores = [each for each in facts.global_accesses if each.access in own and each.access.writes]
    (store,) = stores
    assert is_vector_tail(facts, store) is expected
