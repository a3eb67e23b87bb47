"""Graphs of kernels as records for JSON and in the DOT language of Graphviz.

In: nodes and edges with their attributes. Out: text. A document of several graphs has one after the
other, which `dot` draws each on a page of its own. Layout is Graphviz's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.records import dataclass
from ..text.cells import printable_line
from ..text.xml import element

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...findings.finding import Data
    from ...ir.kernel import Kernel
    from ..formats.json_report import Record


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a kernel's graph: the lines to show in it, and what JSON says of it besides."""

    name: str
    lines: tuple[str, ...]
    attributes: Record


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two nodes of a kernel's graph, perhaps with a word on it."""

    source: str
    target: str
    label: str
    attributes: Record


@dataclass(frozen=True, slots=True)
class KernelGraph:
    """A graph of one kernel."""

    kernel: Kernel
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def title(self) -> str:
        """`copy<float, 32> (copy.cu:3)`."""
        span = self.kernel.span
        return f"{self.kernel.label} ({span.path}:{span.line})"


def graph_record(graph: KernelGraph) -> Record:
    """The dataflow graph of a kernel for JSON, under names that stay from version to version."""
    kernel = graph.kernel
    nodes: list[Data] = [{"id": node.name, **node.attributes} for node in graph.nodes]
    edges: list[Data] = [
        {"source": edge.source, "target": edge.target, **edge.attributes} for edge in graph.edges
    ]
    return {
        "path": kernel.span.path,
        "line": kernel.span.line,
        "kernel": kernel.label,
        "nodes": nodes,
        "edges": edges,
    }


def render_dot(graphs: Iterable[KernelGraph]) -> str:
    """All graphs of kernels as one document of Graphviz's DOT."""
    return "".join(f"{line}\n" for graph in graphs for line in _dot(graph))


def render_graphml(graphs: Iterable[KernelGraph]) -> str:
    """All graphs as one document of GraphML, a graph for each kernel."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="label" for="all" attr.name="label" attr.type="string"/>',
        '<key id="line" for="node" attr.name="line" attr.type="int"/>',
    ]
    for number, graph in enumerate(graphs):
        lines.append(f'<graph id="g{number}" edgedefault="directed">')
        lines.append(f"<desc>{element(graph.title)}</desc>")
        names = {node.name: f"g{number}n{place}" for place, node in enumerate(graph.nodes)}
        for node in graph.nodes:
            line = node.attributes.get("line")
            at = "" if line is None else f'<data key="line">{line}</data>'
            label = element("\n".join(node.lines))
            lines.append(
                f'<node id="{names[node.name]}"><data key="label">{label}</data>{at}</node>'
            )
        for edge in graph.edges:
            ends = f'source="{names[edge.source]}" target="{names[edge.target]}"'
            label = f'<data key="label">{element(edge.label)}</data>' if edge.label else ""
            lines.append(f"<edge {ends}>{label}</edge>")
        lines.append("</graph>")
    return "".join(f"{line}\n" for line in (*lines, "</graphml>"))


def _dot(graph: KernelGraph) -> Iterator[str]:
    yield f"digraph {_quoted((graph.title,))} {{"
    yield f"  label={_quoted((graph.title,))};"
    yield '  labelloc=t; node [shape=box, fontname="monospace"];'
    for node in graph.nodes:
        yield f"  {_quoted((node.name,))} [label={_quoted(node.lines, left=True)}];"
    for edge in graph.edges:
        label = f" [label={_quoted((edge.label,))}]" if edge.label else ""
        yield f"  {_quoted((edge.source,))} -> {_quoted((edge.target,))}{label};"
    yield "}"


def _quoted(lines: Sequence[str], *, left: bool = False) -> str:
    """A DOT string; `left` ends each line with `\\l`, which sets it flush left."""
    shown = [printable_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + ("".join(f"{line}\\l" for line in shown) if left else "\\n".join(shown)) + '"'
