"""Kernels in `data/` whose lines carry what they are expected to be: `t[x] = 1; // store 8`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from analyses.kernels import DATA, cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ir.kernel import Module

_KERNEL = re.compile(r"__global__ void (\w+)\(")
_BLOCK = re.compile(r"// block (\d+)(?:x(\d+))?(?:x(\d+))?$")
_DEFAULT = (64, 1, 1)


@dataclass(frozen=True)
class Mark:
    """A line of a kernel, what the mark at its end says, and the block the kernel is meant for."""

    file: str
    kernel: str
    line: int
    groups: tuple[str, ...]
    block: tuple[int, int, int]

    def __str__(self) -> str:
        return f"{self.file}-{self.kernel}-{self.line}"

    @property
    def facts(self) -> KernelFacts:
        """The facts of the kernel for its block."""
        return _facts(self.file, self.kernel, self.block)


def marks(pattern: str, mark: str) -> list[Mark]:
    """Every mark in the files of `data/` that the pattern finds, a kernel per file section."""
    return list(_marks(pattern, re.compile(rf"// {mark}$")))


def _marks(pattern: str, mark: re.Pattern[str]) -> Iterator[Mark]:
    for path in sorted(DATA.glob(pattern)):
        kernel, block, following = "", _DEFAULT, _DEFAULT
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if shape := _BLOCK.match(line):
                x, y, z = (int(part or 1) for part in shape.groups())
                following = (x, y, z)
            if start := _KERNEL.match(line):
                kernel, block, following = start.group(1), following, _DEFAULT
            if found := mark.search(line):
                name = str(path.relative_to(DATA))
                yield Mark(name, kernel, number, found.groups(), block)


@cache
def _module(name: str) -> Module:
    return cuda_module((DATA / name).read_text(), name)


@cache
def _facts(file: str, kernel: str, block: tuple[int, int, int]) -> KernelFacts:
    module = _module(file)
    found = next(each for each in module.kernels if each.name == kernel)
    return KernelFacts(found, module, AnalysisOptions(90, block))
