"""Code without what nobody reads, with loops that test at their end.

In: a `Code` as it was made. Out: the same without operations whose results go nowhere, without
moves that a result can be written past, and with short headers of loops repeated at the end of the
body, as compilers turn loops round: a loop of one block is one then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ptx.estimate.operations import Op

if TYPE_CHECKING:
    from ...ptx.estimate.operations import Code

_LONGEST_TEST = 24  # operations of a header that is repeated


def cleaned(code: Code) -> Code:
    """The same compiled code without what nobody reads, its loops tested at their end."""
    _drop_dead(code)
    _write_directly(code)
    _turn_loops(code)
    return code


def _drop_dead(code: Code) -> None:
    """Keep what has an effect, and what has a part in that."""
    writers: dict[int, list[Op]] = {}
    for block in code.blocks:
        for op in block:
            for register in op.writes:
                writers.setdefault(register, []).append(op)
    work = [op for block in code.blocks for op in block if not op.writes or op.kind.needed]
    kept = {id(op) for op in work}
    read: set[int] = set()
    while work:
        op = work.pop()
        divisors = code.reciprocals.get(op.needs[0], ()) if op.needs else ()
        for register in (*op.reads, *divisors):
            if register in read:
                continue
            read.add(register)
            for other in writers.get(register, ()):
                if id(other) not in kept:
                    kept.add(id(other))
                    work.append(other)
    code.blocks = [[op for op in block if id(op) in kept] for block in code.blocks]


def _write_directly(code: Code) -> None:
    """What is computed only to be moved is computed where it goes."""
    reads: dict[int, int] = {}
    writes: dict[int, int] = {}
    for block in code.blocks:
        for op in block:
            for register in op.reads:
                reads[register] = reads.get(register, 0) + 1
            for register in op.writes:
                writes[register] = writes.get(register, 0) + 1
    for block in code.blocks:
        at = len(block) - 1
        while at >= 0:
            op = block[at]
            if op.kind.moves and len(op.writes) == len(op.reads) == 1:
                source, target = op.reads[0], op.writes[0]
                if reads.get(source) == writes.get(source) == 1:
                    _redirect(block, at, source, target)
            at -= 1
    for block in code.blocks:
        block[:] = [op for op in block if not (op.kind.moves and op.reads == op.writes)]


def _redirect(block: list[Op], at: int, source: int, target: int) -> None:
    for place in range(at - 1, -1, -1):
        op = block[place]
        if source in op.writes:
            writes = tuple(target if each == source else each for each in op.writes)
            block[place] = Op(op.kind, writes, op.reads, op.needs, op.place)
            block[at] = Op(block[at].kind, (target,), (target,))
            return
        if target in op.reads or target in op.writes:
            return


def _turn_loops(code: Code) -> None:
    """Repeat the header of a loop behind its body, where it is short and may leave the loop."""
    for index, successors in enumerate(code.successors):
        for place, header in enumerate(successors):
            following = code.successors[header]
            test = code.blocks[header]
            if header >= index or len(successors) != 1 or len(following) < 2:
                continue
            if len(test) > _LONGEST_TEST or any(op.kind.access for op in test):
                continue
            block = code.blocks[index]
            if block and block[-1].kind.last:
                block.pop()
            block += [Op(op.kind, op.writes, op.reads, op.needs, op.place) for op in test]
            successors[place : place + 1] = following
            break
