"""What a method sees of the object that it is called on, in host code."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

SOURCE = """
const int rows = 7;
__global__ void k(float *out) { out[threadIdx.x] = 1.0f; }
struct Inner { int wide; };
struct Plan {
    int rows, columns;
    Inner inner;
    int threads() const { return rows * columns; }
    int twice(int of) const { return of * 2 * rows; }
    int widest() const { return inner.wide; }
    void change() { rows = 1; }
    void load();
};
void f(float *out, Plan given) { Plan plan{8, 4, {96}}; %s }
"""


@pytest.mark.parametrize(
    ("statements", "block"),
    [
        ("k<<<1, plan.threads()>>>(out);", 32),
        ("k<<<1, plan.twice(2)>>>(out);", 32),
        ("k<<<1, plan.widest()>>>(out);", 96),
        ("int n = plan.threads(); n += plan.threads(); k<<<1, n>>>(out);", 64),
        ("plan.rows = 16; k<<<1, plan.threads()>>>(out);", 64),
        ("plan.change(); k<<<1, plan.threads()>>>(out);", 4),
        ("plan.load(); k<<<1, plan.threads()>>>(out);", None),  # the object may have changed
        ("k<<<1, given.threads()>>>(out);", None),  # and not the `rows` of the file
        ("Plan *at = &plan; k<<<1, at->threads()>>>(out);", None),
    ],
)
def test_members_of_the_object_are_known_in_its_methods(statements: str, block: int | None) -> None:
    (kernel,) = cuda_module(SOURCE % statements).kernels
    assert kernel.launches[0].block[0] == block
