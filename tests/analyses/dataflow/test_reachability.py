"""The walk over a graph, against the transitive closure of its edges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import Graph, graphs, reach

from warplint.analyzer.analyses.dataflow.reachability import postorder, reachable


@given(graphs(), st.data())
def test_every_node_on_a_path_is_visited_once(graph: Graph, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.sampled_from(range(len(graph)))))
    visited = list(reachable(starts, graph.__getitem__))
    assert len(visited) == len(set(visited))
    assert set(visited) == {node for start in starts for node in reach(graph, start)}


@given(graphs(), st.data())
def test_the_nearest_come_first(graph: Graph, data: st.DataObject) -> None:
    start = data.draw(st.sampled_from(range(len(graph))))
    distances = {start: 0}
    for _ in graph:
        for node, distance in list(distances.items()):
            for target in graph[node]:
                distances[target] = min(distances.get(target, len(graph)), distance + 1)
    visited = [distances[node] for node in reachable([start], graph.__getitem__)]
    assert visited == sorted(visited)


def test_what_leads_on_is_asked_after_the_caller_has_looked() -> None:
    ahead = {0: [1], 1: [2], 2: [3]}
    visited = []
    for node in reachable([0], lambda each: ahead.get(each, [])):
        visited.append(node)
        if node == 1:
            ahead[1] = [9]
    assert visited == [0, 1, 9]


@given(graphs(), st.data())
def test_postorder_has_each_node_behind_what_it_needs(graph: Graph, data: st.DataObject) -> None:
    needs = [[target for target in targets if target > node] for node, targets in enumerate(graph)]
    start = data.draw(st.sampled_from(range(len(graph))))
    given_before = data.draw(st.frozensets(st.sampled_from(range(len(graph)))))
    known = set(given_before)
    for node in postorder(start, needs.__getitem__, known):
        assert node not in known
        assert known.issuperset(needs[node])
        known.add(node)
    assert start in known
    assert known - given_before <= reach(needs, start)
