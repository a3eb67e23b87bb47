"""Where the threads go that do not take an edge to a barrier."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of, ptx_facts
from hypothesis import given, settings
from ir.graphs import Graph, build, graphs, reach, successors

from warplint.analyzer.analyses.dataflow.alternative_paths import AlternativePaths, meets_all
from warplint.analyzer.analyses.dataflow.control_flow import ControlEdge
from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.ir.kernel import Module

Edges = list[tuple[AlternativePaths, ControlEdge]]


def edge_to_barrier(facts: KernelFacts) -> tuple[AlternativePaths, ControlEdge]:
    """The edge that decides directly about the kernel's one barrier."""
    (block,) = {each.block for each in facts.kernel.operations() if meets_all(each)}
    assert block is not None
    (edge,) = facts.flow.control_edges[block]
    return facts.alternative_paths, edge


def of_body(body: str) -> tuple[AlternativePaths, ControlEdge]:
    return edge_to_barrier(body_facts(body))


LEAVING = "if (threadIdx.x > n) return; __syncthreads(); p[0] = 1;"
SKIPPING = "if (threadIdx.x < n) { __syncthreads(); } p[0] = 1;"
SKIPPING_TO_END = "if (threadIdx.x < n) { __syncthreads(); }"
TRAPPING = "if (threadIdx.x > n) __trap(); __syncthreads(); p[0] = 1;"
WRITING = "if (threadIdx.x > n) { p[1] = 2; return; } __syncthreads(); p[0] = 1;"
LOOPING = "for (int i = threadIdx.x; i < n; i++) { __syncthreads(); }"


@pytest.mark.parametrize(
    ("body", "leave", "stop", "do_nothing"),
    [
        (LEAVING, True, False, True),
        (WRITING, True, False, False),
        (SKIPPING, False, False, False),  # the kernel goes on, and ends without a return
        (SKIPPING_TO_END, False, False, True),
        (TRAPPING, True, True, True),
    ],
)
def test_leaving_stopping_and_doing_nothing(
    body: str, *, leave: bool, stop: bool, do_nothing: bool
) -> None:
    paths, edge = of_body(body)
    assert paths.leave(edge) is leave
    assert paths.stop(edge) is stop
    assert paths.do_nothing(edge) is do_nothing
    assert not paths.return_at_once(edge)  # asked of PTX alone


def test_threads_of_a_loop_come_again_or_not() -> None:
    paths, edge = of_body(LOOPING)
    assert edge.target in edge.branch.successors
    assert not paths.may_come(edge, edge.target)
    assert not paths.may_meet_barrier(edge)
    body = "if (threadIdx.x < n) p[0] = 1; else if (n > 3) return; __syncthreads();"
    facts = body_facts(body)
    (block,) = {each.block for each in facts.kernel.operations() if meets_all(each)}
    assert block is not None
    first, second = facts.flow.control_edges[block]
    assert facts.alternative_paths.may_come(first, block)
    assert facts.alternative_paths.leave(second)


def test_another_barrier_for_the_others() -> None:
    body = "if (threadIdx.x < n) { p[0] = 1; __syncthreads(); } else { p[1] = 1; __syncthreads(); }"
    facts = body_facts(body)
    for block in {each.block for each in facts.kernel.operations() if meets_all(each)}:
        assert block is not None
        (edge,) = facts.flow.control_edges[block]
        assert facts.alternative_paths.may_meet_barrier(edge)
        assert not facts.alternative_paths.leave(edge)


def test_coming_or_stopping() -> None:
    paths, edge = of_body(TRAPPING)
    assert paths.come_or_stop(edge, edge.target)
    paths, edge = of_body(LEAVING)
    assert not paths.come_or_stop(edge, edge.target)  # nothing stops the grid there
    both = "if (threadIdx.x > n) { if (n == 3) __trap(); return; } __syncthreads(); p[0] = 1;"
    paths, edge = of_body(both)
    assert not paths.come_or_stop(edge, edge.target)


def test_the_return_of_an_inlined_function_leads_nowhere_else() -> None:
    text = """__device__ void half(int *p, int n) {
        if (threadIdx.x > n) return;
        __syncthreads(); p[0] = 1; }
    __global__ void k(int *p, int n) { half(p, n); }"""
    paths, edge = edge_to_barrier(facts_of(text, (64, 1, 1)))
    assert paths.leave(edge)


def test_in_ptx_a_guard_and_an_early_return_look_alike() -> None:
    facts = ptx_facts("setp.gt.u32 %p1, %r2, %r1; @%p1 bra DONE; bar.sync 0; DONE:", None)
    paths, edge = edge_to_barrier(facts)
    assert paths.return_at_once(edge)
    assert not paths.leave(edge)


@settings(max_examples=60)
@given(graphs(6))
def test_who_may_come_to_a_block_all_the_same(graph: Graph) -> None:
    kernel = build(graph)
    facts = KernelFacts(kernel, Module("cuda", kernel.span.source), AnalysisOptions())
    edges = successors(kernel)
    for branch in kernel.blocks:
        without = [[] if at == branch.index else to for at, to in enumerate(edges)]
        for target in branch.successors if len(branch.successors) > 1 else ():
            others = [each for each in branch.successors if each not in (target, branch)]
            reached = {each for other in others for each in reach(without, other.index)}
            edge = ControlEdge(branch, target)
            for block in kernel.blocks:
                if block is not branch:
                    found = facts.alternative_paths.may_come(edge, block)
                    assert found is (block.index in reached)
