"""Local variables that ptxas keeps in registers, and therefore out of the stack frame.

In: a function of a module, and how many bytes its `.local` variables have. Out: whether they will
have no stack frame. So it is where every use is a load or store of 16 or 32 bits at a constant
distance from the beginning of a variable. Other places must be few: ptxas then selects among the
elements. How few was measured (hardware/local_arrays.toml); between the measured sizes this is the
better guess. An access of 8 or 64 bits keeps memory, even one whose value nobody reads, and so does
an address that goes where it cannot be followed: into memory, or to a function.

Places that one short loop steps through are constant, too (short_loops.py); where several such
loops fill the variables, ptxas was seen to leave them in memory.

All variables of a function are taken for one array, as nvcc declares them. Not handled: longer
loops that ptxas unrolls.
"""

from __future__ import annotations

from collections import Counter, deque
from enum import IntEnum
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from ...hardware.local_arrays import patterns, way
from ...source.records import dataclass
from ..syntax.labels import Labels
from ..syntax.tree import Instruction, Name, Number, Variables
from .short_loops import short_loops

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.tree import Function, Operand

_COPIES = frozenset({"mov", "cvta"})
_ARITHMETIC = frozenset({"add", "sub", "mad", "selp", "shl", "cvt"}) | _COPIES
_OTHER_WORDS = ("8", "64")  # whose variables ptxas leaves in memory
_WORD = 4
_STEPS = 4  # from an address to the counter of its index: add, mul.wide, cvt, and add or mov


def are_promoted(function: Function, size: int) -> bool:
    """Whether all local variables of a PTX function, so many bytes, end up in registers."""
    uses = _Places(function).uses()
    if uses is None:
        return False
    if not uses.reads and not uses.writes:
        return True
    if uses.narrow:
        return False
    name = way(uses.reads, uses.writes, in_loop=uses.in_loop, counted=uses.counted)
    return patterns()[name].is_likely_in_registers(-(-size // _WORD))


@dataclass(slots=True)
class _Uses:
    """The accesses at places that are not constant."""

    reads: int = 0
    writes: int = 0
    in_loop: bool = False
    counted: bool = False  # some by an address that a loop steps
    narrow: bool = False  # some access, whatever its place, has fewer than 32 bits


class _Place(IntEnum):
    """What is known of the place that a register points to; the higher holds where two meet."""

    CONSTANT = 0
    CHOSEN = 1  # by an index, or one of several
    STEPPED = 2  # by a loop, or made of one that is


class _Places:
    """What a function derives from the addresses of its local variables."""

    def __init__(self, function: Function) -> None:
        self._body = function.body or ()
        self._users: dict[str, list[Instruction]] = {}  # of a register, but for loads and stores
        self._accesses: list[tuple[int, Instruction]] = []
        self._sources: dict[str, set[str]] = {}  # what a register is made of
        self._written = Counter[str]()
        self._places: dict[str, _Place] = {}  # by register that holds such an address
        self._jumps = Labels(self._body).targets
        self._loops = short_loops(self._body, self._jumps)
        self._stepped = set[str]().union(*self._loops)
        for index, statement in enumerate(self._body):
            if isinstance(statement, Variables):
                if statement.space == ".local":
                    for declarator in statement.declarators:
                        self._places[declarator.name.text] = _Place.CONSTANT
            elif isinstance(statement, Instruction):
                self._note(index, statement)

    def _note(self, index: int, instruction: Instruction) -> None:
        """File one instruction under what it reads."""
        if instruction.opcode.mnemonic in ("ld", "st"):
            if instruction.operands:  # none in a broken file
                self._accesses.append((index, instruction))
            return
        operands = instruction.operands
        read = {name for operand in operands[1:] for name in _names(operand)}
        if operands and isinstance(operands[0], Name):
            target = operands[0].text
            self._written[target] += 1
            self._sources.setdefault(target, set()).update(read)
        elif operands:
            read.update(_names(operands[0]))
        for name in read:
            self._users.setdefault(name, []).append(instruction)

    def uses(self) -> _Uses | None:
        """How the variables are accessed; None where some address cannot be followed."""
        work = deque(self._places)
        while work:
            source = work.popleft()
            for instruction in self._users.get(source, ()):
                if instruction.opcode.mnemonic == "setp":
                    continue
                target = instruction.operands[0]
                if instruction.opcode.mnemonic not in _ARITHMETIC or not isinstance(target, Name):
                    return None
                place = self._made_by(instruction, target.text, self._places[source])
                if place > self._places.get(target.text, -1):
                    self._places[target.text] = place
                    work.append(target.text)
        if sum(not steps.isdisjoint(self._places) for steps in self._loops) > 1:
            return None
        return self._counted()

    def _made_by(self, instruction: Instruction, target: str, place: _Place) -> _Place:
        """The place that an instruction makes of another."""
        mnemonic, operands = instruction.opcode.mnemonic, instruction.operands
        copies = mnemonic in _COPIES
        offset = mnemonic == "add" and isinstance(operands[-1], Number)
        once = self._written[target] == 1 or target in self._stepped
        if place is _Place.CONSTANT and once and (copies or offset):
            return _Place.CONSTANT
        if self._written[target] > 1 and not (copies and place is _Place.CONSTANT):
            return _Place.STEPPED
        return _Place.STEPPED if self._is_counted(target) else max(place, _Place.CHOSEN)

    def _is_counted(self, register: str) -> bool:
        """Whether an address is made of an index, and that of a register written repeatedly."""
        reached = {register}
        for _ in range(_STEPS):
            reached = {source for name in reached for source in self._sources.get(name, ())}
            if any(self._written[name] > 1 for name in reached - self._places.keys()):
                return True
        return False

    def _counted(self) -> _Uses | None:
        """The accesses; None where an address is stored, or an access has another width."""
        uses = _Uses()
        for index, access in self._accesses:
            reads = access.opcode.mnemonic == "ld"
            place, *others = access.operands[::-1] if reads else access.operands
            held = [self._places[name] for name in _names(place) if name in self._places]
            if any(name in self._places for operand in others for name in _names(operand)):
                return None
            if not held:
                continue
            text = access.opcode.text
            if text.endswith(_OTHER_WORDS):
                return None
            uses.narrow |= text.endswith("16")
            if max(held) is _Place.CONSTANT:
                continue
            uses.reads += reads
            uses.writes += not reads
            uses.in_loop |= self._is_in_loop[index]
            uses.counted |= max(held) is _Place.STEPPED
        return uses

    @cached_property
    def _is_in_loop(self) -> list[bool]:
        """For each statement whether a jump behind it leads to a label before it."""
        depth = [0] * (len(self._body) + 1)
        for jump, targets in self._jumps.items():
            for target in targets:
                if target <= jump:
                    depth[target] += 1
                    depth[jump + 1] -= 1
        return [count > 0 for count in accumulate(depth)]


def _names(operand: Operand) -> Iterator[str]:
    """The names in an operand, at any depth."""
    work: list[object] = [operand]
    while work:
        item = work.pop()
        if isinstance(item, Name):
            yield item.text
        elif isinstance(item, tuple):
            work.extend(item)
