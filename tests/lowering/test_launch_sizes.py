"""Kernel arguments that are the size of the block, whatever that size may be."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

SOURCE = """
__global__ void rows(float *p, int n, int m) {{ p[threadIdx.x] = n + m; }}
{helper}
void host(float *p, int n, int m, bool wide) {{ {body} }}
"""


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        ("rows<<<1, n>>>(p, n, m);", (None, 0, None)),
        ("rows<<<1, dim3(m, n)>>>(p, n, m);", (None, 1, 0)),
        ("const int t = n; dim3 b(t, 1); rows<<<1, b>>>(p, n, m);", (None, 0, None)),
        ("dim3 block; block.y = n; rows<<<1, block>>>(p, n, m);", (None, 1, None)),
        ("if (n % 32 == 0) { int t = n; rows<<<1, t>>>(p, n, t); }", (None, 0, 0)),
        (
            "void *all[] = {&p, &n, &m}; cudaLaunchKernel((void *)rows, 1, dim3(n), all, 0, 0);",
            (None, 0, None),
        ),
        ("void *all[] = {&p, &n, &m}; all[1] = &m;"
         "cudaLaunchKernel((void *)rows, 1, dim3(n), all, 0, 0);", ()),
        ("const int t = 100; rows<<<1, t>>>(p, t, 99);", (None, 0, None)),
        ("rows<<<4, 256>>>(p, 1024, 256);", (None, None, 0)),
        ("dim3 b(8, 1); rows<<<1, b>>>(p, 1, 8);", (None, None, 0)),
        ("rows<<<1, n + 1>>>(p, n, m);", (None, None, None)),
        ("int t = n; n = m; rows<<<1, t>>>(p, n, m);", (None, None, None)),
        ("unsigned char t = n; rows<<<1, t>>>(p, n, m);", (None, None, None)),
        ("int t = n; if (wide) t = m; rows<<<1, t>>>(p, n, m);", (None, None, None)),
        ("dim3 b(n); if (wide) b = dim3(m); rows<<<1, b>>>(p, n, m);", (None, None, None)),
        ("dim3 b(n); b.x = m * 2; rows<<<1, b>>>(p, n, m);", (None, None, None)),
        ("dim3 b(n); while (wide) { rows<<<1, b>>>(p, n, m); b = dim3(m); }", (None, None, None)),
        ("dim3 b(n); read(&n); rows<<<1, b>>>(p, n, m);", (None, None, None)),
    ],
)  # fmt: skip
def test_an_argument_may_be_the_size_of_the_block(body: str, axes: tuple[int | None, ...]) -> None:
    (found,) = cuda_module(SOURCE.format(helper="void read(int *n);", body=body)).launches
    assert found.axes == axes


def test_what_one_call_passes_twice_another_need_not() -> None:
    helper = "void go(float *p, int t, int n) { rows<<<1, t>>>(p, n, n); }"
    (found,) = cuda_module(SOURCE.format(helper=helper, body="go(p, n, n); go(p, n, m);")).launches
    assert found.axes == (None, None, None)
