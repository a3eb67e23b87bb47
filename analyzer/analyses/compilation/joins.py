"""Where paths meet: registers that each of them writes at its end.

In: what a value is at the end of each path. Out: the same where all agree, else registers, and in
the emission the moves into them. Aggregates are joined part by part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.types import Kind
from .held import NOTHING, Held, in_register, whole
from .values import width_of

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from ...ir.operations import Phi
    from ...ir.values import Value
    from .emission import Emission


class Joins:
    """The join points of a kernel as compiled code is made: registers that all paths write;
    `varying` differs between lanes.
    """

    def __init__(self, emission: Emission, varying: Set[Value]) -> None:
        self._emission = emission
        self._varying = varying

    def joined(self, blocks: Sequence[int], values: Sequence[Held], phi: Phi | None) -> Held:
        """What is the same from everywhere, or a register that each writes."""
        some = [each for each in values if each is not NOTHING]
        if not some:
            return NOTHING
        if all(each.key == some[0].key for each in some):
            return some[0]
        return self.written(blocks, values, phi)

    def selected(self, condition: Sequence[int], values: Sequence[Held], phi: Phi | None) -> Held:
        """What is the same from everywhere, or a choice by a condition without a branch."""
        some = [each for each in values if each is not NOTHING]
        if not some or all(each.key == some[0].key for each in some):
            return some[0] if some else NOTHING
        emission = self._emission
        width = self._width(some, phi)
        varying = phi is None or phi in self._varying
        register = emission.register(width, varying=varying)
        emission.emit("selp.b32", (register,), (*condition, *emission.reads(some)))
        return in_register(register, width, varying=varying)

    def written(self, blocks: Sequence[int], values: Sequence[Held], phi: Phi | None) -> Held:
        """A register that each path writes."""
        some = [each for each in values if each is not NOTHING] or [NOTHING]
        target = self._target(max(some, key=lambda each: len(each.fields)), some, phi)
        for block, value in zip(blocks, values, strict=True):
            self.write(block, target, value)
        return target

    def _target(self, like: Held, values: Sequence[Held], phi: Phi | None) -> Held:
        if like.fields:
            return whole(
                [
                    (at, size, self._target(part, [_field(each, at) for each in values], None))
                    for at, size, part in like.fields
                ]
            )
        width = self._width(values, phi)
        varying = phi is None or phi in self._varying
        register = self._emission.register(width, varying=varying, again=True)
        return in_register(register, width, varying=varying)

    @staticmethod
    def _width(values: Sequence[Held], phi: Phi | None) -> int:
        if phi is not None and phi.type.bits is not None and phi.type.kind is not Kind.POINTER:
            return width_of(phi.type)
        return max(each.width for each in values)

    def write(self, block: int, target: Held, value: Held) -> None:
        """A path gives a register its value at the end of a block."""
        if target.fields:
            for at, _, part in target.fields:
                self.write(block, part, _field(value, at))
        elif value is not NOTHING and value.key != target.key:
            step = value.root == target.root  # of a counter
            self._emission.move(block, target, value, step=step)


def _field(value: Held, at: int) -> Held:
    """A part of what comes from elsewhere, which may be no aggregate."""
    if not value.fields:
        return value
    return next((part for one, _, part in value.fields if one == at), NOTHING)
