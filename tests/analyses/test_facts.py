"""The launches that a kernel is analysed for: stated, inferred, or all usual ones."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from analyses.kernels import cuda_module, facts_of

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.cuda import kernel as lowering
from warplint.analyzer.source.collection import collection_paused

if TYPE_CHECKING:
    import pytest

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


LOOP = """__global__ void k(float *p, int n) {
    __shared__ float s[256];
    for (int i = 0; i < 4; i++) s[threadIdx.x ^ i] = p[threadIdx.x << i];
    p[threadIdx.x] = s[0];
}"""


def test_what_was_found_goes_at_once_when_it_is_released() -> None:
    with collection_paused():
        facts = facts_of(LOOP, (64, 1, 1))
        (launch,) = facts.launches
        (races,) = facts.block_races
        assert races.found or races.between_blocks
        found = launch.iterations(0, facts.flow.loops)
        assert found is not None
        inside = found.each[0].own
        assert inside is not None
        parts = [launch, launch.evaluator(0), races, races.runs, inside.evaluator, inside.guards]
        # An object of a compiled class takes no weak references; what it holds shows that it went.
        watched = [each for each in (facts, *parts) if hasattr(type(each), "__weakref__")]
        assert len(watched) >= 3
        gone = list(map(weakref.ref, watched))
        facts.release()
        del facts, launch, races, found, inside, parts, watched
        assert [each() for each in gone] == [None] * len(gone)


def test_what_lowering_needed_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[object]] = []
    real = lowering._context

    def noted(*given: object) -> object:
        context = real(*given)  # type: ignore[arg-type]
        made.append(weakref.ref(context))
        return context

    monkeypatch.setattr(lowering, "_context", noted)
    with collection_paused():
        assert cuda_module(LOOP).kernels
        assert made
        assert not any(each() for each in made)
