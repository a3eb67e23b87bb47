"""PTX that nvcc made of `data/kernels.cu`: everything is read, and the IR is what it was.

The goldens hold the IR of every kernel as text; `pytest --bless` writes them anew.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from ptx.support import DATA

from warplint.analyzer.ir.operations import Barrier, MemoryAccess, Opcode
from warplint.analyzer.ir.printer import print_kernel
from warplint.analyzer.ir.verifier import verify
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from warplint.analyzer.ir.kernel import Module

KERNELS = sorted(DATA.glob("kernels.*.ptx"))


def module_of(path: Path) -> Module:
    return read_ptx(SourceText(path.name, path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_the_ir_of_a_file(path: Path, golden: Callable[[str, str], None]) -> None:
    module = module_of(path)
    assert module.problems == []
    assert len(module.kernels) == 14
    for kernel in module.kernels:
        assert verify(kernel) == []
        assert kernel.status == "full"
    golden(f"{path.stem}.ir", "\n".join(map(print_kernel, module.kernels)))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_operation_knows_its_cuda_line(path: Path) -> None:
    lines = (path.parent / "kernels.cu").read_text(encoding="utf-8").splitlines()
    for kernel in module_of(path).kernels:
        for operation in kernel.operations():
            origin = operation.location.origin
            if isinstance(operation, MemoryAccess) and operation.space.value == "shared":
                place = operation.location
                while place.inlined_at is not None:
                    place = place.inlined_at
                outer = place.origin
                assert origin is not None
                assert outer is not None
                text = lines[outer.line - 1]
                assert any(name in text for name in ("partial", "tile", "local_bins"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_what_a_reduction_touches(path: Path) -> None:
    kernel = next(one for one in module_of(path).kernels if "reduce" in one.name)
    spaces = Counter(
        (op.kind.value, op.space.value) for op in kernel.operations()
        if isinstance(op, MemoryAccess)
    )  # fmt: skip
    assert spaces["store", "global"] == 1
    assert spaces["store", "shared"] >= 2
    assert sum(isinstance(op, Barrier) for op in kernel.operations()) >= 2
    assert kernel.bounds.max_threads == 256
    assert kernel.bounds.min_blocks == 2
    assert [item.size for item in kernel.objects if item.space.value == "shared"] == [1024]
    assert [p.pointee is not None for p in kernel.parameters] == [True, True, False]


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_nothing_is_opaque(path: Path) -> None:
    for kernel in module_of(path).kernels:
        assert [op for op in kernel.operations() if op.opcode is Opcode.OPAQUE] == []
