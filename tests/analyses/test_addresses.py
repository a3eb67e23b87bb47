"""Addresses and guards against an interpreter, access by access, lane by lane, round by round.

Every kernel of `data/*.cu`, and the PTX that nvcc makes of it, is run for whole blocks by the
interpreter, on the arguments that stand above the kernel (`// run: block 16x16 args * 100`).
The analyses must foretell the same byte addresses and the same executing lanes, or say that they
do not know (`comparison.py`).

    nvcc -ptx -arch=sm_90 -o NAME.ptx NAME.cu     makes the PTX anew
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
from analyses.comparison import Comparison
from analyses.kernels import DATA, cuda_module, ptx_module
from analyses.thread_interpreter import Run, base_address

from warplint.analyzer.ir.memory import Space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ir.kernel import Kernel, Module

_RUN = re.compile(r"// run: block (\S+)(?: grid (\S+))?(?: at (\S+))?(?: args (.*))?")
_KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\(\d+\)\s*)?(\w+)\(")


@dataclass(frozen=True, eq=False)
class Case:
    """One kernel of one file on one set of arguments; `*` stands for a pointer."""

    file: str
    kernel: str
    run: Run
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kernel}[{'x'.join(map(str, self.run.block))} {' '.join(self.arguments)}]"


def _dimensions(text: str | None) -> tuple[int, int, int]:
    x, y, z = [*map(int, (text or "1").split("x")), 1, 1][:3]
    return x, y, z


def _cases() -> Iterator[Case]:
    for path in sorted(DATA.glob("*.cu")):
        pending: list[re.Match[str]] = []
        for line in path.read_text().splitlines():
            given = _RUN.match(line)
            if given is not None:
                pending.append(given)
            kernel = _KERNEL.search(line)
            if kernel is None:
                continue
            assert pending, f"{path.name}: {kernel.group(1)} has no run"
            for match in pending:
                block, grid, at, arguments = match.groups()
                index = _dimensions(at) if at else (0, 0, 0)
                index = (index[0], index[1] if at and "x" in at else 0, 0)
                run = Run(_dimensions(block), _dimensions(grid), index)
                yield Case(path.stem, kernel.group(1), run, tuple((arguments or "").split()))
            pending = []


CASES = list(_cases())


@cache
def _module(name: str) -> Module:
    path = DATA / name
    read = cuda_module if path.suffix == ".cu" else ptx_module
    return read(path.read_text(), name)


def _kernel(case: Case, language: str) -> tuple[Kernel, Module]:
    module = _module(f"{case.file}.{language}")
    found = [
        kernel
        for kernel in module.kernels
        if kernel.name == case.kernel or f"{len(case.kernel)}{case.kernel}" in kernel.name
    ]
    assert len(found) == 1, [kernel.name for kernel in module.kernels]
    return found[0], module


@cache
def compared(case: Case, language: str) -> Counter[str]:
    kernel, module = _kernel(case, language)
    names = [parameter.name for parameter in kernel.parameters]
    given = {n: int(v) for n, v in zip(names, case.arguments, strict=True) if v != "*"}
    return Comparison(kernel, module, replace(case.run, arguments=given)).everything()


@pytest.mark.parametrize("language", ["cu", "ptx"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_addresses_and_guards_are_those_of_the_interpreter(case: Case, language: str) -> None:
    counts = compared(case, language)
    assert counts["guard known"] + counts["guard assumed"] > 0


@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_front_ends_store_to_the_same_bytes(case: Case) -> None:
    """What nvcc makes of a kernel and what the CUDA front end makes of it: layouts, conversions."""
    source, compiled = _bytes_stored(case, "cu"), _bytes_stored(case, "ptx")
    kept = {name for name, _, _ in compiled}  # arrays that nothing reads are gone
    assert {item for item in source if item[0] in kept} == compiled


def _bytes_stored(case: Case, language: str) -> set[tuple[str, int, int]]:
    """Pointer argument or shared array, thread and offset of every byte that is written."""
    kernel, module = _kernel(case, language)
    names = [parameter.name for parameter in kernel.parameters]
    given = {n: int(v) for n, v in zip(names, case.arguments, strict=True) if v != "*"}
    comparison = Comparison(kernel, module, replace(case.run, arguments=given))
    bases = {
        base_address(comparison.objects, parameter.pointee): f"argument {parameter.index}"
        for parameter in kernel.parameters
        if parameter.pointee is not None
    }
    for item in comparison.objects:
        if item.space is Space.SHARED:
            bases[base_address(comparison.objects, item)] = _plain(item.name)
    found = set()
    for thread, stores in comparison.trace.stores.items():
        for store in stores:
            assert isinstance(store.address, int)
            base = (store.address + (1 << 23)) >> 24 << 24  # offsets may be a little below zero
            if base in bases:
                first = store.address - base
                found |= {(bases[base], thread, first + byte) for byte in range(store.width)}
    return found


def _plain(name: str) -> str:
    """`tile` for `_ZZ5tilesPfE4tile`, as nvcc mangles the names of static variables."""
    for match in re.finditer(r"\d+", name):
        if name[match.end() :].isidentifier() and len(name) - match.end() == int(match.group()):
            return name[match.end() :]
    return name


@pytest.mark.parametrize(
    ("language", "addresses", "guards"), [("cu", 0.95, 0.7), ("ptx", 0.95, 0.78)]
)
def test_most_is_known(language: str, addresses: float, guards: float) -> None:
    """Saying "unknown" is always right and seldom useful."""
    total = sum((compared(case, language) for case in CASES), Counter[str]())
    unknown = total["address unknown"] + total["stride unknown"]
    assert total["address known"] / (total["address known"] + unknown) >= addresses, total
    assert total["guard known"] / (total["guard known"] + total["guard assumed"]) >= guards, total
