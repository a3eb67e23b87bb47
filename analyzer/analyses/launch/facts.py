"""A kernel and how it is built: the root of what rules may ask about it.

In: a kernel, the module around it, the user's options. Each room of the analyses derives a class
with what may be asked from it on (`dataflow/facts.py`, `pointers/facts.py`, ...), so that an
analysis says by the class it takes what it depends on. `analyses/facts.py` has them all.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from os.path import basename
from typing import TYPE_CHECKING, Self

from ...ir.usage import Usage, merge
from ...source.records import dataclass
from .kernel_size import most_to_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...hardware.architectures import Architecture
    from ...ir.kernel import Kernel, Module
    from ...resources.ptxas_log import Advisory
    from .assumed_launch import AnalysisOptions


@dataclass(frozen=True, slots=True)
class Build:
    """The registers and memory that one kernel takes on one architecture, as far as is known."""

    arch: int
    usage: Usage


class BuildFacts:
    """What the user and the compilers said of how one kernel is launched and built."""

    def __init__(self, kernel: Kernel, module: Module, options: AnalysisOptions) -> None:
        self.kernel = kernel
        self.module = module
        self.options = options
        self.unfinished: set[str] = set()  # reasons why races were not checked everywhere
        self.rests_on_others = False  # whether something was asked of other kernels of the file
        self.rests_on_instances = False  # whether something was asked of those of its own text

    def others(self, most: int) -> Iterator[Self]:
        """The facts of other kernels of the file, so many at most: what is found rests on them."""
        self.rests_on_others = True
        others = (each for each in self.module.kernels if each is not self.kernel)
        return map(self.of_kernel, islice(others, most))

    @property
    def instances(self) -> list[Kernel]:
        """The kernels of the file made of the same text, itself included: what is found rests on
        them.
        """
        self.rests_on_instances = True
        return self.module.instances(self.kernel)

    def of_kernel(self, kernel: Kernel) -> Self:
        """The facts of another kernel of the module, with the same options."""
        return type(self)(kernel, self.module, self.options)

    @cached_property
    def size(self) -> int:
        """The operations of the kernel: what it costs to look into it grows with them."""
        return self.kernel.size

    @property
    def is_too_large(self) -> bool:
        """Whether it would take too long to look into the kernel at all."""
        return self.size > self.options.kernel_size

    @cached_property
    def runs_blocks(self) -> bool:
        """Whether blocks of the kernel are run to look for races, or that would take too long."""
        most = most_to_run(self.options.kernel_size)
        if self.size > most:
            self.unfinished.add(f"more than {most:,} operations (raise kernel-size)")
        return self.size <= most

    @cached_property
    def architecture(self) -> Architecture:
        """The machine the kernel is analysed for."""
        from ...hardware.architectures import architecture

        return architecture(self.options.arch)

    @cached_property
    def _symbol(self) -> str | None:
        evidence = self.options.evidence
        return None if evidence is None else evidence.symbol_of(self.kernel)

    @cached_property
    def builds(self) -> tuple[Build, ...]:
        """What compilers made of the kernel, one entry for each architecture they were run for."""
        evidence, symbol = self.options.evidence, self._symbol
        if evidence is None or symbol is None or symbol not in evidence.symbols():
            return ()
        arches = evidence.architectures(symbol) or [self.options.arch]
        return tuple(
            Build(arch, merge(evidence.usage(symbol, arch), self.kernel.usage(arch)))
            for arch in arches
        )

    @cached_property
    def build(self) -> Build:
        """The architecture asked for, or the latest that it was built for, with what is known."""
        asked = next((build for build in self.builds if build.arch == self.options.arch), None)
        if asked is None and self.builds:
            return self.builds[-1]
        return asked or Build(self.options.arch, self.kernel.usage(self.options.arch))

    @cached_property
    def advisories(self) -> tuple[Advisory, ...]:
        """The warnings of compilers about this kernel, each once."""
        evidence = self.options.evidence
        found = [] if evidence is None else evidence.advisories
        own = (item for item in found if self._is_about_this(item))
        return tuple({(item.code, item.text): item for item in own}.values())

    def _is_about_this(self, advisory: Advisory) -> bool:
        """Whether a warning names this kernel, or a line of it."""
        if advisory.function is not None:
            return advisory.function == self._symbol
        body = self.kernel.body_span
        inside = advisory.line is not None and body.line <= advisory.line <= body.end_line
        return inside and self.speaks_of_file(advisory)

    def speaks_of_file(self, advisory: Advisory) -> bool:
        """Whether the lines of a warning are those of this file."""
        if advisory.path is None or self.kernel.language != "ptx":
            return False
        return basename(advisory.path) == basename(self.kernel.span.path)
