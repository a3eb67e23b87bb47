"""Loops, control dependence and cycles with two entries, against their definitions."""

from __future__ import annotations

import itertools

import networkx
from hypothesis import given
from ir.graphs import Graph, build, dominates, graphs, reach, successors

from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow
from warplint.analyzer.ir.dominators import post_dominators


def flow_of(graph: Graph) -> tuple[ControlFlow, Graph]:
    kernel = build(graph)
    return ControlFlow(kernel), successors(kernel)


def ends(edges: Graph) -> bool:
    """Whether every block can reach the end of the thread."""
    return all(any(not edges[n] for n in reach(edges, node)) for node in range(len(edges)))


@given(graphs())
def test_loops_are_the_natural_loops(graph: Graph) -> None:
    flow, edges = flow_of(graph)
    count = len(edges)
    expected: dict[int, set[int]] = {}
    for latch in range(count):
        for header in edges[latch]:
            if dominates(edges, 0, header, latch):
                body = {n for n in range(count) if latch in reach(edges, n, without=header)}
                expected.setdefault(header, {header}).update(body & reach(edges, header))
    found = {loop.header.index: {b.index for b in loop.blocks} for loop in flow.loops}
    assert found == expected
    for loop in flow.loops:
        assert {latch.index for latch in loop.latches} == {
            n for n in expected[loop.header.index] if loop.header.index in edges[n]
        }
        assert {block.index for block in loop.exits} == {
            n for n in found[loop.header.index] if set(edges[n]) - found[loop.header.index]
        }


@given(graphs())
def test_loops_nest(graph: Graph) -> None:
    flow, _ = flow_of(graph)
    for loop in flow.loops:
        around = [
            other for other in flow.loops if loop.header in other.blocks and other is not loop
        ]
        smallest = min(around, key=lambda other: len(other.blocks), default=None)
        assert loop.parent is smallest
        assert flow.is_innermost(loop) is not any(
            other.blocks < loop.blocks for other in flow.loops
        )
    for block in flow.blocks:
        nest = flow.loop_nest(block)
        assert set(nest) == {loop for loop in flow.loops if block in loop.blocks}
        for inner, outer in itertools.pairwise(nest):
            assert inner.blocks < outer.blocks


@given(graphs())
def test_iterations_pass_a_block_where_no_way_leads_around_it(graph: Graph) -> None:
    flow, edges = flow_of(graph)
    for loop in flow.loops:
        assert flow.is_in_every_iteration(loop.header, loop)
        for block in loop.blocks - {loop.header}:
            around = reach(edges, loop.header.index, without=block.index)
            missed = any(latch.index in around for latch in loop.latches)
            assert flow.is_in_every_iteration(block, loop) is not missed


@given(graphs())
def test_control_dependence_is_that_of_the_definition(graph: Graph) -> None:
    """Ferrante, Ottenstein, Warren: B post-dominates the edge's target, and not its source."""
    flow, edges = flow_of(graph)
    if not ends(edges):
        return
    tree = post_dominators(flow.blocks)
    for block in flow.blocks:
        expected = {
            (source, target)
            for source in range(len(edges))
            for target in edges[source]
            if len(edges[source]) > 1
            and tree.dominates(block.index, target)
            and (block.index == source or not tree.dominates(block.index, source))
        }
        found = [(e.branch.index, e.target.index) for e in flow.control_edges[block]]
        assert len(found) == len(set(found))
        assert set(found) == expected


@given(graphs())
def test_controlling_edges_are_the_closure(graph: Graph) -> None:
    flow, _ = flow_of(graph)
    for block in flow.blocks:
        expected, work = set(), [block]
        while work:
            for edge in flow.control_edges[work.pop()]:
                if edge not in expected:
                    expected.add(edge)
                    work.append(edge.branch)
        found = flow.controlling_edges(block)
        assert set(found) == expected
        assert len(found) == len(expected)


@given(graphs())
def test_immediate_post_dominators(graph: Graph) -> None:
    flow, edges = flow_of(graph)
    if not ends(edges):
        return
    backwards = networkx.DiGraph()
    backwards.add_edges_from((t, n) for n, out in enumerate(edges) for t in out or [len(edges)])
    expected = networkx.immediate_dominators(backwards, len(edges))
    for block in flow.blocks:
        found = flow.immediate_post_dominator(block)
        assert (len(edges) if found is None else found.index) == expected[block.index]


@given(graphs())
def test_irreducible_regions_are_cycles_that_no_block_dominates(graph: Graph) -> None:
    flow, edges = flow_of(graph)
    for region in flow.irreducible_regions:
        numbers = {block.index for block in region}
        for node in numbers:
            assert numbers <= reach(edges, node)
    in_natural_loops = all(
        dominates(edges, 0, target, node)
        for node, targets in enumerate(edges)
        for target in targets
        if target <= node
    )
    assert bool(flow.irreducible_regions) != in_natural_loops


def test_who_decides_about_leaving_a_loop() -> None:
    """A break under an if: both its own branch and the if decide; an if without break does not."""
    #  0 → 1 header → 2 if → 3 may break → 6;  4 joins, 5 another if, 7 latch
    kernel = build([[1], [2, 6], [3, 4], [4, 6], [5, 7], [7], [], [1]])
    flow = ControlFlow(kernel)
    (loop,) = flow.loops
    assert sorted(block.label for block in flow.exit_decisions(loop)) == ["b1", "b2", "b3"]


@given(graphs())
def test_edges_decide_about_the_blocks_that_name_them(graph: Graph) -> None:
    flow, _ = flow_of(graph)
    named = {block: flow.controlling_edges(block) for block in flow.blocks}
    for chosen in {edge for edges in named.values() for edge in edges}:
        expected = {block for block, edges in named.items() if chosen in edges}
        assert flow.behind_edges(chosen.__eq__) == expected
        branch = chosen.branch
        expected = {b for b, edges in named.items() if any(e.branch is branch for e in edges)}
        assert flow.decided_by([branch]) == expected
    assert flow.decided_by([]) == set()
