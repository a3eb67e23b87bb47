"""Block shapes that arrays give away, and arrays that say nothing."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_shape.block_inference import use_of
from warplint.analyzer.ir.memory import Space

DEFAULT = (256, 1, 1)


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("__shared__ int s[128]; s[threadIdx.x] = 1;", (128, 1, 1)),
        ("__shared__ int s[128]; s[threadIdx.x] = 1; s[threadIdx.x + 64] = 2;", (64, 1, 1)),
        ("__shared__ int s[16][17]; s[threadIdx.y][threadIdx.x] = 1;", (16, 16, 1)),
        ("__shared__ int s[8][32]; s[threadIdx.y][threadIdx.x] = 1;", (32, 8, 1)),
        ("__shared__ int s[8][8]; s[threadIdx.y][threadIdx.x] = 1;", (8, 8, 1)),
        ("__shared__ int s[4][4]; s[threadIdx.y][threadIdx.x] = 1;", (4, 4, 1)),
        ("__shared__ int s[2][2]; s[threadIdx.y][threadIdx.x] = 1;", (2, 2, 1)),
        (
            "__shared__ int s[2][2]; if (threadIdx.x < 2 && threadIdx.y < 2)"
            " s[threadIdx.y][threadIdx.x] = 1;",
            DEFAULT,
        ),
        ("__shared__ int s[128]; if (threadIdx.x < 128) s[threadIdx.x] = 1;", DEFAULT),
        ("__shared__ int s[100]; s[threadIdx.x % 10] = 1;", DEFAULT),
        (
            "__shared__ int s[256]; s[threadIdx.x] = n; __syncthreads();"
            " p[threadIdx.x] = s[127 - threadIdx.x] + s[255 - threadIdx.x];",
            (128, 1, 1),
        ),
        (
            "__shared__ int s[128]; for (int i = threadIdx.x; i < 128; i += blockDim.x) s[i] = 1;",
            DEFAULT,
        ),
        (
            "__shared__ int s[256]; for (int k = 0; k < n; k++)"
            " { s[threadIdx.x] = k; __syncthreads(); }",
            (256, 1, 1),
        ),
        (
            "__shared__ int s[WIDTH], last[4];"
            " s[threadIdx.x] = n; __syncthreads(); last[0] = s[n]; p[n] = last[0];",
            DEFAULT,
        ),
        (
            "__shared__ int u[WIDTH], s[128]; u[threadIdx.x] = n; s[threadIdx.x] = n;",
            (128, 1, 1),
        ),
    ],
)
def test_the_largest_shape_that_stays_inside(body: str, block: tuple[int, int, int]) -> None:
    (launch,) = facts_of(f"__global__ void k(int *p, int n) {{ {body} }}").launches
    assert launch.launch.block == block
    assert launch.launch.inferred is ("fills" in launch.launch.origin)
    assert "None" not in launch.launch.origin


def test_a_shape_that_is_given_is_not_inferred() -> None:
    facts = facts_of(
        "__global__ void k() { __shared__ int s[64]; s[threadIdx.x] = 1; }", (32, 1, 1)
    )
    assert facts.launches[0].launch.block == (32, 1, 1)


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("p[blockIdx.x * 128 + threadIdx.x] = 1;", (128, 1, 1)),
        ("int i = blockIdx.x * 64 + threadIdx.x; if (i < n) p[i] = 1;", (64, 1, 1)),
        ("p[(blockIdx.x * 64 + threadIdx.x) * 2] = 1;", (64, 1, 1)),
        ("int i = (blockIdx.x * 64 + threadIdx.x) * 2; p[i] = 1; p[i + 1] = 2;", (64, 1, 1)),
        ("p[blockIdx.y * n + blockIdx.x * 512 + threadIdx.x] = 1;", (512, 1, 1)),
        # A thread does the work of several.
        ("int i = blockIdx.x * 512 + threadIdx.x; p[i] = 1; p[i + 256] = 2;", DEFAULT),
        ("for (int k = 0; k < 2; k++) p[blockIdx.x * 512 + k * n + threadIdx.x] = 1;", DEFAULT),
        # Some threads only: the others may do something else.
        ("if (threadIdx.x < 64) p[blockIdx.x * 64 + threadIdx.x] = 1;", DEFAULT),
        ("if (threadIdx.x + n < 64) p[blockIdx.x * 64 + threadIdx.x] = 1;", DEFAULT),
        # Part of a warp, more threads than a block can have, or two answers.
        ("p[blockIdx.x * 30 + threadIdx.x] = 1;", DEFAULT),
        ("p[blockIdx.x * 4096 + threadIdx.x] = 1;", DEFAULT),
        (
            "p[blockIdx.x * 64 + threadIdx.x] = 1; p[n + blockIdx.x * 128 + threadIdx.x] = 1;",
            DEFAULT,
        ),
        ("p[blockIdx.x * blockDim.x + threadIdx.x] = 1;", DEFAULT),
        ("p[blockIdx.x * 128 + threadIdx.x] = threadIdx.y;", DEFAULT),
    ],
)
def test_where_the_next_block_goes_on(body: str, block: tuple[int, int, int]) -> None:
    (launch,) = facts_of(f"__global__ void k(int *p, int n) {{ {body} }}").launches
    assert launch.launch.block == block
    assert launch.launch.inferred is ("contiguous" in launch.launch.origin)


@pytest.mark.parametrize(("offset", "suits"), [("0", True), ("32", False), ("p[0]", True)])
def test_where_data_leads_tells_nothing_of_the_block(offset: str, *, suits: bool) -> None:
    (launch,) = facts_of(
        "__global__ void __launch_bounds__(64) k(int *p) { __shared__ int s[1024];"
        f" s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); int at = threadIdx.x + {offset};"
        " p[threadIdx.x] = s[at % 384]; }"
    ).launches
    (item,) = (each for each in launch.facts.kernel.objects if each.space is Space.SHARED)
    assert use_of(launch, item).suits is suits
