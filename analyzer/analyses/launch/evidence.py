"""What compilers have said of kernels, found again by name.

In: kernels of binaries and of build logs, and the advice of the compiler, added from the surest
source to the least sure. Out: for a symbol and an architecture what is known, for a kernel of the
IR its symbol. Kernels are matched by their mangled name; those of CUDA C++ by the readable form of
it, and not at all where several symbols have that form.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from typing import TYPE_CHECKING

from ...ir.usage import Usage, merge
from ...ptx.syntax.demangle import readable
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...ir.kernel import Kernel
    from ...resources.cubin import CompiledKernel
    from ...resources.ptxas_log import Advisory, BuildLog


@dataclass(slots=True)
class Evidence:
    """Compiled kernels by symbol and architecture, the surest first; None is "any architecture"."""

    rungs: list[dict[str, dict[int | None, Usage]]] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)
    advisories: list[Advisory] = field(default_factory=list)
    _names: dict[str, list[str]] | None = None  # symbols by readable name, when first asked for

    def add(self, kernels: Iterable[CompiledKernel], origin: str) -> None:
        """One more source, less sure than those before it."""
        rung: dict[str, dict[int | None, Usage]] = defaultdict(dict)
        for kernel in kernels:
            known = rung[kernel.name].get(kernel.arch, Usage())
            rung[kernel.name][kernel.arch] = merge(kernel.usage, known)
            self.origins.setdefault(kernel.name, origin)
        self.rungs.append(rung)
        self._names = None

    def add_log(self, log: BuildLog, origin: str) -> None:
        """A build log: its numbers and its advice."""
        self.add(log.kernels, origin)
        self.advisories += log.advisories
        self._names = None

    def symbols(self) -> dict[str, None]:
        """Every symbol with numbers, in the order of the sources."""
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

    def symbol_of(self, kernel: Kernel) -> str | None:
        """The symbol of a kernel here, those that only advice names included."""
        if self._names is None:
            advised = {item.function: None for item in self.advisories if item.function}
            self._names = by_readable_name(self.symbols() | advised)
        return symbol_of(kernel, self._names)


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
