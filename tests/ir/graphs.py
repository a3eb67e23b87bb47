"""Kernels with a given control flow graph, and what graph theory says of them by definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from warplint.analyzer.ir.builder import Builder
from warplint.analyzer.ir.kernel import Kernel
from warplint.analyzer.ir.operations import Return, Switch
from warplint.analyzer.ir.types import INT32
from warplint.analyzer.ir.values import Parameter
from warplint.analyzer.source.location import Location
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from warplint.analyzer.ir.block import Block

SOURCE = SourceText("test.cu", "kernel")
WHERE = Location(Span(SOURCE, 0, 6))
SELECTOR = Parameter(INT32, "n", 0)
Graph = list[list[int]]


def new_builder(name: str = "kernel") -> Builder:
    """A builder for an empty kernel."""
    return Builder(Kernel(name, WHERE.span, WHERE.span, "cuda"), WHERE)


def build(graph: Graph) -> Kernel:
    """A kernel whose block `i` goes to the blocks `graph[i]`; block 0 is the entry."""
    builder = new_builder()
    blocks = [builder.entry, *(builder.new_block(f"b{i}") for i in range(1, len(graph)))]
    for block, targets in zip(blocks, graph, strict=True):
        builder.start(block, sealed=False)
        leave(builder, [blocks[target] for target in targets])
    return builder.finish()


def leave(builder: Builder, targets: list[Block]) -> None:
    """End the current block: it goes to these blocks, or returns."""
    if not targets:
        builder.terminate(Return(WHERE))
    elif len(targets) == 1:
        builder.jump(targets[0])
    elif len(targets) == 2:
        builder.branch(SELECTOR, targets[0], targets[1])
    else:
        cases: list[tuple[int | None, Block]] = list(enumerate(targets[1:]))
        builder.terminate(Switch(SELECTOR, cases, targets[0], WHERE))


@st.composite
def graphs(draw: st.DrawFn, size: int = 9) -> Graph:
    """Graphs of any shape whose entry has no predecessors."""
    count = draw(st.integers(1, size))
    if count == 1:
        return [[]]
    targets = st.lists(st.integers(1, count - 1), max_size=3, unique=True)
    return [draw(targets) for _ in range(count)]


def successors(kernel: Kernel) -> Graph:
    """The successors of each block by number."""
    return [[target.index for target in block.successors] for block in kernel.blocks]


def reach(graph: Graph, start: int, without: int | None = None) -> set[int]:
    """The nodes reached from `start`, itself included, when node `without` is taken away."""
    seen = {start} - {without}
    work = list(seen)
    while work:
        for target in graph[work.pop()]:
            if target != without and target not in seen:
                seen.add(target)
                work.append(target)
    return seen


def dominates(graph: Graph, root: int, above: int, below: int) -> bool:
    """By definition: without `above`, no way leads from the root to `below`."""
    return above == below or below not in reach(graph, root, without=above)
