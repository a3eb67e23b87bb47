"""What `inspect cfg` shows: the basic blocks of each kernel and the edges between them.

In: a kernel with its control flow. Out: a graph of blocks as a record, as DOT, and as text: each
block with its lines of source, where control comes from and goes to, its loop depth, its immediate
dominator, and the block where the paths out of it join.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyses.dataflow.control_flow import ControlFlow
from ...analyses.warp_evaluation.value_levels import condition_text
from ...ir.operations import Branch, Phi, Switch
from ...ir.printer import block_name, print_operations, value_names
from ...source.records import dataclass
from ..text.cells import printable_line
from ..text.palette import Palette, Role
from ..text.table import render_table
from .graph import Edge, KernelGraph, Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Kernel
    from ..formats.json_report import Record

_HEAD = ("block", "lines", "from", "to", "condition", "loops", "dominator", "joins at")


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block with its place among the others; names as in `inspect ir`."""

    name: str
    lines: tuple[int, int] | None  # first and last line of source, None for a block of phis only
    predecessors: tuple[str, ...]
    successors: tuple[tuple[str, str], ...]  # name and the outcome that leads there
    decision: str
    loop_depth: int
    dominator: str | None
    post_dominator: str | None
    operations: tuple[str, ...]

    @property
    def lines_text(self) -> str:
        """`4-7`."""
        if self.lines is None:
            return "-"
        first, last = self.lines
        return str(first) if first == last else f"{first}-{last}"


@dataclass(frozen=True, slots=True)
class ControlFlowView:
    """The blocks of one kernel in reverse postorder."""

    kernel: Kernel
    blocks: tuple[BlockView, ...]

    @property
    def graph(self) -> KernelGraph:
        """The blocks as a graph."""
        nodes = tuple(Node(block.name, _node_lines(block), _record(block)) for block in self.blocks)
        edges = tuple(
            Edge(block.name, target, taken, {"taken": taken or None})
            for block in self.blocks
            for target, taken in block.successors
        )
        return KernelGraph(self.kernel, nodes, edges)


def control_flow(kernel: Kernel) -> ControlFlowView:
    """The control flow of one kernel, ready to be shown."""
    flow = ControlFlow(kernel)
    texts, names = print_operations(kernel), value_names(kernel)
    views: list[BlockView] = []
    for block in kernel.blocks:
        code = tuple(
            f"{names[item]} = {texts[item]}" if item in names else texts[item]
            for item in block.operations
        )
        above = flow.dominators.parent[block.index]
        meeting = flow.immediate_post_dominator(block)
        decides = isinstance(block.terminator, Branch | Switch)
        views.append(
            BlockView(
                block_name(block),
                _lines(block),
                tuple(map(block_name, block.predecessors)),
                tuple((block_name(target), _taken(block, target)) for target in block.successors),
                condition_text(block.terminator) if decides else "",
                len(flow.loop_nest(block)),
                None if above == block.index else block_name(kernel.blocks[above]),
                None if meeting is None else block_name(meeting),
                code,
            )
        )
    return ControlFlowView(kernel, tuple(views))


def control_flow_lines(views: Sequence[ControlFlowView], palette: Palette) -> Iterator[str]:
    """A table of blocks for each kernel."""
    for index, view in enumerate(views):
        if index:
            yield ""
        yield palette.paint(printable_line(view.graph.title), Role.NOTE)
        yield from render_table(_HEAD, [_row(block) for block in view.blocks], palette)
    if not views:
        yield "no kernels"


def _lines(block: Block) -> tuple[int, int] | None:
    """The kernel's own lines: those of a call for what was inlined there.

    Phis are left out, since they stand where their variable was read first, maybe far away.
    """
    lines = [
        [item.location, *item.location.call_chain()][-1].span.line
        for item in block.operations
        if not isinstance(item, Phi)
    ]
    return (min(lines), max(lines)) if lines else None


def _taken(block: Block, target: Block) -> str:
    """The outcome that leads to a successor: `true`, `case 3`, nothing for a jump."""
    last = block.terminator
    if isinstance(last, Branch):
        outcomes = [
            word for word, way in (("true", last.then), ("false", last.otherwise)) if way is target
        ]
        return outcomes[0] if len(outcomes) == 1 else ""
    if isinstance(last, Switch):
        cases = [
            "case ?" if value is None else f"case {value}"
            for value, way in last.cases
            if way is target
        ]
        return ", ".join([*cases, *(["default"] if last.default is target else [])])
    return ""


def _record(block: BlockView) -> Record:
    return {
        "lines": None if block.lines is None else list(block.lines),
        "decision": block.decision or None,
        "loop_depth": block.loop_depth,
        "dominator": block.dominator,
        "post_dominator": block.post_dominator,
        "operations": list(block.operations),
    }


def _node_lines(block: BlockView) -> tuple[str, ...]:
    word = "line" if block.lines is None or block.lines[0] == block.lines[1] else "lines"
    return (f"{block.name}: {word} {block.lines_text}", *block.operations)


def _row(block: BlockView) -> tuple[str, ...]:
    ways = [f"{name} ({taken})" if taken else name for name, taken in block.successors]
    return (
        block.name,
        block.lines_text,
        ", ".join(block.predecessors) or "-",
        ", ".join(ways) or "-",
        block.decision or "-",
        str(block.loop_depth),
        block.dominator or "-",
        block.post_dominator or "-",
    )
