"""The launches that a kernel is analysed for: stated, inferred, or all usual ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import cuda_module, facts_of

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions

FILLS = "__global__ void k(int *p) { __shared__ int s[128]; s[threadIdx.x] = p[0]; p[1] = s[2]; }"
DEEP = "__global__ {} void k(int *p) {{ p[threadIdx.y] = 1; }}"


def blocks(text: str, **options: object) -> list[Dimensions]:
    module = cuda_module(text)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions(**options))  # type: ignore[arg-type]
    return [each.launch.block for each in facts.launches]


def test_a_shape_is_inferred_where_nobody_states_it() -> None:
    assert blocks(FILLS) == [(128, 1, 1)]
    assert blocks(FILLS, infer=False) == [(256, 1, 1)]
    assert blocks(FILLS, block=(64, 1, 1)) == [(64, 1, 1)]
    stated = FILLS + "\nvoid run(int *p) { k<<<1, 32>>>(p); k<<<1, 96>>>(p); }"
    assert blocks(stated) == [(32, 1, 1), (96, 1, 1)]


def test_usual_blocks_are_asked_where_the_default_says_nothing() -> None:
    (launch,) = facts_of(DEEP.format("")).launches
    assert not launch.launch.trusted
    assert (16, 16, 1) in launch.launch.usual
    (bounded,) = facts_of(DEEP.format("__launch_bounds__(128)")).launches
    assert (16, 16, 1) not in bounded.launch.usual
    (given,) = facts_of(DEEP.format(""), (8, 8, 1)).launches
    assert given.launch.usual == ()


def test_elements_of_no_known_type_have_sizes_to_ask_for() -> None:
    (launch,) = facts_of("template <class T> __global__ void k(T *p) { p[0] = p[1]; }").launches
    assert launch.launch.elements
    (known,) = facts_of("__global__ void k(int *p) { p[0] = p[1]; }").launches
    assert known.launch.elements == ()


def test_overruns_and_cost_are_those_of_the_kernel() -> None:
    text = "__device__ int s[10]; __global__ void k() { s[threadIdx.x] = 1; }"
    facts = facts_of(text, (32, 1, 1), (4, 1, 1))
    assert [each.thread for each in facts.overruns] == [31]
    assert facts.launches[0].cost is facts.launches[0].cost
