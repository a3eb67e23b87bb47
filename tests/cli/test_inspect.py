"""`warplint inspect` on a real kernel, through the installed command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Outcome

    Run = Callable[..., Outcome]

FIXTURES = Path(__file__).parents[1] / "fixtures"
KERNEL = """\
template <typename T, int TILE>
__global__ void __launch_bounds__(TILE * 8) copy(const T *in, T *out) {
    __shared__ T tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[threadIdx.x];
}

void host(float *a, float *b) {
    copy<float, 32><<<64, dim3(32, 1)>>>(a, b);
}
"""


@pytest.fixture(autouse=True)
def kernel(tmp_path: Path) -> None:
    (tmp_path / "copy.cu").write_text(KERNEL, encoding="utf-8")


def test_kernels(warplint: Run) -> None:
    outcome = warplint("inspect", "kernels", "copy.cu", "--format", "json")
    assert outcome.code == 0
    report = json.loads(outcome.out)
    (kernel,) = report["kernels"]
    assert (kernel["path"], kernel["name"], kernel["status"]) == ("copy.cu", "copy", "full")
    assert kernel["end_line"] == 8
    assert [(p["name"], p["type"]) for p in kernel["parameters"]] == [
        ("in", "const T *"),
        ("out", "T *"),
    ]
    assert [p["name"] for p in kernel["template_parameters"]] == ["T", "TILE"]
    assert kernel["launch_bounds"]["text"] == "__launch_bounds__(TILE * 8)"
    assert kernel["launch_bounds"]["max_threads"] == 256
    assert (kernel["kind"], kernel["instances"][0]["name"]) == ("kernel", "copy<float, 32>")
    (launch,) = kernel["launches"]
    assert (launch["line"], launch["grid"], launch["block"]) == (11, [64, 1, 1], [32, 1, 1])
    assert report["inputs"] == [{"path": "copy.cu", "status": "full", "kernels": 1, "problems": []}]


def test_a_definition_in_a_header_is_listed_once_with_all_its_launches(
    warplint: Run, tmp_path: Path
) -> None:
    (tmp_path / "copy.cu").unlink()
    (tmp_path / "fill.cuh").write_text("__global__ void fill(int *p) { p[0] = 1; }\n")
    for name in ("a", "b"):
        host = "void host(int *p) { fill<<<1, 32>>>(p); }\n"
        (tmp_path / f"{name}.cu").write_text(f'#include "fill.cuh"\n{host}')
    report = json.loads(warplint("inspect", "kernels", ".", "--format", "json").out)
    (kernel,) = report["kernels"]
    assert (kernel["path"], kernel["name"]) == ("fill.cuh", "fill")
    assert [(item["path"], item["line"]) for item in kernel["launches"]] == [
        ("a.cu", 2),
        ("b.cu", 2),
    ]


def test_memory_spaces(warplint: Run) -> None:
    outcome = warplint("inspect", "memory-spaces", "copy.cu", "--format", "json")
    assert outcome.code == 0
    variables = {item["variable"]: item for item in json.loads(outcome.out)["variables"]}
    assert variables["tile"]["space"] == "shared"
    assert variables["tile"]["bytes"] == 128
    assert (variables["tile"]["line"], variables["tile"]["scope"]) == (3, "block")
    assert variables["i"]["space"] == "register"


def test_memory_spaces_as_markdown(warplint: Run) -> None:
    outcome = warplint("inspect", "memory-spaces", "copy.cu", "--format", "markdown")
    assert outcome.code == 0
    assert outcome.out.startswith("## copy")
    assert "| tile | shared | on-chip |" in outcome.out


def test_memory_spaces_of_an_old_architecture(warplint: Run) -> None:
    outcome = warplint("inspect", "memory-spaces", "copy.cu", "--arch", "1.3", "--format", "json")
    assert outcome.code == 0
    variables = {item["variable"]: item for item in json.loads(outcome.out)["variables"]}
    assert variables["in"]["located"] == "on-chip (shared memory)"
    assert variables["in"]["points_to"] == [{"space": "global", "name": "*in", "member": None}]


def test_ir(warplint: Run) -> None:
    outcome = warplint("inspect", "ir", "copy.cu")
    assert outcome.code == 0
    assert "barrier.block" in outcome.out


def test_uniformity_holds_for_the_block_that_was_asked_for(warplint: Run) -> None:
    outcome = warplint("inspect", "uniformity", "copy.cu", "--block", "64", "--format", "json")
    assert outcome.code == 0
    values = json.loads(outcome.out)["values"]
    (i,) = [item for item in values if item["value"] == "i"]
    assert (i["line"], i["level"], i["block"]) == (4, "lane-varying", [64, 1, 1])
    assert (i["block_origin"], i["source"][:5]) == ("--block", "int i")


def test_barriers(warplint: Run) -> None:
    outcome = warplint("inspect", "barriers", "copy.cu", "--format", "json")
    assert outcome.code == 0
    (barrier,) = json.loads(outcome.out)["barriers"]
    assert (barrier["line"], barrier["uniform"], barrier["controls"]) == (6, True, [])
    assert barrier["block_origin"] == "launch at line 11"


@pytest.mark.parametrize("command", ["cfg", "dataflow"])
def test_graphs(warplint: Run, command: str) -> None:
    text = warplint("inspect", command, "copy.cu")
    assert (text.code, text.out.splitlines()[0]) == (0, "copy<float, 32> (copy.cu:1)")
    record = json.loads(warplint("inspect", command, "copy.cu", "--format", "json").out)
    (graph,) = record["graphs"]
    assert graph["kernel"] == "copy<float, 32>"
    dot = warplint("inspect", command, "copy.cu", "--format", "dot")
    assert (dot.code, dot.out[:7]) == (0, "digraph")
    assert dot.out.count(" -> ") == len(graph["edges"])


def test_tables_name_what_they_list(warplint: Run) -> None:
    listed = warplint("inspect", "kernels", "copy.cu").out.splitlines()
    assert listed[-1] == "1 kernel, 0 device functions"
    assert "tile" in warplint("inspect", "memory-spaces", "copy.cu").out


def test_bad_input_beside_a_good_one(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.ptx").touch()
    outcome = warplint("inspect", "kernels", "empty.ptx", "copy.cu", "gone.cu", "--format", "json")
    assert outcome.code == 3
    report = json.loads(outcome.out)
    assert [item["status"] for item in report["inputs"]] == ["none", "full", "none"]
    assert len(report["kernels"]) == 1
    assert "error: empty.ptx: empty file" in outcome.err
    assert "error: gone.cu: no such file" in outcome.err


def test_accesses_carry_what_nsight_compute_would_count(warplint: Run) -> None:
    outcome = warplint("inspect", "accesses", "copy.cu", "--format", "json")
    assert outcome.code == 0
    accesses = json.loads(outcome.out)["accesses"]
    assert [(a["line"], a["space"], a["op"]) for a in accesses] == [
        (5, "global", "load"),
        (5, "shared", "store"),
        (7, "shared", "load"),
        (7, "global", "store"),
    ]
    read, stored = accesses[:2]
    assert (read["kernel"], read["instance"]) == ("copy", "copy<float, 32>")
    assert (read["grid"], read["block"], read["bytes"]) == ([64, 1, 1], [32, 1, 1], 4)
    assert (read["warps"], read["sectors"], read["ideal_sectors"]) == (64, 256, 256)
    assert (read["sector_ratio"], read["degree"], read["analysed"]) == (1.0, None, True)
    assert (stored["wavefronts"], stored["ideal_wavefronts"], stored["degree"]) == (64, 64, 1.0)
    assert stored["worst"]["lanes"][5] == {"lane": 5, "address": 20, "bank": 5}


def test_accesses_are_drawn_as_lanes_and_banks(warplint: Run) -> None:
    outcome = warplint("inspect", "accesses", "copy.cu", "--map")
    assert outcome.code == 0
    assert f"{'':6}{'·' * 31}#  byte 124" in outcome.out.replace("  31  ", " " * 6)
    assert "1 wavefront, ideal 1" in outcome.out


def test_an_access_that_depends_on_data_says_so(warplint: Run, tmp_path: Path) -> None:
    text = "__global__ void g(const int *i, int *o) { o[i[threadIdx.x]] = 1; }\n"
    (tmp_path / "gather.cu").write_text(text, encoding="utf-8")
    outcome = warplint("inspect", "accesses", "gather.cu", "--block", "32", "--format", "json")
    record = json.loads(outcome.out)["accesses"][1]
    assert (record["analysed"], record["sectors"], record["worst"]) == (True, None, None)
    assert record["reason"] == "depends on loaded data"
    bounds = {"unit": "sectors", "least": 1, "most": 32, "ideal": 4, "decided_by": "data"}
    assert record["bounds"] == bounds
    shown = warplint("inspect", "accesses", "gather.cu", "--block", "32").out
    assert "[1 to 32 sectors per warp, by data; ideal 4]" in shown


@pytest.mark.parametrize(
    "source",
    [
        "shared_memory/bank_conflict/tiles.cu",
        "shared_memory/bank_conflict/no_launch.cu",
        "global_memory/uncoalesced_access/strides.ptx",
        "global_memory/uncoalesced_symbolic_stride/pitches.cu",
    ],
)
def test_check_counts_what_accesses_calls_not_analysed(warplint: Run, source: str) -> None:
    path = str(FIXTURES / source)
    rows = json.loads(warplint("inspect", "accesses", path, "--format", "json").out)["accesses"]
    places: dict[tuple[object, ...], bool] = {}
    for row in rows:
        place = tuple(
            row[key] for key in ("line", "column", "end_line", "end_column", "op", "space")
        )
        places[place] = places.get(place, True) and row["analysed"]
    report = json.loads(warplint("check", path, "--format", "json", "--exit-zero").out)
    counted = report["summary"]["coverage"]
    missed = sum(not analysed for analysed in places.values())
    assert (counted["accesses"], counted["accesses_not_analysed"]) == (len(places), missed)


def test_coverage_lists_reasons_with_their_places(warplint: Run, tmp_path: Path) -> None:
    text = """#include "sizes.h"
template <typename T> __global__ void scale(T *p, int *at, float *q) {
    *(T *)(q + 2 * threadIdx.x) = *(T *)(at + 2 * threadIdx.x);
    q[at[threadIdx.x]] = 0.0f;
}
"""
    (tmp_path / "scale.cu").write_text(text, encoding="utf-8")
    report = json.loads(warplint("inspect", "coverage", "scale.cu", "--format", "json").out)
    (row,) = report["kernels"]
    assert (row["kernel"], row["line"]) == ("scale", 2)
    counts = (row["accesses"], row["accesses_bounded"], row["accesses_not_analysed"])
    assert counts == (4, 1, 2)
    gaps = [
        (gap["remedy"], [each["line"] for each in gap["places"]]) for gap in row["not_analysed"]
    ]
    assert gaps == [("instance", [3, 3])]
    shown = warplint("inspect", "coverage", "scale.cu").out
    title = "scale.cu:2: scale: 2 of 4 memory accesses analysed, 1 of them between bounds"
    assert title in shown
    assert "help: template arguments are unknown" in shown
    summary = warplint("check", "scale.cu").out
    assert "1 kernel in 1 file, 4 memory accesses, 50 % analysed" in summary
    assert "(25 % between bounds: data or sizes decide)" in summary
    assert "1 header not found (sizes.h): pass their folders with -I" in summary
