"""The dataflow of a kernel in SSA form, as a graph for people and for other tools.

In: a kernel. Out: a `networkx.DiGraph` whose nodes are the operations (no jumps) and the values
that they take (parameters, special registers, addresses of objects, unknowns) and whose edges run
from a value to its users; constants are part of their users' labels. Nodes go by the numbers of
`inspect ir`: `%3`, and `!7` for the operation at place 7 that has no result. Node attributes:
`label`, `kind` (the opcode, or "parameter", "special", "object", "unknown"), `line` (None for what
stands nowhere); edge attribute: `operands`, the places at which the user takes the value. Flow
through memory is no edge. The analyses do not use this graph: networkx takes 200 ms to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.printer import print_operations, value_names
from ...ir.types import VOID
from ...ir.values import Constant, ObjectAddress, Parameter, SpecialRegister, Unknown, Value

if TYPE_CHECKING:
    import networkx

    from ...ir.kernel import Kernel
    from ...source.text import Span

    Graph = networkx.DiGraph[str]


def dataflow_graph(kernel: Kernel) -> Graph:
    """The dataflow of one kernel in SSA form, as a graph for people and other tools."""
    return NamedDataflow(kernel).graph


class NamedDataflow:
    """The dataflow graph of a kernel, and the names of its nodes by what they stand for."""

    def __init__(self, kernel: Kernel) -> None:
        import networkx

        self.graph: Graph = networkx.DiGraph(name=kernel.label)
        self.names: dict[object, str] = dict(value_names(kernel).items())  # of what it is made
        texts = print_operations(kernel)
        for place, operation in enumerate(texts):
            if operation.type is VOID and not operation.operands:
                continue  # a jump or a barrier: nothing flows through it
            name = self.names.setdefault(operation, f"!{place}")
            line = operation.location.span.line
            self.graph.add_node(
                name, label=texts[operation], kind=operation.opcode.value, line=line
            )
        for operation in texts:
            for place, operand in enumerate(operation.operands):
                if not isinstance(operand, Constant):
                    self._connect(self._node(operand), self.names[operation], place)

    def _connect(self, value: str, user: str, place: int) -> None:
        if self.graph.has_edge(value, user):
            self.graph.edges[value, user]["operands"].append(place)
        else:
            self.graph.add_edge(value, user, operands=[place])

    def _node(self, value: Value) -> str:
        """The node of an operand, made when it is met first."""
        match value:
            case Parameter():
                return self._made(value, f"${value.name}", "parameter", value.span)
            case SpecialRegister():
                return self._made(value.name, value.name, "special")
            case ObjectAddress():
                item = value.object
                return self._made(item, f"&{item.name}", "object", item.span)
            case Unknown():
                return self._made(value, f"unknown: {value.reason}", "unknown")
            case _:
                return self._made(value, "unknown", "unknown")

    def _made(self, identity: object, label: str, kind: str, span: Span | None = None) -> str:
        name = self.names.get(identity)
        if name is None:
            name = f"?{len(self.names)}" if kind == "unknown" else label
            while name in self.graph:  # two variables of one name in different scopes
                name += "'"
            self.names[identity] = name
            line = span.line if span else None
            self.graph.add_node(name, label=label, kind=kind, line=line)
        return name
