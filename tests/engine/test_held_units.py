"""Files that are read for their launches are not read again for their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fixture_runner import usual_rules

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.cuda import held_units
from warplint.analyzer.cuda import read as cuda_read
from warplint.analyzer.cuda.held_units import HeldUnits
from warplint.analyzer.engine.check import Means, Work, check_inputs
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.engine.reading import read_exports, read_input
from warplint.analyzer.engine.result_cache import ResultCache
from warplint.analyzer.findings.rule import Input
from warplint.analyzer.source.file_probes import recorded
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.engine.result import RunResult

RULES = tuple(usual_rules(load_rules()).values())
FILES = {
    "kernel.cuh": "#define MIRROR(t) 63 - t\n__global__ void turn(float *data, int n);\n",
    "kernel.cu": (
        '#include "kernel.cuh"\n'
        "__global__ void turn(float *data, int n)\n"
        "{\n"
        "    __shared__ float rows[64];\n"
        "    rows[threadIdx.x] = data[threadIdx.x];\n"
        "    data[threadIdx.x] = rows[MIRROR(threadIdx.x)];\n"
        "}\n"
    ),
    "main.cu": (
        '#include "kernel.cuh"\n'
        "void run(float *data)\n"
        "{\n    turn<<<1, 64>>>(data, 64);\n    cudaDeviceSynchronize();\n}\n"
    ),
}


@pytest.fixture(name="files")
def _files(tmp_path: Path) -> list[InputFile]:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [InputFile(str(tmp_path / name), Input.CUDA) for name in ("kernel.cu", "main.cu")]


def run(files: list[InputFile], means: Means) -> RunResult:
    profile = Profile(Settings(), RULES)
    return check_inputs(Inputs(files), lambda _: profile, arch=90, means=means)


def said(result: RunResult) -> list[tuple[object, ...]]:
    """All that a user sees of the findings."""
    return [(x.span.path, x.span.line, x.rule.code, x.text, x.kernel) for x in result.findings]


def count_parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    parsed: list[str] = []
    parse = cuda_read.parse_cuda

    def counted(source, *rest):  # type: ignore[no-untyped-def]
        parsed.append(source.path)
        return parse(source, *rest)

    monkeypatch.setattr(cuda_read, "parse_cuda", counted)
    return parsed


def test_a_run_in_one_process_reads_each_file_once(
    files: list[InputFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = count_parses(monkeypatch)
    found = run(files, Means())
    assert sorted(parsed) == sorted(file.path for file in files)
    monkeypatch.setattr(Means, "units_of", lambda *_: None)
    again = run(files, Means())
    assert len(parsed) > 2 * len(files)
    assert [f.rule.code for f in found.findings] == ["SYN002"]
    assert said(found) == said(again)
    assert [each.message for each in found.problems] == [each.message for each in again.problems]


def test_what_does_not_fit_is_read_again(
    files: list[InputFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_units, "_STATEMENTS", 0)
    units = HeldUnits(frozenset(file.path for file in files), _room=3)
    for file in files:
        read_exports(file, Settings(), units)
    assert [units.take(file.path) is None for file in files] == [False, True]
    assert units.take(files[0].path) is None  # it was given away


def test_only_what_will_be_checked_is_held(files: list[InputFile]) -> None:
    units = HeldUnits(frozenset([files[1].path]))
    for file in files:
        read_exports(file, Settings(), units)
    assert units.take(files[0].path) is None


def test_what_was_asked_for_it_is_asked_where_it_is_used(files: list[InputFile]) -> None:
    with recorded() as plain:
        read_input(files[0], Settings())
    units = HeldUnits(frozenset([files[0].path]))
    read_exports(files[0], Settings(), units)
    with recorded() as held:
        reading = read_input(files[0], Settings(), units=units)
    assert reading.module is not None
    assert [kernel.name for kernel in reading.module.kernels] == ["turn"]
    assert held == plain


def test_a_stored_result_of_a_held_file_rests_on_its_headers(
    files: list[InputFile], tmp_path: Path
) -> None:
    cache = ResultCache(tmp_path / "cache", "1")
    assert [f.rule.code for f in run(files, Means(cache=cache)).findings] == ["SYN002"]
    header = tmp_path / "kernel.cuh"
    header.write_text(FILES["kernel.cuh"].replace("63 - t", "t"), encoding="utf-8")
    changed = run(files, Means(cache=cache))
    assert said(changed) == said(run(files, Means()))
    assert "SYN002" not in [f.rule.code for f in changed.findings]


def test_nothing_is_held_for_other_processes(files: list[InputFile]) -> None:
    profile = Profile(Settings(), RULES)
    works = [Work(file, profile) for file in files * 8]
    assert Means(jobs=2).units_of(works) is None
    assert Means(jobs=2).units_of(works[:2]) is not None  # too few for a second process
    assert Means(jobs=1).units_of(works) is not None
