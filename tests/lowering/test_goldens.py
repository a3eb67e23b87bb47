"""Source → IR, one golden for each group of constructs: the source, then what becomes of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.printer import print_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = sorted((Path(__file__).parent / "data").glob("*.cu"))


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_ir(path: Path, golden: Callable[[str, str], None]) -> None:
    text = path.read_text(encoding="utf-8")
    kernels = cuda_module(text, path.name).kernels
    assert len(kernels) == 1
    golden(f"{path.stem}.txt", f"{text}\n{print_kernel(kernels[0])}")
