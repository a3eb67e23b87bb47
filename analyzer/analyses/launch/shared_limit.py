"""How much dynamic shared memory a block of a kernel can be given, by what the host does about it.

In: a kernel and a machine. Out: bytes: what the device can give, unless every launch of the kernel
is seen and no code beside one ever raises the limit that each kernel has (CUDA C++ Programming
Guide, "Shared Memory"). Arrays of static size are not taken off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.kernel import HostStep

if TYPE_CHECKING:
    from ...hardware.architectures import Architecture
    from ...ir.kernel import Kernel


def most_dynamic_shared(kernel: Kernel, machine: Architecture) -> int:
    """The bytes of dynamic shared memory that no block of a kernel has more than."""
    launches = [each for each in kernel.launches if not each.origin]
    if not launches or any(HostStep.RAISES_SHARED in each.steps for each in launches):
        return machine.most_shared_per_block
    return machine.shared_per_block
