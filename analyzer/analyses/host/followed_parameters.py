"""Whether a kernel does anything with a pointer that a launch hands it but compare it.

Problem: a pointer that no thread follows may point anywhere. In: a launch of host code, and the
place of an argument. Out: False where all instances that the launch is of were read as a whole and
neither access memory through the parameter nor hand it on. Method: what is
computed from the parameter, up to comparisons; nothing of it may have an effect. Example: in
`if (p != nullptr) *out = n;` nothing follows `p`. Not seen: accesses that no thread comes to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import COMPARISONS, EFFECTS, Opcode, Operation, users_of
from ...ir.types import Kind
from ..dataflow.reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.host import HostLaunch
    from ...ir.kernel import Kernel
    from ...ir.values import Value
    from .facts import HostFacts

# Functions of their operands print, too: `%s` follows what it is given.
_FOLLOWING = (EFFECTS - {Opcode.BRANCH, Opcode.SWITCH}) | {Opcode.PURE}


def may_be_followed(facts: HostFacts, launch: HostLaunch, at: int) -> bool:
    """Whether a kernel that is launched there may use what its argument `at` points to."""
    launched = list(_launched(facts, launch))
    return not launched or any(_may_follow(kernel, at) for kernel in launched)


def _launched(facts: HostFacts, launch: HostLaunch) -> Iterator[Kernel]:
    for kernel in facts.module.kernels:
        if any(each.span == launch.span for each in kernel.launches):
            yield kernel


def _may_follow(kernel: Kernel, at: int) -> bool:
    own = [value for value, (of, _) in zip(kernel.given, kernel.entries, strict=True) if of == at]
    pointers: list[Value] = [value for value in own if value.type.kind is Kind.POINTER]
    if kernel.status != "full" or kernel.unread or len(own) != 1 or len(pointers) != 1:
        return True
    users = users_of(kernel.operations())

    def onward(value: Value) -> Sequence[Operation]:
        compared = isinstance(value, Operation) and value.opcode in COMPARISONS
        return () if compared else users.get(value, ())

    made = reachable(pointers, onward)
    return any(isinstance(each, Operation) and each.opcode in _FOLLOWING for each in made)
