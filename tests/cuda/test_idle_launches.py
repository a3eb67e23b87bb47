"""Launches in host functions that nothing in their file can call, and kernels nothing launches."""

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


OTHER = "__global__ void other() {} int main() { other<<<1, 32>>>(); }\n"


@pytest.mark.parametrize(
    ("path", "text", "unlaunched"),
    [
        ("k.cu", f"static __global__ void lost(int *p) {{ p[0] = 1; }}\n{OTHER}", True),
        ("k.cu", f"template <int N> __global__ void lost(int *p) {{ p[0] = N; }}\n{OTHER}", True),
        ("k.cu", f"__global__ void lost(int *p) {{ p[0] = 1; }}\n{OTHER}", False),
        ("k.cu", "static __global__ void lost(int *p) { p[0] = 1; }\n", False),  # included, perhaps
        ("k.cuh", f"static __global__ void lost(int *p) {{ p[0] = 1; }}\n{OTHER}", False),
        (
            "k.cu",
            f"static __global__ void lost(int *p) {{ p[0] = 1; }}\n{OTHER} auto held = &lost;",
            False,
        ),
        (
            "k.cu",
            f"static __global__ void lost(int *p) {{ p[0] = 1; }} // lost\n{OTHER}",
            True,
        ),
        (
            "k.cu",
            "template <int N> __global__ void lost(int *p) { p[0] = N; }\n"
            f"template __global__ void lost<4>(int *);\n{OTHER}",
            False,
        ),
    ],
)
def test_what_only_its_file_knows_and_never_names_is_not_launched(
    path: str, text: str, unlaunched: bool
) -> None:
    kernels = read_cuda(SourceText(path, text)).kernels
    assert {each.unlaunched for each in kernels if each.name == "lost"} == {unlaunched}
    assert not any(each.unlaunched for each in kernels if each.name == "other")
