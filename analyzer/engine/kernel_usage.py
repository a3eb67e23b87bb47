"""The ladder of truth: every number of a kernel from the surest source there is.

In: kernels that a front end has read, kernels of binaries and build logs, and ptxas where it may be
run. Out: for each kernel and architecture one `KernelUsage`: binary over log over a run of ours
over what the file itself says. Kernels are matched by their mangled name; those of CUDA C++ by the
readable form of it. What a binary or a log has beyond the files is kept, on rows of their own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ir.usage import Source, Usage, merge
from ..ptx.demangle import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..ir.kernel import Kernel
    from ..resources.cubin import CompiledKernel


@dataclass(frozen=True, slots=True)
class KernelUsage:
    """What one kernel takes on one architecture; `kernel` is None where no source was read."""

    name: str
    symbol: str | None  # mangled, where it is known
    arch: int
    usage: Usage
    kernel: Kernel | None = None
    origin: str = ""  # the file that a row without a kernel is from


@dataclass(slots=True)
class Evidence:
    """Compiled kernels by symbol and architecture, the surest first; None is "any architecture"."""

    rungs: list[dict[str, dict[int | None, Usage]]] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)

    def add(self, kernels: Iterable[CompiledKernel], origin: str) -> None:
        """One more source, less sure than those before it."""
        rung: dict[str, dict[int | None, Usage]] = defaultdict(dict)
        for kernel in kernels:
            known = rung[kernel.name].get(kernel.arch, Usage())
            rung[kernel.name][kernel.arch] = merge(kernel.usage, known)
            self.origins.setdefault(kernel.name, origin)
        self.rungs.append(rung)

    def symbols(self) -> dict[str, None]:
        """Every symbol, in the order of the sources."""
        return {symbol: None for rung in self.rungs for symbol in rung}

    def architectures(self, symbol: str) -> list[int]:
        """The architectures a symbol was compiled for, ascending."""
        found = {arch for rung in self.rungs for arch in rung.get(symbol, ()) if arch is not None}
        return sorted(found)

    def usage(self, symbol: str, arch: int) -> Usage:
        """What is known of a symbol on one architecture."""
        usage = Usage()
        for rung in self.rungs:
            by_arch = rung.get(symbol, {})
            for key in (arch, None):
                if key in by_arch:
                    usage = merge(usage, by_arch[key])
        return usage


def symbol_of(kernel: Kernel, symbols: Mapping[str, Sequence[str]]) -> str | None:
    """The symbol of a kernel among compiled ones; None when there is none, or no single one."""
    if kernel.language == "ptx":
        return kernel.name
    for wanted in (kernel.instance, kernel.name):
        found = symbols.get(wanted, ()) if wanted else ()
        if len(found) == 1:
            return found[0]
    return None


def by_readable_name(symbols: Iterable[str]) -> dict[str, list[str]]:
    """Symbols by what a source calls them: with and without scopes and template arguments."""
    names: dict[str, list[str]] = defaultdict(list)
    for symbol in symbols:
        name = readable(symbol)
        last = _without_scopes(name)
        for form in dict.fromkeys((name, last, last.partition("<")[0])):
            names[form].append(symbol)
    return names


def _without_scopes(name: str) -> str:
    """`copy<ns::pair>` of `detail::copy<ns::pair>`."""
    head, angle, tail = name.partition("<")
    return head.rpartition("::")[2] + angle + tail


def usages_of(
    kernels: Sequence[Kernel], evidence: Evidence, arch: int, *, chosen: bool
) -> Iterator[KernelUsage]:
    """A row for each kernel and architecture; only `arch` when the user chose it."""
    symbols = evidence.symbols()
    names = by_readable_name(symbols)
    for kernel in kernels:
        symbol = symbol_of(kernel, names)
        arches = evidence.architectures(symbol) if symbol else []
        if symbol in symbols:
            symbols.pop(symbol)
        for one in [arch] if chosen or not arches else arches:
            known = evidence.usage(symbol, one) if symbol else Usage()
            usage = merge(known, kernel.usage(one))
            yield KernelUsage(kernel.instance or kernel.name, symbol, one, usage, kernel)
    for symbol in symbols:
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
