"""Which loops are copied."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.compilation.unrolling import Copies, copies_of_loops


def copies(body: str) -> list[Copies]:
    facts = body_facts(body, parameters="float *out, const float *in, int n")
    return list(copies_of_loops(facts).values())


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("for (int i = 0; i < 8; ++i)", [Copies(8, whole=True)]),
        ("for (int i = 0; i < n; ++i)", [Copies(4, whole=False)]),
        ("#pragma unroll 2\nfor (int i = 0; i < n; ++i)", [Copies(2, whole=False)]),
        ("#pragma unroll 1\nfor (int i = 0; i < 8; ++i)", []),
        ("for (int i = threadIdx.x; i < n; i += blockDim.x)", []),
        ("for (int i = 0; in[i] > 0; ++i)", []),
        ("for (int i = 0; i < 4096; ++i)", [Copies(4, whole=False)]),
        ("for (int i = 0; i < (n + 1) * 3; ++i)", [Copies(4, whole=False)]),
    ],
)
def test_by_its_head(head: str, found: list[Copies]) -> None:
    assert copies(f"float s = 0;\n{head} s += in[i * 3];\nout[0] = s;") == found


def test_threads_stay_together() -> None:
    body = "for (int i = 0; i < n; ++i) { out[threadIdx.x] += in[i]; __syncthreads(); }"
    assert copies(body) == []


def test_a_long_body_is_copied_only_where_it_is_asked_for() -> None:
    body = "for (int i = 0; i < 16; ++i) {" + "out[i * 3 + 1] += in[i] * in[i + 1];" * 9 + "}"
    assert copies(body) == []
    assert copies("#pragma unroll\n" + body) == [Copies(16, whole=True)]


def test_inner_copies_count_in_the_outer_loop() -> None:
    inner = "for (int j = 0; j < 8; ++j) out[j] += in[i * j] * in[j];"
    body = f"for (int i = 0; i < 32; ++i) {inner}"
    assert copies(body) == [Copies(8, whole=True)]
