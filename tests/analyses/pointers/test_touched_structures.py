"""How much of a structure kernels touch: their own, and the others of the file."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts

FILE = """
struct Body { float x, y, z, mass; };
__global__ void part(Body *b, float *o) { o[threadIdx.x] = b[threadIdx.x].mass; }
__global__ void most(Body *b) { b[threadIdx.x].x = b[threadIdx.x].y + b[threadIdx.x].z; }
__global__ void none(float *o) { o[threadIdx.x] = 1.0f; }
"""


def facts(name: str) -> KernelFacts:
    module = cuda_module(FILE)
    kernel = next(each for each in module.kernels if each.name == name)
    return KernelFacts(kernel, module, AnalysisOptions())


def test_members_are_told_apart() -> None:
    assert [*facts("part").touched_structures.values()] == [4]
    assert [*facts("most").touched_structures.values()] == [12]
    assert facts("none").touched_structures == {}


def test_the_most_that_another_kernel_touches() -> None:
    assert [*facts("part").touched_elsewhere.values()] == [12]
    assert [*facts("most").touched_elsewhere.values()] == [4]
    assert [*facts("none").touched_elsewhere.values()] == [12]


def test_who_asks_for_others_rests_on_them() -> None:
    asking = facts("part")
    assert asking.touched_structures
    assert not asking.rests_on_others
    assert asking.touched_elsewhere
    assert asking.rests_on_others


BEHIND = """
struct Cell { float distance, weight; };
struct Grid { Cell cells[8][8][8]; };
struct Fields { Cell *cells; float4 *force; int n; };
__global__ void member(Fields f) { f.cells[threadIdx.x].weight = 1.0f; }
__global__ void loaded(Grid **grids)
{
    grids[blockIdx.x]->cells[threadIdx.z][threadIdx.y][threadIdx.x].weight = 1.0f;
}
__global__ void vector(Fields f) { f.force[threadIdx.x].w = 1.0f; }
__global__ void tile(Fields f)
{
    __shared__ float4 tile[32];
    tile[threadIdx.x] = make_float4(1.0f, 1.0f, 1.0f, 1.0f);
    __syncthreads();
    f.force[threadIdx.x].w = tile[31 - threadIdx.x].w;
}
"""


@pytest.mark.parametrize(
    ("name", "structure", "touched"),
    [
        ("member", "Cell", 4),  # behind a pointer in a parameter
        ("loaded", "Cell", 4),  # behind a pointer from memory: the element, not the whole grid
        ("vector", "float4", 4),
        ("tile", "float4", 4),  # what is in shared memory is the kernel's own
    ],
)
def test_structures_behind_pointers_that_are_no_parameters(
    name: str, structure: str, touched: int
) -> None:
    module = cuda_module(BEHIND)
    kernel = next(each for each in module.kernels if each.name == name)
    found = KernelFacts(kernel, module, AnalysisOptions()).touched_structures
    assert {each.name: count for each, count in found.items()} == {structure: touched}
