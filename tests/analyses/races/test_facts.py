"""Races of a kernel: for all launches together, and what is not looked into."""

from __future__ import annotations

from analyses.kernels import cuda_module, facts_of

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.launch.kernel_size import most_to_run
from warplint.analyzer.ir.memory import Space

RACE = """__global__ void k(int *p) { __shared__ int s[64]; int t = threadIdx.x;
    s[t] = p[t]; p[t] = s[63 - t]; }"""


def test_a_kernel_that_is_too_large_is_not_run() -> None:
    module = cuda_module(RACE)
    size = sum(1 for _ in module.kernels[0].operations())
    for limit, found in ((10 * size, True), (most_to_run(size), False)):
        facts = KernelFacts(
            module.kernels[0], module, AnalysisOptions(90, (64, 1, 1), kernel_size=limit)
        )
        assert bool(facts.races) is found
        assert bool(facts.block_races) is found
        assert bool(facts.unfinished) is not found


def test_elements_of_no_known_type_get_a_size() -> None:
    text = RACE.replace("__global__ void k(int *p)", "template <class T> __global__ void k(T *p)")
    facts = facts_of(text.replace("__shared__ int s", "__shared__ T s"), (64, 1, 1))
    assert facts.sized is not facts
    assert facts.races
    plain = facts_of(RACE, (64, 1, 1))
    assert plain.sized is plain


def test_a_square_block_where_nothing_says_how_many_rows_there_are() -> None:
    text = "__global__ void k(int *p, int n) { p[threadIdx.y * n + threadIdx.x] = 1; }"
    (races,) = facts_of(text).block_races
    assert races.launch.launch.block == (16, 16, 1)
    (given,) = facts_of(text, (8, 4, 1)).block_races
    assert given.launch.launch.block == (8, 4, 1)


def test_another_usual_block_where_a_square_is_none() -> None:
    deep = "__global__ void k(int *p, int n) { p[threadIdx.z * n + threadIdx.y] = 1; }"
    few = "__global__ void __launch_bounds__(128) k(int *p, int n) { p[threadIdx.y * n] = 1; }"
    for text in (deep, few):
        (races,) = facts_of(text).block_races
        assert races.launch.launch.block in races.launch.launch.usual


def test_copies_are_only_looked_for_where_there_are_any() -> None:
    assert facts_of(RACE, (64, 1, 1)).unwaited_copies == ()


def test_a_block_of_unknown_rows_is_run_for_races_alone() -> None:
    text = "__global__ void k(int *p) { __shared__ int s[64]; s[threadIdx.y * 3] = p[0]; }"
    assert facts_of(text).shaped_races == ()
    assert len(facts_of(text).block_races) == 1
    assert len(facts_of(text, doubted=True).shaped_races) == 1
    assert len(facts_of(text, (8, 8, 1)).shaped_races) == 1


def test_arrays_have_ends_where_their_sizes_are_known() -> None:
    text = "__global__ void k(int *p) {{ {} p[threadIdx.x] = 1; }}"
    assert facts_of(text.format("")).spaces_with_ends == frozenset()
    shared = "__shared__ int s[8]; s[threadIdx.x] = 2;"
    assert facts_of(text.format(shared)).spaces_with_ends == {Space.SHARED}
    dynamic = "extern __shared__ int s[]; s[threadIdx.x] = 2;"
    assert facts_of(text.format(dynamic)).spaces_with_ends == frozenset()
