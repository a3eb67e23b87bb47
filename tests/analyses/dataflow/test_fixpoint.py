"""The solver, against the least solution by definition: apply everything until nothing changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import Graph, graphs, reach

from warplint.analyzer.analyses.dataflow.fixpoint import solve


@given(graphs(), st.data())
def test_the_least_solution_is_found_in_any_order(graph: Graph, data: st.DataObject) -> None:
    """Each node holds its own number and what the nodes after it hold."""
    order = data.draw(st.permutations(range(len(graph))))
    held: list[set[int]] = [set() for _ in graph]

    def transfer(node: int) -> list[int]:
        new = {node}.union(*(held[target] for target in graph[node]))
        if new == held[node]:
            return []
        held[node] = new
        return [other for other, targets in enumerate(graph) if node in targets]

    solve(order, transfer)
    assert held == [reach(graph, node) for node in range(len(graph))]


@given(graphs(), st.data())
def test_only_what_is_stale_is_visited(graph: Graph, data: st.DataObject) -> None:
    nodes = range(len(graph))
    stale = data.draw(st.sets(st.sampled_from(nodes)))
    expected = sorted(stale)
    visited: list[int] = []

    def transfer(node: int) -> list[int]:
        visited.append(node)
        return []

    solve(nodes, transfer, stale)
    assert visited == expected
    assert not stale


def test_nodes_that_are_added_from_outside_are_visited() -> None:
    stale = {0}
    visited: list[int] = []

    def transfer(node: int) -> list[int]:
        visited.append(node)
        if node == 0:
            stale.add(2)
        return []

    solve([0, 1, 2], transfer, stale)
    assert visited == [0, 2]
