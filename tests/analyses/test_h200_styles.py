"""Kernels in styles that differ from each other, line by line against the counters of an H100.

`data/h200_styles/lines.json` has wavefronts and sectors per source line, as Nsight Compute 2025.3.1
reports them for `styles.cu` (nvcc 13.0.88 -O3 -lineinfo -arch=sm_90). Every line that is analysed
must have the measured degree or ratio; the lines that may not are named, with the reason.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.memory_traffic.access_table import counted_accesses
from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.report.kernels.accesses import access_record
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Module

DATA = Path(__file__).parent.parent / "data" / "h200_styles"
LAUNCHES = json.loads((DATA / "lines.json").read_text())["launches"]
KINDS = {
    "shared_ld": ("shared", "load"),
    "shared_st": ("shared", "store"),
    "shared_atom": ("shared", "atomic"),
    "global_ld": ("global", "load"),
    "global_st": ("global", "store"),
    "global_red": ("global", "atomic"),
}
#: nvcc unrolls the loop and merges the two loads of its first round.
EXCEPTIONS = {("doubling", 154, "shared_ld")}


@cache
def module() -> Module:
    source, _ = read_source(str(DATA / "styles.cu"))
    assert source is not None
    return read_cuda(source)


def records(measured: dict[str, Any]) -> dict[int, list[dict[str, Any]]]:
    """Our records of a measured launch, by line."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    named = [kernel for kernel in module().kernels if kernel.name == measured["kernel"]]
    for kernel in named:
        for launch in KernelFacts(kernel, module(), AnalysisOptions()).launches:
            same = [list(launch.launch.grid), list(launch.launch.block)]
            arguments = [kernel.instance.partition("<")[2].rstrip(">").replace(" ", "")]
            signature = measured["signature"].replace("(int)", "").replace(" ", "")
            if same == [measured["grid"], measured["block"]] and arguments[0] in signature:
                for row in counted_accesses(launch):
                    found[row.access.location.span.line].append(access_record(row))
    return found


@pytest.mark.parametrize("measured", LAUNCHES, ids=lambda launch: launch["signature"])
def test_degrees_and_ratios_are_those_of_the_hardware(measured: dict[str, Any]) -> None:
    ours, compared = records(measured), 0
    for line, kinds in measured["lines"].items():
        for kind, values in kinds.items():
            space, operation = KINDS.get(kind, ("", ""))
            own = [r for r in ours[int(line)] if (r["space"], r["op"]) == (space, operation)]
            counted = [r for r in own if r["analysed"]]
            total = "wavefronts" if space == "shared" else "sectors"
            ratio = values.get("degree", values.get("sector_ratio"))
            if not counted or ratio is None or (measured["kernel"], int(line), kind) in EXCEPTIONS:
                continue
            ideal = sum(record[f"ideal_{total}"] for record in counted)
            found = sum(record[total] for record in counted) / ideal
            assert found == pytest.approx(ratio, rel=0.02), (line, kind)
            compared += 1
    assert compared
