"""How tangled the control flow of a kernel is: what any analysis of its branches has to go through.

In: control flow. Out: the number of its blocks, control dependences and memberships of blocks in
loops, counted up to a limit, in time linear in the limit. In code that people write it is a small
multiple of the blocks; in thousands of early returns, cases that fall through, or loops inside of
each other it grows with the square of them, and so would time and memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...ir.block import Block
    from .control_flow import ControlFlow

MOST_TANGLED = 300_000  # beyond it nothing is found out; the worst of 793 public kernels has 35,088
_PER_ENTRY = 8  # blocks of a cycle with several entries, gone through for one of them
_PER_BLOCK = 12  # sets of blocks are kept as bits, which costs each block as much as all of them


def is_tangled(flow: ControlFlow) -> bool:
    """Whether the control flow of a kernel is more than any analysis should go through."""
    left = MOST_TANGLED - _PER_BLOCK * len(flow.blocks)
    if left > 0:
        left -= _dependences(flow, left)
    if left > 0:
        left -= _entered_sideways(flow) * len(flow.blocks) // _PER_ENTRY
    return left <= 0 or _memberships(flow, left) >= left


def _entered_sideways(flow: ControlFlow) -> int:
    """The jumps back into cycles that have several entries."""
    dominates = flow.dominators.dominates
    return sum(
        target.index <= block.index and not dominates(target.index, block.index)
        for block in flow.blocks
        for target in block.successors
    )


def _dependences(flow: ControlFlow, most: int) -> int:
    """The control dependences: for each edge of a branch, the post-dominators up to its end."""
    tree = flow.post_dominators
    depths: dict[int, int] = {}
    count = 0
    for branch in flow.blocks:
        successors = branch.successors
        if len(successors) < 2:
            continue
        end = _depth(tree.parent, depths, branch.index)
        count += sum(_depth(tree.parent, depths, each.index) - end + 1 for each in successors)
        if count >= most:
            break
    return count


def _depth(parents: list[int], depths: dict[int, int], index: int) -> int:
    path: list[int] = []
    while index not in depths:
        parent = parents[index] if 0 <= index < len(parents) else index
        if parent == index or parent < 0:
            depths[index] = 0
        else:
            path.append(index)
            index = parent
    depth = depths[index]
    for below in reversed(path):
        depth += 1
        depths[below] = depth
    return depths[path[0]] if path else depth


def _memberships(flow: ControlFlow, most: int) -> int:
    """How many blocks are in how many loops."""
    count = 0
    for header, latches in flow.latches.items():
        body: set[Block] = {header}
        work = list(latches)
        while work and count + len(body) < most:
            block = work.pop()
            if block not in body:
                body.add(block)
                work += block.predecessors
        count += len(body)
        if count >= most:
            break
    return count
