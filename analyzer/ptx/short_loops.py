"""Loops of one block that run a few times, as constants say: ptxas unrolls them whole.

In: the statements of a function. Out: for each such loop the registers that it steps by constants,
whose values are constants once it is unrolled. Counted are loops that end by comparing a register
with a number, where that register begins as a number and is stepped by another. How many rounds are
few was measured with ptxas 13.0 on sm_80, sm_90 and sm_120: 12 where a pragma keeps the loop, as
the one that libdevice reduces large angles with, and 32 or more elsewhere. Behind a subroutine that
divides or takes roots of floats libdevice's loop was not unrolled, and neither was it where an
outer loop comes back to it from there: no such loop counts. Not handled: loops of several blocks,
and ends that are not tested by `ne` or `lt`.
"""

from __future__ import annotations

from bisect import bisect
from math import inf
from typing import TYPE_CHECKING

from .labels import Labels
from .register_kinds import kind_of
from .syntax import Directive, Instruction, Label, Name, Number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .syntax import Statement

_MOST_KEPT, _MOST = 12, 32  # rounds: where a pragma keeps the loop, and elsewhere
_JUMPS = frozenset({"bra", "brx", "call", "ret", "exit"})
_TESTS = frozenset({"ne", "lt"})
_SUBROUTINES = ("float", "double")


def short_loops(body: Sequence[Statement]) -> list[set[str]]:
    """For each short loop of a function the registers that it steps by a constant."""
    written: dict[str, list[Instruction]] = {}
    subroutines: list[int] = []
    for index, statement in enumerate(body):
        if isinstance(statement, Instruction):
            if kind_of(statement.opcode.text).point in _SUBROUTINES:
                subroutines.append(index)
            if statement.operands and isinstance(statement.operands[0], Name):
                written.setdefault(statement.operands[0].text, []).append(statement)
    found = []
    jumps = Labels(tuple(body)).targets
    behind = _first_behind(subroutines, jumps)
    for jump, targets in jumps.items():
        if jump > behind:
            continue
        inside = _block_before(body, jump, targets)
        steps = _steps(inside, written)
        rounds = _rounds(body[jump], inside, steps, written)
        kept = any(isinstance(one, Directive) and "nounroll" in one.text for one in inside)
        if 0 < rounds <= (_MOST_KEPT if kept else _MOST):
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


def _block_before(body: Sequence[Statement], jump: int, targets: list[int]) -> Sequence[Statement]:
    """What stands between a jump and its one target before it; nothing where that is no block."""
    for index in range(jump - 1, -1, -1):
        statement = body[index]
        if isinstance(statement, Label):
            return body[index + 1 : jump] if targets == [index] else ()
        if isinstance(statement, Instruction) and statement.opcode.mnemonic in _JUMPS:
            break
    return ()


def _steps(
    inside: Sequence[Statement], written: dict[str, list[Instruction]]
) -> dict[str, tuple[int, Instruction]]:
    """The registers that a block steps, written twice: by how much, and what writes them first."""
    found: dict[str, tuple[int, Instruction]] = {}
    for statement in inside:
        if not isinstance(statement, Instruction) or statement.opcode.mnemonic != "add":
            continue
        match statement.operands:
            case (Name(text=target), Name(text=source), Number() as step) if target == source:
                others = [one for one in written[target] if one is not statement]
                if len(others) == 1 and others[0] not in inside:
                    found[target] = step.whole, others[0]
    return found


def _rounds(
    jump: Statement,
    inside: Sequence[Statement],
    steps: dict[str, tuple[int, Instruction]],
    written: dict[str, list[Instruction]],
) -> int:
    """How often a block runs that ends with a jump back; 0 where constants do not say."""
    if not isinstance(jump, Instruction) or jump.guard is None or jump.guard.negated:
        return 0
    tests = written.get(jump.guard.predicate.text, [])
    if len(tests) != 1 or tests[0] not in inside or tests[0].opcode.mnemonic != "setp":
        return 0
    match tests[0].operands:
        case (_, Name(text=counter), Number() as end) if counter in steps:
            step, begins = steps[counter]
        case _:
            return 0
    first = begins.operands[-1]
    if begins.opcode.mnemonic != "mov" or not isinstance(first, Number) or not step:
        return 0
    compared = tests[0].opcode.text.split(".")[1]
    rounds, rest = divmod(end.whole - first.whole, step)
    if compared not in _TESTS or (compared == "ne" and rest):
        return 0
    return rounds + bool(rest)
