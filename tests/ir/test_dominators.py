"""Dominator trees against the definition, on graphs of any shape."""

from __future__ import annotations

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir.graphs import Graph, build, dominates, graphs, reach, successors

from warplint.analyzer.ir.dominators import DominatorTree, dominators, post_dominators
from warplint.analyzer.ir.verifier import verify


@given(graphs())
def test_dominators_are_those_of_the_definition(graph: Graph) -> None:
    kernel = build(graph)
    assert verify(kernel) == []
    tree, edges = dominators(kernel.blocks), successors(kernel)
    for above in range(len(edges)):
        for below in range(len(edges)):
            assert tree.dominates(above, below) == dominates(edges, 0, above, below)


@given(graphs())
def test_immediate_dominators_are_those_of_networkx(graph: Graph) -> None:
    kernel = build(graph)
    tree = dominators(kernel.blocks)
    directed = networkx.DiGraph()
    directed.add_nodes_from(range(len(kernel.blocks)))
    directed.add_edges_from((a, b) for a, out in enumerate(successors(kernel)) for b in out)
    expected = dict(networkx.immediate_dominators(directed, 0))
    expected[0] = 0
    assert dict(enumerate(tree.parent)) == expected


def _with_exit(edges: Graph) -> tuple[Graph, list[int]]:
    """The graph turned around, rooted at the virtual exit, and the blocks of no way out."""
    count = len(edges)
    endless = [node for node in range(count) if not any(not edges[n] for n in reach(edges, node))]
    around: Graph = [[] for _ in range(count + 1)]
    for node, targets in enumerate(edges):
        for target in targets or [count]:
            around[target].append(node)
    return around, endless


@given(graphs())
def test_post_dominators_are_those_of_the_definition(graph: Graph) -> None:
    kernel = build(graph)
    tree, edges = post_dominators(kernel.blocks), successors(kernel)
    around, endless = _with_exit(edges)
    assert tree.root == len(edges)
    if endless:  # where threads never end, post-dominance is a convention: all have one
        assert all(tree.dominates(tree.root, node) for node in range(len(edges)))
        return
    for above in range(len(edges) + 1):
        for below in range(len(edges)):
            assert tree.dominates(above, below) == dominates(around, len(edges), above, below)


def test_an_endless_loop_has_post_dominators() -> None:
    kernel = build([[1], [2], [1]])
    tree = post_dominators(kernel.blocks)
    assert tree.parent == [1, 2, 3, 3]


def test_an_endless_loop_does_not_disturb_the_rest() -> None:
    #     0 → 1 → 2 (end);  1 → 3 ⟲
    kernel = build([[1], [2, 3], [], [3]])
    names = {block.label: block.index for block in kernel.blocks}
    tree = post_dominators(kernel.blocks)
    assert tree.parent[names["entry"]] == names["b1"]
    assert tree.parent[names["b1"]] == tree.root
    assert tree.parent[names["b2"]] == tree.root
    assert tree.parent[names["b3"]] == tree.root


def test_what_is_not_in_the_tree_dominates_nothing() -> None:
    tree = DominatorTree(0, [0, 1], [[], [0], [2]])
    assert tree.dominates(0, 1)
    assert not tree.dominates(0, 2)
    assert not tree.dominates(2, 0)


@pytest.mark.parametrize("count", [20_000])
def test_long_chains_take_neither_recursion_nor_long(count: int) -> None:
    kernel = build([[i + 1] for i in range(count)] + [[]])
    assert dominators(kernel.blocks).parent[count] == count - 1
    assert post_dominators(kernel.blocks).parent[0] == 1


@given(graphs(), st.sets(st.integers(0, 12)))
def test_the_nearest_of_some_blocks_is_the_one_all_others_of_them_dominate(
    graph: Graph, some: set[int]
) -> None:
    tree = dominators(build(graph).blocks)
    nearest = tree.nearest_of(some)
    for block in range(len(graph) + 2):
        above = [each for each in some if tree.dominates(each, block)]
        found = nearest(block)
        assert (found is None) == (not above)
        assert found is None or all(tree.dominates(each, found) for each in above)
