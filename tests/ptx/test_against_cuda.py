"""Both front ends on one kernel: the same objects, accesses and barriers on the same lines.

Each CUDA file of `data/` is read as CUDA and as the PTX that nvcc made of it. Objects are compared
by space and size, accesses by line, kind, space and width, barriers by line and kind. What the
compiler changed (merged or widened accesses, registers instead of arrays, unrolled or removed
code) stands in the golden, so that any other difference shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ptx.support import DATA

from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import Barrier, MemoryAccess, Operation
from warplint.analyzer.ir.values import ObjectAddress, Parameter, Value
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable

    from warplint.analyzer.ir.kernel import Kernel
    from warplint.analyzer.source.location import Location

FILES = ("accesses", "kernels")


def facts(kernel: Kernel) -> set[str]:
    """Objects, accesses and barriers of a kernel, one line of text each."""
    found: set[str] = set()
    for item in kernel.objects:
        if not item.pointee and item.space.value != "param":
            found.add(f"object {item.space.value} {item.size} bytes")
    for operation in kernel.operations():
        line = line_of(operation.location)
        if isinstance(operation, MemoryAccess):
            kind = "atomic" if operation.atomic else operation.kind.value
            space = operation.space
            if space is Space.GENERIC:
                space = space_of(operation.address)
            found.add(f"line {line}: {kind} {space.value} {operation.width}")
        elif isinstance(operation, Barrier):
            found.add(f"line {line}: barrier {operation.kind.value}")
    return found


def line_of(location: Location) -> int:
    """The line in the CUDA file; for what comes from a header, that of the call."""
    for place in (location, *location.call_chain()):
        if place.origin is None and place.span.path.endswith(".cu"):
            return place.span.line
        if place.origin is not None and place.origin.path.endswith(".cu"):
            return place.origin.line
    return 0


def space_of(address: Value) -> Space:
    """The one space of the objects that an address is computed from, else GENERIC."""
    spaces: set[Space] = set()
    seen: set[Value] = set()
    work = [address]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, ObjectAddress):
            spaces.add(value.object.space)
        elif isinstance(value, Parameter) and value.pointee is not None:
            spaces.add(value.pointee.space)
        elif isinstance(value, Operation) and not isinstance(value, MemoryAccess):
            work.extend(value.operands)
    return spaces.pop() if len(spaces) == 1 else Space.GENERIC


def comparison(name: str) -> str:
    """What both report, and what only one does, for every kernel of a file."""
    text = (DATA / f"{name}.cu").read_text(encoding="utf-8")
    cuda = read_cuda(SourceText(f"{name}.cu", text), CudaOptions(arch=90))
    path = DATA / f"{name}.sm_90.ptx"
    ptx = read_ptx(SourceText(path.name, path.read_text(encoding="utf-8")))
    by_name = {kernel.name: kernel for kernel in cuda.kernels}
    out: list[str] = []
    for kernel in ptx.kernels:
        short = kernel.label.split("(")[0]
        ours, theirs = facts(by_name[short]), facts(kernel)
        out.append(f"{short}")
        out += [f"  both       {fact}" for fact in sorted(ours & theirs, key=order)]
        out += [f"  only CUDA  {fact}" for fact in sorted(ours - theirs, key=order)]
        out += [f"  only PTX   {fact}" for fact in sorted(theirs - ours, key=order)]
    return "\n".join(out) + "\n"


def order(fact: str) -> tuple[int, str]:
    number = fact.partition(":")[0].removeprefix("line ")
    return int(number) if number.isdigit() else 0, fact


@pytest.mark.parametrize("name", FILES)
def test_both_front_ends_agree(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.both", comparison(name))


def test_enough_kernels_are_compared_and_most_agree_wholly() -> None:
    whole = 0
    kernels = 0
    for name in FILES:
        blocks = comparison(name).split("\n")
        starts = [index for index, line in enumerate(blocks) if line and line[0] != " "]
        for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True):
            kernels += 1
            whole += not any("  only " in line for line in blocks[start:end])
    assert kernels >= 30
    assert whole >= 20
