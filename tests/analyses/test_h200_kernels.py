"""Every thread's byte addresses in the kernels that were measured on an H200, for whole blocks.

`data/h200_kernels` has our own programs, with the host code that launches them, and the PTX that
nvcc 13.0 makes of them (`nvcc -ptx -arch=sm_90`). A block of each kernel's first launch is run by
the interpreter of `thread_interpreter.py`; for every access that it executes, in every round of the
loops around it, the analyses are asked for the addresses and the lanes with the launch's numbers
put in. Nothing may be unknown, but in the kernels named here whose addresses depend on data.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from analyses.comparison import Comparison
from analyses.thread_interpreter import Run

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.ptx.syntax.demangle import readable
from warplint.analyzer.source.reader import read_source
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ir.kernel import Kernel, Module

DATA = Path(__file__).parent.parent / "data" / "h200_kernels"
_UNSIGNED = re.compile(r"(?<=\d)u\b")
FILES = sorted(path.stem for path in DATA.glob("*.cu"))

#: What is passed in place of what the launch passes: where the front end does not know the number,
#: and where loops would take the interpreter long.
ARGUMENTS: dict[str, tuple[int | None, ...]] = {
    "pitched_clear": (None, 640, 150, 20, None),
    "histogram_global": (None, None, 5000),
    "histogram_shared": (None, None, 5000),
    "histogram_per_warp": (None, None, 4800),
    "histogram_private_bytes": (None, None, 8),
    "matmul_naive": (None, None, None, 24),
    "matmul_naive_x_rows": (None, None, None, 24),
    "matmul_tiled<16>": (None, None, None, 16),
    "matvec_row_per_thread": (None, None, None, 16),
    "row_norms": (None, None, 512, 16),
    "col_norms": (None, None, 16, 512),
    "wmma_staged<0>": (None, None, None, 64),
    "wmma_staged<16>": (None, None, None, 64),
    "stencil3d_march": (None, None, 64, 16, 4),
    "mm_tile_a": (None, None, None, 32),
    "reduce_columns": (None, None, 40, 256),
}

#: Kernels some of whose addresses depend on what memory holds; the others must be known.
DATA_DEPENDENT = {
    **dict.fromkeys(
        (
            *("gather", "scatter_add", "permute_block", "carved_buffers", "pick_dynamic"),
            *("weights_table", "eval_struct_modified"),
        ),
        "indices are loaded",
    ),
    **dict.fromkeys(
        ("histogram_global", "histogram_shared", "histogram_per_warp", "histogram_private_bytes"),
        "what is counted is loaded",
    ),
    "chase_a": "a list is followed",
    "own_column_a": "the largest element found so far is part of the index",
    "own_column_b": "the largest element found so far is part of the index",
}

#: Kernels that are not run at all.
LEFT_OUT = {
    **dict.fromkeys(("sort_private", "nearest_rotating"), "loaded numbers decide what is done"),
    **dict.fromkeys(("settle_c", "chase_b"), "a vote on loaded numbers decides what is done"),
    **dict.fromkeys(
        ("matmul_tiled<32>", "matmul_tiled_bt<0>", "matmul_tiled_bt<1>", "bitonic_block"),
        "takes the interpreter long; matmul_tiled<16>, mm_tile_a and bitonic_xor are like it",
    ),
    **dict.fromkeys(
        ("mm_tile_b", "mm_tile_c"),
        "takes the interpreter long; differs from mm_tile_a by barriers alone",
    ),
    **dict.fromkeys(
        (
            *("matmul_register_tile", "matmul_vec4", "nbody_tiles", "mean_and_spread_a"),
            *("mean_and_spread_b", "heavy_default", "heavy_bounds", "heavy_maxnreg"),
        ),
        "takes the interpreter long",
    ),
}

#: Not run, or not known, in PTX.
LEFT_OUT_IN_PTX = {
    **dict.fromkeys(("fft_split", "fft_interleaved"), "inside sinf a float decides what is done"),
    **dict.fromkeys(
        ("fold_rows_a", "fold_rows_b", "running_max_b"),
        "with numbers put in, nothing is known behind a loop that lanes leave in different rounds",
    ),
}


@dataclass(frozen=True)
class Case:
    """One kernel, for one set of template arguments, in one language."""

    file: str
    name: str
    language: str

    def __str__(self) -> str:
        return f"{self.language}-{self.file}-{self.name}"


@cache
def _source(file: str) -> Module:
    source, _ = read_source(str(DATA / f"{file}.cu"))
    assert source is not None
    return read_cuda(source)


@cache
def _compiled(file: str) -> Module:
    text = gzip.decompress((DATA / f"{file}.ptx.gz").read_bytes()).decode()
    return read_ptx(SourceText(f"{file}.ptx", text))


def _named(module: Module) -> dict[str, Kernel]:
    """Kernels by `name<1,2>`."""
    return {
        _UNSIGNED.sub("", readable(kernel.label)).replace(" ", ""): kernel
        for kernel in module.kernels
    }


def _cases() -> Iterator[Case]:
    for file in FILES:
        for name in _named(_source(file)):
            for language in ("cuda", "ptx"):
                left_out = name in LEFT_OUT or (language == "ptx" and name in LEFT_OUT_IN_PTX)
                if not left_out:
                    yield Case(file, name, language)


CASES = list(_cases())


def _compare(case: Case) -> Comparison:
    source = _named(_source(case.file))[case.name]
    module = _source(case.file) if case.language == "cuda" else _compiled(case.file)
    kernel = _named(module)[case.name]
    launch = source.launches[0]
    given = ARGUMENTS.get(case.name, launch.arguments)
    whole = case.language == "cuda"  # PTX knows no members of what is passed
    numbers = zip(kernel.given, given, strict=whole)
    arguments = {parameter.name: number for parameter, number in numbers if number is not None}
    x, y, z = (min(1, (size or 1) - 1) for size in launch.grid)
    run = Run(_all(launch.block), _all(launch.grid), (x, y, z), arguments)
    return Comparison(kernel, module, run)


def _all(sizes: tuple[int | None, int | None, int | None]) -> tuple[int, int, int]:
    x, y, z = sizes
    assert x is not None
    assert y is not None
    assert z is not None
    return x, y, z


@pytest.mark.parametrize("case", CASES, ids=str)
def test_byte_addresses_are_those_of_the_interpreter(case: Case) -> None:
    """What is unknown of a data-dependent kernel is counted beside what is known."""
    comparison = _compare(case)
    for access in comparison.facts.accesses:
        comparison.with_numbers(access)
    counts = comparison.counts
    assert counts["address known"]
    assert counts["address known but for a term"] == counts["address not computed"] == 0
    unknown = counts["address unknown"] + counts["stride unknown"]
    assert not unknown or case.name in DATA_DEPENDENT


def test_every_access_of_a_tile_is_compared() -> None:
    """`wmma` loads and stores: four steps of two loads and one store by the one warp."""
    for language in ("cuda", "ptx"):
        comparison = _compare(Case("async_mma", "wmma_direct", language))
        for access in comparison.facts.accesses:
            comparison.with_numbers(access)
        assert comparison.counts["address known"] == 4 * 2 + 1


def test_kernels_that_are_left_out_are_there() -> None:
    names = {name for file in FILES for name in _named(_source(file))}
    assert {*LEFT_OUT, *LEFT_OUT_IN_PTX, *DATA_DEPENDENT, *ARGUMENTS} <= names
