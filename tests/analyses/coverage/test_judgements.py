"""What was not analysed is counted, with the reason; what stands beyond it is not kept quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import body_facts, cuda_module

from warplint.analyzer.analyses.coverage.judgements import judgements
from warplint.analyzer.analyses.coverage.remedies import Remedy, remedy_for
from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts

if TYPE_CHECKING:
    from warplint.analyzer.analyses.coverage.judgement import Judgement


def gaps(facts: KernelFacts) -> list[Judgement]:
    return [each for each in judgements(facts) if each.reason]


def reasons(facts: KernelFacts) -> list[tuple[str, str, int]]:
    return [(each.kind, each.reason, each.count) for each in gaps(facts)]


def test_a_block_that_cannot_be_run_to_its_end_is_counted() -> None:
    part = 'asm volatile("bar.sync 1;");'
    facts = body_facts(f"if (threadIdx.x < 40) {part}\np[threadIdx.x + 1] = n;")
    assert reasons(facts) == []  # nobody has asked for races
    assert facts.races == ()
    again = type(facts)(facts.kernel, facts.module, facts.options)
    _ = again.races
    reason = "race search incomplete: parts of the block wait for each other at named barriers"
    assert reasons(again) == [("kernel", reason, 1)]


def test_a_kernel_beyond_its_budget_is_counted() -> None:
    facts = body_facts("p[threadIdx.x] = n;")
    facts.budget.left = 0
    reason = "some warps not evaluated: analysis budget exhausted"
    assert ("kernel", reason, 1) in reasons(facts)


def test_instances_beyond_those_that_are_analysed_are_counted() -> None:
    launches = "".join(f"k<{number}><<<1, 32>>>(p);" for number in range(11))
    text = "template <int N> __global__ void k(int *p) { p[threadIdx.x] = N; }"
    module = cuda_module(f"{text} void host(int *p) {{ {launches} }}")
    reason = "their template has more instances than are analysed"
    options = AnalysisOptions(90)
    counts = [reasons(KernelFacts(kernel, module, options)) for kernel in module.kernels]
    assert counts == [[]] * 7 + [[("instance", reason, 3)]]


def test_loops_behind_loops_cost_no_more_than_the_budget() -> None:
    steps = (f"for (int i{k} = 0; i{k} < 8; i{k}++) y = y * 3 + (i{k} ^ {k});" for k in range(40))
    facts = body_facts(f"int y = threadIdx.x & 3; {' '.join(steps)} p[y & 255] = n;")
    facts.budget.left = 50  # of some 4,000 values
    assert facts.global_accesses
    assert -50 < facts.budget.left <= 0


def test_each_access_is_judged_with_the_remedy_that_would_help() -> None:
    text = """template <typename T> __global__ void k(T *p, float *q, int *at, int n) {
        q[threadIdx.x] = 1.0f;
        q[at[threadIdx.x]] = 2.0f;
        *(T *)(at + 2 * threadIdx.x) = *(T *)(at + 2 * threadIdx.x);
        q[threadIdx.x * (n & 7)] = 3.0f;
    }"""
    (kernel,) = (module := cuda_module(text)).kernels
    facts = KernelFacts(kernel, module, AnalysisOptions(90))
    found = [(each.what, remedy_for(each.kind, each.reason)) for each in gaps(facts)]
    assert found == [("global load", Remedy.INSTANCE), ("global store", Remedy.INSTANCE)]
    bounds = [each.decided_by for each in judgements(facts) if not each.reason]
    assert bounds == ["", "", "data", "a value"]  # the last is a size without a name
