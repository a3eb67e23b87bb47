"""Launches that pass one pointer for two parameters: an instance with one array for both."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

FILE = """
struct View {{ float *data; int size; }};
__global__ void k(const float *in, float *out, int n) {{ out[threadIdx.x] = in[n]; }}
float *made();
void host(float *p, float *q, View v, View w, float **rows, int i, int n) {{
    {launches}
}}
"""


def sames(launches: str) -> list[list[tuple[int, ...]]]:
    """For each instance of the kernel, what its launches say."""
    kernels = cuda_module(FILE.format(launches=launches)).kernels
    return [[launch.same for launch in kernel.launches] for kernel in kernels]


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        ("p, p, 1", (0, 0, 2)),
        ("p, (float *)p, 1", (0, 0, 2)),
        ("v.data, v.data, 1", (0, 0, 2)),
        ("rows[1], rows[1], 1", (0, 0, 2)),
        ("p, q, 1", ()),
        ("p, p + n, 1", ()),
        ("v.data, w.data, 1", ()),
        ("rows[0], rows[1], 1", ()),
        ("rows[i], rows[i], 1", ()),  # not looked at
        ("rows[i++], rows[i++], 1", ()),
        ("made(), made(), 1", ()),
    ],
)
def test_two_arguments_are_one_pointer_where_both_name_it(
    arguments: str, same: tuple[int, ...]
) -> None:
    assert sames(f"k<<<1, 32>>>({arguments});") == [[same]]


def test_such_launches_are_of_an_instance_of_their_own() -> None:
    launches = "k<<<1, 32>>>(p, q, 1); k<<<1, 32>>>(p, p, 1); k<<<1, 64>>>(q, p, 1);"
    assert sames(launches) == [[(), ()], [(0, 0, 2)]]


def test_both_parameters_lead_to_one_array() -> None:
    kernels = cuda_module(FILE.format(launches="k<<<1, 32>>>(p, p, 1);")).kernels
    assert [[each.name for each in kernel.objects] for kernel in kernels] == [["*in"]]


def test_what_is_read_alone_needs_no_instance() -> None:
    text = """
    __global__ void k(const int *a, const int *b, int *c, int n, int m)
    { c[threadIdx.x] = a[n] + b[m]; }
    void host(int *p, int *q, int n) { k<<<1, 32>>>(p, p, q, n, n); }
    """
    kernels = cuda_module(text).kernels
    assert [launch.same for kernel in kernels for launch in kernel.launches] == [()]


def test_parameters_of_types_that_cannot_point_to_one_thing_stay_two() -> None:
    text = """
    __global__ void k(int *a, long b) { a[threadIdx.x] = b; }
    void host(auto p) { k<<<1, 32>>>(p, p); }
    """
    kernels = cuda_module(text).kernels
    assert [launch.same for kernel in kernels for launch in kernel.launches] == [()]
