"""What launches pass in members of objects: numbers, sizes behind pointers, and what is unknown."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

BUFFER = """
struct Buffer { float *data; int n; };
struct Pair { Buffer first, second; };
struct Made { float *data; int n; Made(float *d, int m) : data(d), n(m) {} };
void fill(Buffer &b); void look(Buffer b); Buffer other();
__global__ void k(Buffer b) { if (threadIdx.x < b.n) b.data[threadIdx.x] = 1; }
__global__ void m(Made b) { if (threadIdx.x < b.n) b.data[threadIdx.x] = 1; }
__global__ void pair(Pair p) { if (threadIdx.x < p.second.n) p.second.data[threadIdx.x] = 1; }
"""


def passed(body: str) -> list[tuple[int | None, object]]:
    """The number and the size behind the pointer that each launch passes, in its members."""
    module = cuda_module(BUFFER + "void h(int q) { " + body + " }")
    found = []
    for kernel in module.kernels:
        names = {each.name.rpartition(".")[2]: each.index for each in kernel.members}
        found += [
            (launch.arguments[names["n"]], launch.sizes[names["data"]])
            for launch in kernel.launches
        ]
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Buffer b; b.n = 64; cudaMalloc(&b.data, 256); k<<<1, 64>>>(b);", (64, 256)),
        ("Buffer b{nullptr, 64}; cudaMalloc(&b.data, b.n * 4); k<<<1, 64>>>(b);", (64, 256)),
        ("Buffer b; b.n = 64; cudaMalloc(&b.data, 256); Buffer c = b; k<<<1, 64>>>(c);", (64, 256)),
        ("Buffer b; b.n = 64; cudaMalloc(&b.data, 256); auto c = b; k<<<1, 64>>>(c);", (64, 256)),
        ("float *d; cudaMalloc(&d, 256); k<<<1, 64>>>(Buffer{d, 64});", (64, 256)),
        ("float *d; cudaMalloc(&d, 256); k<<<1, 64>>>({d, 64});", (None, None)),
        ("float *d; cudaMalloc(&d, 256); m<<<1, 64>>>(Made(d, 64));", (64, 256)),
        ("float *d; cudaMalloc(&d, 256); Made b(d, 64); m<<<1, 64>>>(b);", (64, 256)),
        (
            "Pair p; p.second.n = 64; cudaMalloc(&p.second.data, 256); pair<<<1, 64>>>(p);",
            (64, 256),
        ),
        ("Buffer b; b.n = 64; cudaMalloc(&b.data, 256); look(b); k<<<1, 64>>>(b);", (64, 256)),
        # What somebody else may have written is not known.
        ("Buffer b; b.n = 64; cudaMalloc(&b.data, 256); fill(b); k<<<1, 64>>>(b);", (None, None)),
        ("Buffer b; b.n = 64; b = other(); k<<<1, 64>>>(b);", (None, None)),
        ("Buffer b; b.n = 64; if (q) b.n = 32; k<<<1, 64>>>(b);", (None, None)),
        ("Buffer b; b.n = 64; Buffer *p = &b; p->n = 3; k<<<1, 64>>>(b);", (None, None)),
        ("Buffer b; b.n = 64; Buffer &r = b; r.n = 3; k<<<1, 64>>>(b);", (None, None)),
        ("Buffer b; b.n = 64; while (q--) { b.n++; } k<<<1, 64>>>(b);", (None, None)),
    ],
)
def test_members_that_a_launch_passes(body: str, expected: tuple[int | None, object]) -> None:
    assert passed(body) == [expected]


def test_a_lambda_holds_what_it_copied_when_it_was_made() -> None:
    module = cuda_module("""
    template <class F> __global__ void apply(F f) { f(threadIdx.x); }
    template <class F> void launch(F f) { apply<<<1, 64>>>(f); }
    void h()
    {
        float *d;
        int n = 64;
        cudaMalloc(&d, 256);
        auto f = [=] __device__ (int i) { if (i < n) d[i] = 1; };
        n = 32;
        launch(f);
        launch([=] __device__ (int i) { if (i < n) d[i] = 2; });
    }""")
    first, second = module.kernels
    assert [each.name for each in first.members] == ["f.n", "f.d"]
    assert [launch.arguments for launch in first.launches] == [(None, 64, None)]
    assert [launch.arguments for launch in second.launches] == [(None, 32, None)]
    assert [launch.sizes for launch in second.launches] == [(None, None, 256)]
