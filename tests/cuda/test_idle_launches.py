"""Launches in host functions that nothing in their file can call."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.source.text import SourceText

KERNEL = "template <int N> __global__ void fill(int *p, int n) { if (threadIdx.x < n) p[0] = N; }\n"
LAUNCH = "fill<3><<<2, 64>>>(p, 5);"


@pytest.mark.parametrize(
    ("host", "block"),
    [
        (f"static void once(int *p) {{ {LAUNCH} }}", (None, None, None)),
        (f"inline void once(int *p) {{ {LAUNCH} }}", (None, None, None)),
        (f"// once\nstatic void once(int *p) {{ {LAUNCH} }} /* once(p) */", (None, None, None)),
        (f"void once(int *p) {{ {LAUNCH} }}", (64, 1, 1)),
        (f"static void once(int *p) {{ {LAUNCH} }} int main() {{ once(0); }}", (64, 1, 1)),
        (f"static void once(int *p) {{ {LAUNCH} }} auto held = &once;", (64, 1, 1)),
        (f"static void once(int *p) {{ {LAUNCH} }}\n#define RUN once(0)", (64, 1, 1)),
        (f"template <int M> static void once(int *p) {{ {LAUNCH} }}", (64, 1, 1)),
        (f"struct Own {{ static void once(int *p) {{ {LAUNCH} }} }};", (64, 1, 1)),
    ],
)
def test_what_nobody_calls_says_no_shape(
    host: str, block: tuple[int | None, int | None, int | None]
) -> None:
    (launch,) = read_cuda(SourceText("k.cu", KERNEL + host)).launches
    assert launch.kernel == "fill"
    assert launch.block == block
    assert (launch.arguments == (None, None)) is (block[0] is None)


def test_a_header_is_for_others() -> None:
    text = f"{KERNEL} static void once(int *p) {{ {LAUNCH} }}"
    (launch,) = read_cuda(SourceText("k.cuh", text)).launches
    assert launch.block == (64, 1, 1)
