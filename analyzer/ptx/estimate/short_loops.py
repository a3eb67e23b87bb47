"""Loops of one block that run a few times, as constants say: ptxas unrolls them whole.

In: the statements of a function, and its jumps. Out: for each such loop the registers that it steps
by constants, whose values are constants once it is unrolled. Counted are loops that end by
comparing a register with a number, where that register begins as a number and is stepped by
another. How many rounds are few was measured with ptxas 13.0 on sm_80, sm_90 and sm_120: 12 where a
pragma keeps the loop, as the one that libdevice reduces large angles with, and 32 or more
elsewhere. Behind a subroutine that divides or takes roots of floats libdevice's loop was not
unrolled, and neither was it where an outer loop comes back to it from there: no such loop counts.
Not handled: loops of several blocks, and ends that are not tested by `ne` or `lt`.
"""

from __future__ import annotations

from bisect import bisect
from math import inf
from typing import TYPE_CHECKING

from ..syntax.tree import Directive, Instruction, Label, Name, Number
from .opcode_kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..syntax.tree import Statement

_MOST_KEPT, _MOST = 12, 32  # rounds: where a pragma keeps the loop, and elsewhere
_JUMPS = frozenset({"bra", "brx", "call", "ret", "exit"})
_TESTS = frozenset({"ne", "lt"})
_SUBROUTINES = ("float", "double")


def short_loops(body: Sequence[Statement], jumps: Mapping[int, list[int]]) -> list[set[str]]:
    """For each short loop of a PTX function the registers that it steps by a constant.

    `jumps` has the labels that each jump leads to (`Labels.targets`).
    """
    written: dict[str, list[int]] = {}
    subroutines: list[int] = []
    for index, statement in enumerate(body):
        if isinstance(statement, Instruction):
            if kind_of(statement.opcode.text).point in _SUBROUTINES:
                subroutines.append(index)
            if statement.operands and isinstance(statement.operands[0], Name):
                written.setdefault(statement.operands[0].text, []).append(index)
    found = []
    behind = _first_behind(subroutines, jumps)
    for jump, targets in jumps.items():
        if jump > behind:
            continue
        block = _block_before(body, jump, targets)
        steps = _steps(body, block, written)
        iterations = _iterations(body, block, steps, written)
        inside = (body[index] for index in block)
        kept = any(isinstance(one, Directive) and "nounroll" in one.text for one in inside)
        if 0 < iterations <= (_MOST_KEPT if kept else _MOST):
            found.append(set(steps))
    return found


def _first_behind(subroutines: list[int], jumps: Mapping[int, list[int]]) -> float:
    """The first place that may run after a subroutine: itself, or where a loop around it begins."""
    behind = min(subroutines, default=inf)
    for jump, targets in jumps.items():
        for target in targets:
            if target < behind and bisect(subroutines, jump) > bisect(subroutines, target):
                behind = target
    return behind


def _block_before(body: Sequence[Statement], jump: int, targets: list[int]) -> range:
    """The places between a jump and its one target before it; none where that is no block."""
    for index in range(jump - 1, -1, -1):
        statement = body[index]
        if isinstance(statement, Label):
            return range(index + 1, jump) if targets == [index] else range(0)
        if isinstance(statement, Instruction) and statement.opcode.mnemonic in _JUMPS:
            break
    return range(0)


def _steps(
    body: Sequence[Statement], block: range, written: dict[str, list[int]]
) -> dict[str, tuple[int, Statement]]:
    """The registers that a block steps, and one statement before it writes: by how much, and it."""
    found: dict[str, tuple[int, Statement]] = {}
    for index in block:
        statement = body[index]
        if not isinstance(statement, Instruction) or statement.opcode.mnemonic != "add":
            continue
        match statement.operands:
            case (Name(text=target), Name(text=source), Number() as step) if target == source:
                writers = written[target]
                if len(writers) == 2 and writers[1] == index and writers[0] < block.start:
                    found[target] = step.whole, body[writers[0]]
    return found


def _iterations(
    body: Sequence[Statement],
    block: range,
    steps: dict[str, tuple[int, Statement]],
    written: dict[str, list[int]],
) -> int:
    """How often a block runs that ends with a jump back; 0 where constants do not say."""
    jump = body[block.stop] if block else None
    if not isinstance(jump, Instruction) or jump.guard is None or jump.guard.negated:
        return 0
    tests = written.get(jump.guard.predicate.text, [])
    test = body[tests[0]] if len(tests) == 1 and tests[0] in block else None
    if not isinstance(test, Instruction) or test.opcode.mnemonic != "setp":
        return 0
    match test.operands:
        case (_, Name(text=counter), Number() as end) if counter in steps:
            step, begins = steps[counter]
        case _:
            return 0
    if not isinstance(begins, Instruction) or begins.opcode.mnemonic != "mov" or not step:
        return 0
    start = begins.operands[-1]
    compared = _TESTS.intersection(test.opcode.text.split("."))
    if not isinstance(start, Number) or not compared:
        return 0
    iterations, rest = divmod(end.whole - start.whole, step)
    return 0 if "ne" in compared and rest else iterations + bool(rest)
