"""Which variables the code between two blocks leaves alone, while a kernel is being built.

In: the blocks in the order in which they are begun, their predecessors, and every write. Out: for a
block where ways meet, the block that all of them come from, if no way writes a variable: its value
is the same in both. Without this a variable gets a phi at each place where ways meet between its
write and its read, though nearly all of them are trivial.

Immediate dominators are the common ancestors of the predecessors (K. Cooper, T. Harvey, K. Kennedy,
"A Simple, Fast Dominance Algorithm", 2001), found at once as all predecessors are known when a
block is begun; those of a loop's header that come later are inside of the loop. This holds for
structured code alone: after the first label that a `goto` may lead to nothing is said any more.
Ancestors are found in logarithmic time (E. Myers, "An Applicative Random-Access Stack", 1983).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .block import Block


@dataclass(slots=True, eq=False)
class _Node:
    """A block in the tree of dominators."""

    block: Block
    number: int  # in the order of beginning
    end: int  # the number of the last block of its loop, or the one before its own
    parent: _Node | None
    far: _Node | None  # an ancestor farther off
    depth: int


class UntouchedRegions:
    """The basic blocks begun so far while IR is built, and which variables each of them writes."""

    def __init__(self) -> None:
        self._nodes: dict[Block, _Node] = {}
        self._writes: dict[Hashable, list[int]] = {}  # the numbers of the blocks, rising
        self._structured = True

    def begin(self, block: Block) -> None:
        """All predecessors of a block are known, but for those inside of the loop it heads."""
        if block in self._nodes:  # code is added to it once more
            self.give_up()
            return
        number = len(self._nodes)
        known = [self._nodes[each] for each in block.predecessors if each in self._nodes]
        parent: _Node | None = known[0] if known else None
        for each in known[1:]:
            parent = _common(parent, each)
        far = None
        if parent is not None:
            # Steps of lengths that double, as in Myers' lists.
            skip = parent.far
            even = skip is not None and parent.depth - skip.depth == _length(skip)
            far = skip.far if even and skip is not None else parent
        depth = 0 if parent is None else parent.depth + 1
        self._nodes[block] = _Node(block, number, number - 1, parent, far, depth)

    def close(self, header: Block) -> None:
        """The last block of a loop has been begun."""
        node = self._nodes.get(header)
        if node is not None:
            node.end = len(self._nodes) - 1

    def give_up(self) -> None:
        """Blocks may be entered from anywhere from now on."""
        self._structured = False

    def write(self, variable: Hashable) -> None:
        """The block begun last writes a variable."""
        number = len(self._nodes) - 1
        writes = self._writes.setdefault(variable, [])
        if not writes or writes[-1] != number:
            writes.append(number)

    def before(self, variable: Hashable, block: Block) -> Block | None:
        """The block in which a variable has the value that it has when ways meet in `block`."""
        node = self._nodes.get(block) if self._structured else None
        if node is None or node.parent is None:
            return None
        writes = self._writes.get(variable, ())
        first = bisect_right(writes, node.parent.number)
        free = first == len(writes) or writes[first] > node.end
        return node.parent.block if free else None


def _length(node: _Node) -> int:
    """How far the far ancestor of a node is."""
    return node.depth - node.far.depth if node.far is not None else 0


def _common(one: _Node | None, other: _Node | None) -> _Node | None:
    """The lowest common ancestor; None where there is none."""
    while one is not None and other is not None and one is not other:
        if one.depth < other.depth:
            one, other = other, one
        if one.depth > other.depth:
            far = one.far
            one = far if far is not None and far.depth >= other.depth else one.parent
        elif one.far is not other.far:
            one, other = one.far, other.far
        else:
            one, other = one.parent, other.parent
    return one if one is other else None
