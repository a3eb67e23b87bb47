"""Code as it is made: registers, operations in blocks, and what was computed before.

A value is computed once where the block that computed it comes before on every path; the blocks
are numbered so that each comes behind the one that dominates it at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...ptx.estimate.opcode_kinds import kind_of
from ...ptx.estimate.operations import KEPT, Code, Op
from .held import Held, in_register

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

_REMEMBERED = 4  # places where the same was computed
_WAYS = 2
_MOST_CHOSEN = 4  # sums, products and such that are computed whichever of them is needed
_FARTHEST = 2_000  # dominators that are gone through


class TooLongError(Exception):
    """The compiled code has more operations than are looked at."""


class Emission:
    """Compiled code of a kernel, a `Code`, while it is made, of `most` operations."""

    def __init__(self, most: int) -> None:
        self.code = Code()
        self.current = -1
        self._dominator: list[int] = []
        self._sources: list[list[int]] = []  # of each block, those that it was begun behind
        self._known: dict[Hashable, list[tuple[Held, int]]] = {}
        self._constants: dict[Hashable, int] = {}
        self._free: dict[Hashable, int] = {}  # numbers of values that cost nothing
        self.loops: list[int] = []  # where those around the current block begin
        self._homes: list[int] = []  # of each register, the block that first writes it
        self._given: dict[Hashable, Held] = {}
        self._left = most

    # ---- blocks ------------------------------------------------------------------------------

    def begin(self, predecessors: Iterable[int]) -> int:
        """A new block behind those."""
        self.code.blocks.append([])
        self.code.successors.append([])
        dominator, sources = -1, list(predecessors)
        for each in sources:
            dominator = each if dominator < 0 else self._common(dominator, each)
        self._dominator.append(dominator)
        self.current = len(self.code.blocks) - 1
        self._sources.append(sources)
        return self.current

    def without_branch(self, ends: Sequence[int]) -> tuple[int, ...] | None:
        """Go on in the block that branched to where control comes from, with what both ways compute
        in it, if that is little and has no effect: what was branched on.
        """
        code = self.code
        heads = {each for end in ends for each in self._sources[end]} | {*ends}
        heads = {each for each in heads if {*code.successors[each]} == {*ends} - {each}}
        arms = [each for each in ends if each not in heads]
        if len(heads) != 1 or not arms or len({*ends}) != _WAYS:
            return None
        (head,) = heads
        computed = [op for arm in arms for op in code.blocks[arm]]
        alone = all(self._sources[arm] == [head] and not code.successors[arm] for arm in arms)
        branch = code.blocks[head][-1] if code.blocks[head] else None
        if (
            branch is None
            or branch.kind.mnemonic != "bra"
            or not alone
            or sum([1 + (op.kind.mnemonic == "fma") for op in computed]) > _MOST_CHOSEN
            or any(not op.writes or op.kind.needed or op.kind.access for op in computed)
        ):
            return None
        code.blocks[head][-1:] = computed
        for arm in arms:
            code.blocks[arm] = []
        code.successors[head] = []
        self.current = head
        return branch.reads

    def _common(self, one: int, other: int) -> int:
        while one != other:
            if one < other:
                one, other = other, one
            one = self._dominator[one]
        return one

    def _is_before(self, block: int) -> bool:
        """Whether a block comes before the current one on every path."""
        at = self.current
        for _ in range(_FARTHEST):
            if at <= block:
                return at == block
            at = self._dominator[at]
        return False

    # ---- registers ---------------------------------------------------------------------------

    def register(self, width: int, *, varying: bool = True, again: bool = False) -> int:
        """A new register; uniform ones are free unless they are written `again`."""
        code = self.code
        code.widths.append(width if varying or again else 0)
        code.uniform.append(width if varying else 0)
        code.declared.append(width)
        self._homes.append(self.current)
        return len(code.widths) - 1

    def constant(self, value: Held) -> tuple[int, ...]:
        """The register that a constant has to be brought into; none for zero."""
        if value.number == 0:
            return ()
        if value.key not in self._constants:
            self._constants[value.key] = self.register(value.width)
        return (self._constants[value.key],)

    def numbered(self, *key: Hashable, width: int = 1) -> int:
        """A register with a meaning of its own."""
        if key not in self._constants:
            self._constants[key] = self.register(width)
        return self._constants[key]

    def given(self, key: Hashable, width: int) -> Held:
        """What all threads are given: a register that costs nothing."""
        if key not in self._given:
            register = self.register(width, varying=False)
            self._homes[register] = -1
            self._given[key] = in_register(register, width, varying=False)
        return self._given[key]

    # ---- operations --------------------------------------------------------------------------

    def emit(
        self,
        opcode: str,
        writes: tuple[int, ...] = (),
        reads: Iterable[int] = (),
        needs: tuple[int, ...] = (),
    ) -> None:
        """One operation in the current block."""
        self._left -= 1
        if self._left < 0:
            raise TooLongError
        op = Op(kind_of(opcode), writes, tuple(dict.fromkeys(reads)), needs)
        self.code.blocks[self.current].append(op)

    def move(self, block: int, target: Held, value: Held, *, step: bool) -> None:
        """A register is written at the end of a block, for those behind it; or goes one step."""
        now, self.current = self.current, block
        loops, self.loops = self.loops, []
        ops = self.code.blocks[block]
        last = [ops.pop()] if ops and ops[-1].kind.last else []
        if step:
            self.emit(f"add.s{32 * target.width}", target.registers, target.registers)
        else:
            self.emit("mov.b32", target.registers, self.value(value).registers)
        ops += last
        self.current, self.loops = now, loops

    def keep(self) -> None:
        """The loop that begins here is not to be unrolled."""
        self.code.blocks[self.current].append(KEPT)

    def known(self, key: Hashable) -> Held | None:
        """What was computed before on every path."""
        for held, block in reversed(self._known.get(key, ())):
            if self._is_before(block):
                return held
        return None

    def note(self, key: Hashable, held: Held) -> Held:
        """That something is computed here."""
        places = self._known.setdefault(key, [])
        places.append((held, self.current))
        del places[:-_REMEMBERED]
        return held

    def computed(self, opcode: str, operands: Iterable[Held], key: Hashable, width: int) -> Held:
        """The result of an operation whose operands are in registers; once where that will do."""
        found = self.known(key)
        if found is not None:
            return found
        operands = tuple(operands)
        reads = [one for each in operands for one in each.registers]
        uniform = kind_of(opcode).uniform and not any(each.varying for each in operands)
        if uniform and not reads:
            free = self._free.setdefault(key, len(self._free))
            return Held(("free", free), width=width)
        return self.early(opcode, reads, key, width, varying=not uniform)

    def early(
        self, opcode: str, reads: Iterable[int], key: Hashable, width: int, *, varying: bool
    ) -> Held:
        """The result of an operation before all loops in which it would be the same."""
        now, self.current = self.current, self._earliest(reads)
        ops = self.code.blocks[self.current]
        last = [ops.pop()] if self.current != now and ops and ops[-1].kind.last else []
        register = self.register(width, varying=varying)
        self.emit(opcode, (register,), reads)
        ops += last
        found = self.note(key, in_register(register, width, varying=varying))
        self.current = now
        return found

    def _earliest(self, reads: Iterable[int]) -> int:
        """The block before the outermost loop that nothing read is computed in."""
        latest = max([self._homes[each] for each in reads], default=-1)
        for header in self.loops:
            if latest < header and self._dominator[header] >= 0:
                return self._dominator[header]
        return self.current

    def before(self, header: int) -> int:
        """The block that comes before a loop on every path."""
        return self._dominator[header]

    def after(self, opcode: str, one: Held, others: Iterable[int], key: Hashable) -> Held:
        """A step on from what changes in a loop, computed where it stands."""
        register = self.register(one.width, varying=one.varying)
        self.emit(opcode, (register,), (*one.registers, *others))
        return self.note(key, in_register(register, one.width, varying=one.varying))

    def value(self, held: Held) -> Held:
        """The same, in registers of its own where it needs any."""
        if held.fields:
            fields = tuple((at, size, self.value(part)) for at, size, part in held.fields)
            registers = tuple(one for _, _, part in fields for one in part.registers)
            return replace(held, fields=fields, registers=registers)
        if held.is_computed:
            return held
        if held.lazy:
            below = replace(held, add=0, lazy="", root=("below", held.root))
            done = self.computed(held.lazy, [below], ("lazy", held.root), held.width)
        else:
            done = replace(held, add=0)
        if not held.add:
            return done
        opcode = f"add.s{32 * held.width}"
        return self.computed(opcode, [done], ("plus", held.root, held.add), held.width)

    def reads(self, operands: Iterable[Held]) -> list[int]:
        """The registers that hold values, which are computed first."""
        return [one for each in operands for one in self.value(each).registers]
