"""The ladder of truth: every number of a kernel from the surest source there is.

In: kernels that a front end has read, kernels of binaries and build logs, and ptxas where it may be
run. Out: for each kernel and architecture one `KernelUsage`: binary over log over a run of ours
over what the file itself says. What a binary or a log has beyond the files is kept, on rows of
their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analyses.launch.evidence import by_readable_name, symbol_of
from ..ir.usage import Source, Usage, merge
from ..ptx.syntax.demangle import readable
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..analyses.launch.evidence import Evidence
    from ..ir.kernel import Kernel
    from ..resources.cubin import CompiledKernel


@dataclass(frozen=True, slots=True)
class KernelUsage:
    """A kernel's resources on one architecture, found in a run; `kernel` None: no source read."""

    name: str
    symbol: str | None  # mangled, where it is known
    arch: int
    usage: Usage
    kernel: Kernel | None = None
    origin: str = ""  # the file that a row without a kernel is from


@dataclass(frozen=True, slots=True)
class AskedKernel:
    """One kernel of a file, and the architectures that its numbers are wanted for."""

    kernel: Kernel
    symbol: str | None
    arches: tuple[int, ...]

    def rows(self, evidence: Evidence, own: Sequence[Usage]) -> Iterator[KernelUsage]:
        """A row for each architecture; `own` is what the file itself says of each."""
        name = self.kernel.label
        for arch, usage in zip(self.arches, own, strict=True):
            known = evidence.usage(self.symbol, arch) if self.symbol else Usage()
            yield KernelUsage(name, self.symbol, arch, merge(known, usage), self.kernel)


def asked_of(
    kernels: Sequence[Kernel], evidence: Evidence, arch: int, *, chosen: bool
) -> Iterator[AskedKernel]:
    """The architectures that each kernel's resources are wanted for; `arch` if the user
    chose it.
    """
    names = by_readable_name(evidence.symbols())
    for kernel in kernels:
        symbol = symbol_of(kernel, names)
        arches = evidence.architectures(symbol) if symbol and not chosen else []
        yield AskedKernel(kernel, symbol, tuple(arches or [arch]))


def rows_without_source(evidence: Evidence, arch: int, *, chosen: bool) -> Iterator[KernelUsage]:
    """A row for each symbol of binaries and logs and each of its architectures."""
    for symbol in evidence.symbols():
        for one in _wanted(evidence.architectures(symbol), arch, chosen=chosen):
            usage = evidence.usage(symbol, one)
            origin = evidence.origins[symbol]
            yield KernelUsage(readable(symbol), symbol, one, usage, None, origin)


def _wanted(arches: list[int], arch: int, *, chosen: bool) -> list[int]:
    if not arches:
        return [arch]
    return [one for one in arches if one == arch] if chosen else arches


def compiled_by_us(kernels: Iterable[CompiledKernel]) -> Iterator[CompiledKernel]:
    """The kernels of a log that our own run of ptxas printed."""
    from dataclasses import fields, replace

    for kernel in kernels:
        changes = {
            item.name: replace(amount, source=Source.PTXAS)
            for item in fields(Usage)
            if (amount := getattr(kernel.usage, item.name)).known
        }
        yield replace(kernel, usage=replace(kernel.usage, **changes))
