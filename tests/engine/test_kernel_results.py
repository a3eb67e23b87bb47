"""Kernels of headers are judged once for a run, and all files say the same as if alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import Work, check_work
from warplint.analyzer.engine.file_check import Extras
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.engine.kernel_results import KernelResults
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.engine.file_check import FileCheck

HEADER = """#pragma once
#ifndef ROWS
#define ROWS 32
#endif
template <typename T> __device__ T twice(T v) { return v + v; }

__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[ROWS][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = twice(tile[threadIdx.x][threadIdx.y]);
}

__global__ void stride(float *data, int n)
{
    if (threadIdx.x < n) {
        data[threadIdx.x * 8] += MORE;
        __syncthreads();
    }
}

inline void run(const float *in, float *out) { transpose<<<1, dim3(32, 32)>>>(in, out); }
"""


def checks(folder: Path, files: dict[str, str], **limits: int) -> tuple[int, list[FileCheck]]:
    """How many results were of use, and what was said of each file; compared with files alone.

    Before them a file like the first one is checked: of a header with one reader nothing is kept.
    """
    (folder / "kernels.cuh").write_text(HEADER)
    files = {"before.cu": next(iter(files.values())), **files}
    for name, text in files.items():
        (folder / name).write_text(text)
    profile = Profile(Settings(**limits), tuple(load_rules().values()))  # type: ignore[arg-type]
    paths = [str(folder / name) for name in files]
    works = [Work(each, profile) for each in collect_inputs(paths).files]
    results = KernelResults(of_headers=True)
    together = [check_work(work, Extras(kernels=results)) for work in works]
    assert list(map(shown, together)) == [shown(check_work(work)) for work in works]
    return results.used, together[1:]


def shown(check: FileCheck) -> tuple[object, ...]:
    """A result without what is compared by identity."""
    findings = [
        (
            each.sort_key, each.rule.code, each.text, each.kernel, each.severity, each.evidence,
            each.verify, each.doubts, each.gain, [str(fix.title) for fix in each.fixes],
            [(str(edit.span), edit.text) for fix in each.fixes for edit in fix.edits],
            [str(other.span) for other in each.related], each.places, str(each.cause),
        )
        for each in check.findings
    ]  # fmt: skip
    judged = [(each.kernel, each.line, str(each.judgement)) for each in check.judged]
    problems = [str(each.message) for each in check.problems]
    counts = (check.kernels, check.accesses, check.status, check.missing_headers)
    places = (check.definitions, check.launched, check.seen, check.guessed)
    return findings, judged, problems, counts, places, check.assumptions


MORE = "#define MORE 1\n"
INCLUDE = """#include "kernels.cuh"
void go(const float *in, float *out) { run(in, out); stride<<<1, 64>>>(out, 3); }
"""


def test_two_files_that_read_one_header(tmp_path: Path) -> None:
    files = {"a.cu": MORE + INCLUDE, "b.cu": "// longer\n\n" + MORE + INCLUDE}
    used, (a, b) = checks(tmp_path, files)
    assert used >= 2
    assert len(a.findings) == len(b.findings) > 2


def test_the_first_file_keeps_what_another_one_will_read(tmp_path: Path) -> None:
    (tmp_path / "kernels.cuh").write_text(HEADER)
    paths = [tmp_path / name for name in ("a.cu", "b.cu")]
    for path in paths:
        path.write_text(MORE + INCLUDE)
    profile = Profile(Settings(), tuple(load_rules().values()))
    works = [Work(each, profile) for each in collect_inputs(list(map(str, paths))).files]
    for files, used in (((), 0), (tuple(work.file for work in works), 2)):
        results = KernelResults(of_headers=True, files=files)
        for work in works:
            check_work(work, Extras(kernels=results))
        assert results.used == used


def test_a_source_that_another_one_includes_is_judged_once(tmp_path: Path) -> None:
    calls = "void go(float *d) { run(d, d); stride<<<1, 64>>>(d, 3); }\n"
    (tmp_path / "kernels.cu").write_text(MORE + HEADER + calls)
    (tmp_path / "other.cu").write_text('#include "kernels.cu"\n')
    profile = Profile(Settings(), tuple(load_rules().values()))
    paths = [str(tmp_path / name) for name in ("kernels.cu", "other.cu")]
    works = [Work(each, profile) for each in collect_inputs(paths).files]
    results = KernelResults(of_headers=True, files=tuple(work.file for work in works))
    together = [check_work(work, Extras(kernels=results)) for work in works]
    assert list(map(shown, together)) == [shown(check_work(work)) for work in works]
    assert results.used == together[0].kernels > 1


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("#define ROWS 64\n" + MORE + INCLUDE, 1),  # `stride` is what it was
        ("#define MORE 2\n" + INCLUDE, 1),
        (MORE + INCLUDE.replace("64", "96"), 1),
        (MORE + '#include "absent.h"\n' + INCLUDE, 0),  # what was not found may matter
        (MORE + INCLUDE + "__global__ void own(int *o) { o[threadIdx.x * 4] = 1; }\n", 2),
    ],
)
def test_what_differs_is_judged_again(tmp_path: Path, text: str, used: int) -> None:
    assert checks(tmp_path, {"a.cu": MORE + INCLUDE, "b.cu": text})[0] == used


TEMPLATE = """#pragma once
template <int N> __global__ void rows(float *out, const float *in)
{
    __shared__ float tile[64][N];
    int x = threadIdx.x, y = 63 - x;
    tile AT(x) = in[x];
    __syncthreads();
    out[x] = tile AT(y);
}
"""
PLAIN, STRIDED = "[0][i]", "[i][0]"


@pytest.mark.parametrize(
    ("what", "second", "used"),
    [
        (PLAIN, "rows<64><<<1, 64>>>(o, i);", 1),
        (PLAIN, "rows<64><<<1, 64>>>(o, i);\nrows<128><<<1, 64>>>(o, i);", 1),
        (STRIDED, "rows<64><<<1, 64>>>(o, i);", 1),
        (STRIDED, "rows<64><<<1, 64>>>(o, i);\nrows<128><<<1, 64>>>(o, i);", 0),  # no one padding
    ],
)
def test_other_instances_matter_where_something_is_asked_of_them(
    tmp_path: Path, what: str, second: str, used: int
) -> None:
    (tmp_path / "rows.cuh").write_text(f"#define AT(i) {what}\n{TEMPLATE}")
    head = '#include "rows.cuh"\nvoid go(float *o, const float *i) {{\n{}\n}}\n'
    launched = {"a.cu": "rows<64><<<1, 64>>>(o, i);", "b.cu": second}
    files = {name: head.format(text) for name, text in launched.items()}
    assert checks(tmp_path, files)[0] == used


MADE_UP = """#pragma once
template <int N> __global__ void rows(float *out, const float *in)
{
    __shared__ float tile[N];
    tile[threadIdx.x] = in[threadIdx.x];
    BARRIER
    out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
"""
OWN = """#include "rows.cuh"
__global__ void own(float *o) {{ o[threadIdx.x] = {0}; }}
template <int K> void go(float *o) {{
    rows<K><<<1, K>>>(o, o);
    own<<<1, 64>>>(o);
}}
"""


@pytest.mark.parametrize("barrier", ["__syncthreads();", ""])
def test_made_up_instances_are_a_part_of_what_is_kept(tmp_path: Path, barrier: str) -> None:
    (tmp_path / "rows.cuh").write_text(MADE_UP.replace("BARRIER", barrier))
    used, outcomes = checks(tmp_path, {name: OWN.format(name[0]) for name in ("1.cu", "2.cu")})
    assert used == 1
    raced = [any(each.rule.code == "SYN002" for each in one.findings) for one in outcomes]
    assert raced == [not barrier] * 2


def test_headers_that_were_not_found_are_named_by_each_file(tmp_path: Path) -> None:
    files = {name: f'#include "{name}_absent.h"\n{MORE}{INCLUDE}' for name in ("a.cu", "b.cu")}
    used, checked = checks(tmp_path, files)
    assert used >= 2
    assert [each.missing_headers for each in checked[:2]] == [
        ("a.cu_absent.h",),
        ("b.cu_absent.h",),
    ]


def test_what_was_cut_short_is_used_where_as_much_is_allowed(tmp_path: Path) -> None:
    files = {"a.cu": MORE + INCLUDE, "b.cu": MORE + INCLUDE}
    used, (a, b) = checks(tmp_path, files, kernel_size=1)
    assert used >= 2
    assert len(a.problems) == len(b.problems)


def test_kernels_of_sources_are_not_kept(tmp_path: Path) -> None:
    own = "__global__ void own(int *o) { o[threadIdx.x * 4] = 1; }\n"
    used, _ = checks(tmp_path, {"a.cu": own, "b.cu": own})
    assert used == 0


BODIES = """
#pragma once
struct Body { float x, y, z, mass; };
__global__ void part(const Body *all, const float *a, const float *b, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = all[i].mass * a[i] + b[i] * a[i + n];
}
__global__ void rest(Body *all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) OTHER;
}
"""
USE = """#include "bodies.cuh"
void go(Body *all, const float *a, float *o, int n) {
    part<<<n / 256, 256>>>(all, a, a, o, n);
    rest<<<n / 256, 256>>>(all, n);
}
"""


def test_what_rests_on_other_kernels_is_judged_again(tmp_path: Path) -> None:
    (tmp_path / "bodies.cuh").write_text(BODIES)
    others = ("all[i].mass = 1.0f", "all[i] = Body{0.0f, 0.0f, 0.0f, 1.0f}")
    files = {f"{n}.cu": f"#define OTHER {other}\n{USE}" for n, other in enumerate(others)}
    doubts = [
        {doubt.name for doubt in finding.doubts}
        for check in checks(tmp_path, files)[1]
        for finding in check.findings
        if finding.rule.code == "GLB001" and finding.kernel == "part"
    ]
    assert ["layout-serves-others" in each for each in doubts] == [False, True]
