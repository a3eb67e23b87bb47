"""Kernels are analysed for their launches in other files of the run.

Each folder of `launches_elsewhere` is a run of its own; its markers are those of fixtures.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fixture_runner import read_markers, usual_rules

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import Means, check_inputs
from warplint.analyzer.engine.inputs import NAMED, InputFile, Inputs
from warplint.analyzer.engine.inspection import inspect_functions
from warplint.analyzer.engine.launches_elsewhere import read_together
from warplint.analyzer.engine.result_cache import ResultCache
from warplint.analyzer.source.problem import Damage
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warplint.analyzer.engine.result import RunResult

RUNS = Path(__file__).parent.parent / "data" / "launches_elsewhere"
RULES = tuple(usual_rules(load_rules()).values())


def inputs_of(paths: Iterable[Path]) -> Inputs:
    return Inputs([InputFile(str(path), NAMED[path.suffix]) for path in paths])


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in NAMED)


def run(paths: Iterable[Path], **means: object) -> RunResult:
    profile = Profile(Settings(), RULES)
    return check_inputs(inputs_of(paths), lambda _: profile, arch=90, means=Means(**means))  # type: ignore[arg-type]


def said(result: RunResult) -> list[tuple[object, ...]]:
    """All that a user sees of the findings."""
    return [
        (x.span.path, x.span.line, x.rule.code, x.text, x.certainty, x.assumptions, x.kernel)
        for x in result.findings
    ]


@pytest.mark.parametrize("folder", sorted(RUNS.iterdir()), ids=lambda folder: folder.name)
def test_the_findings_are_the_marked_ones(folder: Path) -> None:
    paths = files_in(folder)
    expected = {
        (str(path), *mark)
        for path in paths
        for mark in read_markers(path.read_text(encoding="utf-8")).expected
    }
    result = run(paths)
    assert {(x.span.path, x.span.line, x.rule.code) for x in result.findings} == expected
    assert [p.message for p in result.problems if p.damage is not Damage.NOTICE] == []


@pytest.mark.parametrize("folder", sorted(RUNS.iterdir()), ids=lambda folder: folder.name)
def test_neither_order_nor_processes_nor_stored_results_matter(
    folder: Path, tmp_path: Path
) -> None:
    paths = files_in(folder)
    known = said(run(paths))
    cache = ResultCache(tmp_path / "cache", "1")
    assert said(run(reversed(paths))) == known
    assert said(run(paths, jobs=4)) == known
    assert said(run(paths, cache=cache)) == known
    assert said(run(paths, cache=cache)) == known
    assert any((tmp_path / "cache").rglob("*"))


def copied(name: str, to: Path) -> Path:
    return Path(shutil.copytree(RUNS / name, to / name))


def test_a_launch_that_changes_is_another_result(tmp_path: Path) -> None:
    folder = copied("declared", tmp_path)
    cache = ResultCache(tmp_path / "cache", "1")
    paths = files_in(folder)
    assert [x.rule.code for x in run(paths, cache=cache).findings] == ["SYN002"]
    main = folder / "main.cpp"
    text = main.read_text(encoding="utf-8")
    main.write_text(text.replace("64", "32"), encoding="utf-8")
    assert run(paths, cache=cache).findings == ()
    main.write_text("// moved\n" + text, encoding="utf-8")
    (finding,) = run(paths, cache=cache).findings
    assert finding.assumptions[0].origin == f"launch at {main}:4"


def test_without_the_file_of_the_launch_nothing_is_known_of_it(tmp_path: Path) -> None:
    folder = copied("declared", tmp_path)
    cache = ResultCache(tmp_path / "cache", "1")
    alone = [folder / "reverse.cu"]
    assert run(alone, cache=cache).findings == ()
    assert len(run(files_in(folder), cache=cache).findings) == 1
    assert run(alone, cache=cache).findings == ()


def test_the_order_of_launches_is_that_of_their_paths() -> None:
    paths = files_in(RUNS / "conflicting")
    for order in (paths, paths[::-1]):
        rows = inspect_functions(inputs_of(order), Settings()).rows
        (kernel,) = (row for row in rows if row.name == "reverse")
        assert [os.path.basename(each.span.path) for each in kernel.launches] == [
            "narrow.cpp",
            "other.cpp",
            "wide.cpp",
        ]


def test_ptx_lists_the_launches_of_its_source() -> None:
    rows = inspect_functions(inputs_of(files_in(RUNS / "ptx_beside")), Settings()).rows
    assert [len(row.launches) for row in rows if row.language == "ptx"] == [1]
    assert [len(row.launches) for row in rows if row.name == "reverse"] == [1]


def test_a_file_that_cannot_be_read_hides_no_launches(tmp_path: Path) -> None:
    folder = copied("declared", tmp_path)
    (folder / "gone.cu").symlink_to(tmp_path / "nowhere.cu")
    result = run(files_in(folder))
    assert [x.rule.code for x in result.findings] == ["SYN002"]
    assert len(result.problems) == 1


LONELY = """\
#pragma once
template <int N> __global__ void turned(const float *in, float *out) {
    __shared__ float tile[N][N];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * N + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
LAUNCHED = """\
#include "lonely.cuh"
void go(float *a, float *b) { turned<32><<<1, dim3(32, 32)>>>(a, b); }
"""


def in_header(result: RunResult) -> list[tuple[object, ...]]:
    return [each for each in said(result) if str(each[0]).endswith(".cuh")]


def blocks(result: RunResult) -> list[object]:
    """The blocks that stated launches have."""
    assumed = (each for item in result.inputs for each in item.assumptions)
    stated = {
        tuple(each.value) for each in assumed if each.name == "block" and "launch" in each.origin
    }  # type: ignore[arg-type]
    return sorted(map(list, stated))


@pytest.fixture
def lonely(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "lonely.cuh").write_text(LONELY, encoding="utf-8")
    (tmp_path / "tests" / "go.cu").write_text(LAUNCHED.replace('"l', '"../l'), encoding="utf-8")
    return tmp_path


def test_a_header_alone_has_the_launches_of_its_includers(lonely: Path) -> None:
    alone = run([lonely / "lonely.cuh"])
    assert len(alone.inputs) == 1
    assert [code for _, _, code, *_ in said(alone)] == ["SHM001"]
    assert in_header(run(files_in(lonely))) == said(alone)


def test_includers_of_what_is_launched_are_not_read(lonely: Path) -> None:
    (lonely / "go16.cu").write_text(LAUNCHED.replace("32", "16"), encoding="utf-8")
    result = run([lonely / "lonely.cuh", lonely / "go16.cu"])
    assert blocks(result) == [[16, 16, 1]]


def test_a_header_without_includers_is_judged_as_it_is(lonely: Path) -> None:
    (lonely / "tests" / "go.cu").unlink()
    assert said(run([lonely / "lonely.cuh"])) == []


def test_the_nearest_includers_are_read(lonely: Path) -> None:
    (lonely / "tests" / "go.cu").unlink()
    for number in range(6):
        folder = lonely if number == 5 else lonely / f"far{number}"
        folder.mkdir(exist_ok=True)
        text = LAUNCHED.replace('"l', f'"{os.path.relpath(lonely, folder)}/l')
        size = str(2**number)
        (folder / "go.cu").write_text(text.replace("32", size), encoding="utf-8")
    result = run([lonely / "lonely.cuh"])
    assert blocks(result) == [[1, 1, 1], [2, 2, 1], [4, 4, 1], [32, 32, 1]]


def test_no_instances_are_made_up_of_what_another_file_instantiates(tmp_path: Path) -> None:
    """Beside its launcher a template is looked at as it is launched, and only there."""
    kernels = [
        f"template <int N> __global__ void {name}(int *out) {{ out[threadIdx.x] = N; }}"
        for name in ("launched", "of_nobody")
    ]
    header, source = tmp_path / "kernels.cuh", tmp_path / "main.cu"
    header.write_text("\n".join(kernels))
    source.write_text('#include "kernels.cuh"\nvoid f(int *p) { launched<256><<<1, 256>>>(p); }')
    files = inputs_of([header, source]).files
    read = {each.file.path: each.module for each in read_together(files, Settings())}
    module = read[str(header)]
    assert module is not None
    assert [each.name for each in module.kernels if each.is_open] == ["of_nobody"]
