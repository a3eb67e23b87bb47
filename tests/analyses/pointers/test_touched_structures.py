"""How much of a structure kernels touch: their own, and the others of the file."""

from __future__ import annotations

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
