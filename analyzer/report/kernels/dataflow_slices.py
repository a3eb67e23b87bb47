"""Parts of a kernel's dataflow: what a value is made of, what comes of it, the paths between two.

In: the facts of a kernel and what is asked: names of variables, parameters, arrays or values, or
lines. Out: the graph with only the values on the way, with edges for what goes through memory and
for the decisions that a store depends on. Not handled: what other threads' stores are ordered with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyses.dataflow.dataflow_graph import NamedDataflow
from ...analyses.pointers.memory_flow import memory_flow
from ...ir.operations import MemoryAccess
from .dataflow import graph_node
from .graph import Edge, KernelGraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...analyses.facts import KernelFacts


def sliced_dataflow(facts: KernelFacts, start: str | None, end: str | None) -> KernelGraph:
    """The part of the graph from `start` to `end`; from or to anywhere where one is None."""
    import networkx

    named = NamedDataflow(facts.kernel)
    for source, target, data in _more_edges(facts, named):
        if not named.graph.has_edge(source, target):
            named.graph.add_edge(source, target, operands=[], **data)
    graph = named.graph
    kept = set(graph.nodes)
    if start is not None:
        begin = _asked(facts, named, start)
        kept &= set().union(begin, *(networkx.descendants(graph, each) for each in begin))
    if end is not None:
        last = _asked(facts, named, end) | _stores_to(facts, named, end)
        kept &= set().union(last, *(networkx.ancestors(graph, each) for each in last))
    nodes = tuple(graph_node(name, data) for name, data in graph.nodes(data=True) if name in kept)
    edges = tuple(
        Edge(source, target, data.get("through", ""), {**data, "through": data.get("through", "")})
        for source, target, data in graph.edges(data=True)
        if source in kept and target in kept
    )
    return KernelGraph(facts.kernel, nodes, edges)


def _more_edges(
    facts: KernelFacts, named: NamedDataflow
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """What goes through memory, and the decisions that stores depend on."""
    names = named.names
    for flow in memory_flow(facts):
        through = flow.item.name if flow.item is not None else "memory"
        yield names[flow.writer], names[flow.reader], {"through": through}
    for operation in facts.kernel.operations():
        if isinstance(operation, MemoryAccess) and operation.writes:
            for edge in facts.flow.controlling_edges(operation.block):
                decision = names.get(edge.branch.terminator)
                if decision is not None:
                    yield decision, names[operation], {"through": "decides"}


def _asked(facts: KernelFacts, named: NamedDataflow, what: str) -> set[str]:
    """The values that a name or the number of a line means."""
    graph = named.graph
    if what.isdecimal():
        return {name for name, data in graph.nodes(data=True) if str(data["line"]) == what}
    found = {name for name in (what, f"${what}", f"&{what}") if name in graph}
    for definition in facts.kernel.definitions:
        name = named.names.get(definition.value)
        if definition.name == what and name is not None and name in graph:
            found.add(name)
    return found


def _stores_to(facts: KernelFacts, named: NamedDataflow, what: str) -> set[str]:
    """The stores to an array of that name, or to what a parameter of that name points to."""
    return {
        named.names[access]
        for item, writers in facts.writers.items()
        if item is not None and item.name in (what, f"*{what}")
        for access in writers
    }
