"""The order of a graph in which each node comes before what follows it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.ir.orders import reverse_postorder

NODES = 8
GRAPHS = st.lists(
    st.lists(st.integers(0, NODES - 1), max_size=4), min_size=NODES, max_size=NODES
)  # fmt: skip


@given(GRAPHS)
def test_what_a_root_leads_to_is_there_once(graph: list[list[int]]) -> None:
    order = reverse_postorder(0, graph.__getitem__)
    found, left = {0}, [0]
    while left:
        new = set(graph[left.pop()]) - found
        found |= new
        left += new
    assert (order[0], len(order), set(order)) == (0, len(found), found)


@given(GRAPHS)
def test_without_cycles_nothing_comes_before_what_leads_to_it(graph: list[list[int]]) -> None:
    ahead = [[each for each in following if each > node] for node, following in enumerate(graph)]
    place = {node: at for at, node in enumerate(reverse_postorder(0, ahead.__getitem__))}
    assert all(place[node] < place[each] for node in place for each in ahead[node])


def test_the_way_that_is_gone_to_first_comes_last() -> None:
    assert reverse_postorder(0, [[1, 2], [], []].__getitem__) == [0, 2, 1]
