"""Stored results come back as they were, and bytes that were made up do nothing."""

from __future__ import annotations

import copy
import json
import pickle
import random
import zlib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine import stored_results
from warplint.analyzer.engine.check import Work, check_work
from warplint.analyzer.engine.file_check import FileCheck
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.reading import read_exports
from warplint.analyzer.engine.result import RunResult
from warplint.analyzer.engine.stored_results import read, written
from warplint.analyzer.findings.rule import Input
from warplint.analyzer.ir.host_formulas import Limits, Operation, Variable
from warplint.analyzer.report.formats.console import render_full
from warplint.analyzer.report.formats.json_report import render_json
from warplint.analyzer.report.formats.sarif import render_sarif
from warplint.analyzer.report.problems import render_problems
from warplint.analyzer.report.text.palette import Palette
from warplint.analyzer.source.plain_form import FormError
from warplint.analyzer.source.text import SourceText, Span
from warplint.rules import load_rules

if TYPE_CHECKING:
    from warplint.analyzer.source.file_probes import Probe

FIXTURES = Path(__file__).parent.parent / "fixtures"
FILES = sorted([*FIXTURES.rglob("*.cu"), *FIXTURES.rglob("*.ptx")])
PROBES: set[Probe] = {("read", "k.cu", "0"), ("file", "größe \udcff.h", "no")}


def checked(path: Path) -> FileCheck:
    language = Input.PTX if path.suffix == ".ptx" else Input.CUDA
    profile = Profile(Settings(show_possible=True), tuple(load_rules().values()))
    return check_work(Work(InputFile(str(path), language), profile))


@pytest.mark.parametrize("path", FILES[::7], ids=lambda path: path.stem)
def test_a_result_comes_back_as_it_was(path: Path) -> None:
    outcome = checked(path)
    data = written(outcome, PROBES)
    assert data is not None
    found = read(data, load_rules())
    assert found is not None
    again, probes = found
    assert probes == PROBES
    assert vars_of(again.result()) == vars_of(outcome.result())
    for each in ("kernels", "accesses", "launched", "seen", "guessed", "definitions", "status"):
        assert getattr(again, each) == getattr(outcome, each)
    assert [vars_of(finding) for finding in again.findings] == [
        vars_of(finding) for finding in outcome.findings
    ]
    assert all(item.span.source is again.source for item in again.findings) == all(
        item.span.source is outcome.source for item in outcome.findings
    )
    assert written(again, probes) == data


def vars_of(value: Any) -> Any:
    """A record with all that it is made of, texts by their content."""
    if isinstance(value, SourceText):
        return value.path, value.text
    if isinstance(value, Span):  # of another process: without the expansions of macros
        return vars_of(value.source), value.start, value.end
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(vars_of, value)]
    if not is_dataclass(value):
        return value
    return [type(value).__name__, *(vars_of(getattr(value, each.name)) for each in fields(value))]


@pytest.fixture(scope="module")
def sample() -> Any:
    """The plain data of a result with findings, fixes, flows and assumptions."""
    data = None
    for path in FILES:
        outcome = checked(path)
        rich = [item for item in outcome.findings if item.flows and item.evidence]
        if rich and any(item.fixes for item in outcome.findings) and len(outcome.findings) < 9:
            data = written(outcome, PROBES)
            break
    assert data is not None
    return json.loads(zlib.decompress(data))


def stored(plain: Any) -> bytes:
    return zlib.compress(json.dumps(plain).encode())


STRANGE: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    10**30,
    "",
    "x",
    "SHM001",
    [],
    [[]],
    [0, 0, 10**9],
    {},
    {"a": 1},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of some plain data."""
    found = [path]
    if isinstance(value, list):
        for number, each in enumerate(value):
            found += places(each, (*path, number))
    return found


def test_data_of_another_kind_is_refused_or_can_be_reported(sample: Any) -> None:
    """Wherever a value is replaced, no result comes back, or one that every report can show."""
    pick = random.Random(1)
    refused = 0
    everything = places(sample)[1:]
    for place in pick.sample(everything, min(150, len(everything))):
        for strange in STRANGE:
            changed = copy.deepcopy(sample)
            inside = changed
            for step in place[:-1]:
                inside = inside[step]
            inside[place[-1]] = strange
            found = read(stored(changed), load_rules())
            refused += found is None
            if found is not None:
                shown(found[0])
    assert refused > 500


def shown(outcome: FileCheck) -> None:
    for finding in outcome.findings:
        assert finding.sort_key
        assert finding.span.end_line >= finding.span.line
        assert finding.rule is load_rules()[finding.rule.code]
    rules = tuple(load_rules().values())
    result = RunResult(tuple(outcome.findings), (outcome.result(),), rules, 90)
    assert render_sarif(result, "1", 0)
    assert render_json(result, "1", 0)
    assert render_full(result, 100, Palette())
    assert render_problems(result.problems, Palette()) is not None


class Evil:
    """Leaves a file behind where pickle reads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("stolen"),)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zip",
        zlib.compress(b""),
        zlib.compress(b"no JSON"),
        zlib.compress(pickle.dumps(Evil())),
        zlib.compress(b"[" * 1_000_000),
        zlib.compress(b'{"a":' * 1_000_000),
        zlib.compress(b"9" * 100_000),
        zlib.compress(b"[1, [], [], []]"),
        zlib.compress(b"[1, [], [], " + b"[" * 20 + b"]" * 20 + b"]"),
        zlib.compress(b"\xff\xfe[]"),
        zlib.compress(b" " * 200_000_000),
    ],
    ids=range(12),
)
def test_bytes_that_nobody_wrote(data: bytes, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(data, load_rules()) is None
    assert not Path("stolen").exists()


def test_what_was_cut_off_or_changed_is_refused(sample: Any) -> None:
    data = stored(sample)
    assert read(data, load_rules()) is not None
    assert all(read(data[:length], load_rules()) is None for length in range(0, len(data), 37))
    assert read(data + b"more", {}) is None
    swelling = zlib.compress(json.dumps(sample).encode() + b" " * 16_000_000)
    assert read(swelling, load_rules(), most=17_000_000) is not None
    assert read(swelling, load_rules()) is None


def test_rules_that_are_not_there(sample: Any) -> None:
    assert read(stored(sample), {}) is None


def test_another_format_is_refused(sample: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_results, "FORMAT", stored_results.FORMAT + 1)
    assert read(stored(sample), load_rules()) is None


def test_what_has_no_form_is_not_written() -> None:
    outcome = FileCheck(InputFile("k.cu", Input.CUDA, b"text"))
    assert written(outcome, set()) is None  # what came through a pipe
    outcome = FileCheck(InputFile("k.cu", Input.CUDA))
    assert written(outcome, set()) is not None
    outcome.kernels = 10**5000
    assert written(outcome, set()) is None
    outcome.kernels = 1
    outcome.source = SourceText("k.cu", "x" * 16_000_001)
    assert written(outcome, set()) is None


def test_what_a_file_says_to_others_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "main.cu"
    path.write_text(
        "namespace rows { template <int N> __global__ void k(float *data, int n, int m); }\n"
        "void run(float *data, int n, int m) {\n"
        "    rows::k<4><<<(n + 127) / 128, dim3(32, m)>>>(data, n, min(m, 7) * 2);\n"
        "}\n",
        encoding="utf-8",
    )
    file = InputFile(str(path), Input.CUDA)
    source, exports = read_exports(file, Settings())
    assert exports.launches[0].launch.formulas is not None
    data = written(FileCheck(file, source=source, exports=exports), PROBES)
    assert data is not None
    found = read(data, load_rules())
    assert found is not None
    again = found[0].exports
    assert again is not None
    assert vars_of(again.launches) == vars_of(exports.launches)
    assert again.kernels == exports.kernels


def test_formulas_that_were_made_up_are_refused() -> None:
    for data in (None, True, "n", [1, 2], ["+", 1], ["**", 1, 2], ["+", [0, "n"], None]):
        with pytest.raises(FormError):
            stored_results.formula(data)
    known = Operation("+", Variable(0, "n"), Operation("*", Variable(1, "m", Limits(8, 64)), 3))
    written = ["+", [[0, "n", None, None]], ["*", [[1, "m", 8, 64]], 3]]
    assert stored_results.formula(written) == known
