"""What `inspect dataflow` shows: the SSA dataflow of each kernel.

In: a kernel. Out: its dataflow graph as a record, as DOT, and as text: one line per value, with the
values it is computed from and the line of the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...analyses.dataflow.dataflow_graph import dataflow_graph
from ..text.cells import printable_line
from ..text.palette import Palette, Role
from ..text.table import render_table
from .graph import Edge, KernelGraph, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...ir.kernel import Kernel

_HEAD = ("line", "value", "operation", "operands", "used by")
_SHOWN = 6  # users of a value that the table names


def dataflow(kernel: Kernel) -> KernelGraph:
    """The dataflow graph of one kernel, ready to be shown by `inspect dataflow`."""
    graph = dataflow_graph(kernel)
    nodes = tuple(graph_node(name, data) for name, data in graph.nodes(data=True))
    edges = tuple(
        Edge(source, target, "", {"operands": data["operands"]})
        for source, target, data in graph.edges(data=True)
    )
    return KernelGraph(kernel, nodes, edges)


def graph_node(name: str, data: Mapping[str, Any]) -> Node:
    """A value as a node of a shown dataflow graph: its name, and what computes it."""
    return Node(
        name,
        (name if name == data["label"] else f"{name} = {data['label']}",),
        {"label": data["label"], "kind": data["kind"], "line": data["line"]},
    )


def dataflow_lines(
    graphs: Sequence[KernelGraph], palette: Palette, nothing: str = "no kernels"
) -> Iterator[str]:
    """The dataflow of kernels as text, a table for each; `nothing` where there is none."""
    for index, graph in enumerate(graphs):
        if index:
            yield ""
        yield palette.paint(printable_line(graph.title), Role.NOTE)
        sources: dict[str, list[str]] = {}
        users: dict[str, list[str]] = {}
        for edge in graph.edges:
            through = f" ({edge.label})" if edge.label else ""
            sources.setdefault(edge.target, []).append(f"{edge.source}{through}")
            users.setdefault(edge.source, []).append(edge.target)
        rows = [
            (
                str(node.attributes["line"] or "-"),
                node.name,
                str(node.attributes["label"]),
                _listed(sources.get(node.name, [])),
                _listed(users.get(node.name, [])),
            )
            for node in graph.nodes
        ]
        yield from render_table(_HEAD, rows, palette)
    if not graphs:
        yield nothing


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more or "-"
