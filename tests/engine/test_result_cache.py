"""A stored result is the result, or it is not used."""

from __future__ import annotations

import os
import sys
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.analyses.launch.evidence import Evidence
from warplint.analyzer.config.compile_commands import parse_compile_commands
from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine import result_cache
from warplint.analyzer.engine.check import Work, check_work
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.result_cache import ResultCache
from warplint.analyzer.engine.stored_results import written
from warplint.analyzer.findings.finding import Severity
from warplint.analyzer.findings.rule import Input
from warplint.grammars.stored import store
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from warplint.analyzer.engine.file_check import FileCheck

FIXTURES = Path(__file__).parent.parent / "fixtures"
KERNEL = """\
#include "tile.h"
__global__ void k(float *out) {
    __shared__ float tile[32][WIDTH];
    tile[threadIdx.x][0] = out[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x][1];
}
"""


def profile(codes: str = "SHM001", **settings: Any) -> Profile:
    rules = load_rules()
    return Profile(
        Settings(block=(32, 1, 1), include_paths=("first", "inc"), **settings),
        tuple(rules[code] for code in codes.split()),
    )


@dataclass
class Bench:
    """Checks a file with a cache, and counts how often the file had to be read."""

    cache: ResultCache
    work: Work
    checked: int = 0

    def __call__(self, **changes: Any) -> FileCheck:
        return self.cache.check(replace(self.work, **changes), self._check)

    def _check(self, work: Work) -> FileCheck:
        self.checked += 1
        return check_work(work)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(KERNEL, encoding="utf-8")
    Path("inc").mkdir()
    Path("first").mkdir()
    Path("inc/tile.h").write_text("#define WIDTH 32\n", encoding="utf-8")
    file = InputFile("k.cu", Input.CUDA)
    return Bench(ResultCache(tmp_path / "cache", "1"), Work(file, profile()))


def told(outcome: FileCheck) -> list[tuple[str, str, int, str]]:
    return [(f.rule.code, f.text, f.span.line, f.span.source.text) for f in outcome.findings]


def test_what_did_not_change_is_not_read_again(bench: Bench) -> None:
    first, second = bench(), bench()
    assert bench.checked == 1
    assert told(second) == told(first) != []
    assert second.result() == first.result()
    assert second.findings[0].rule is load_rules()["SHM001"]
    assert second.findings[0].span.source is second.source


CHANGES: dict[str, Callable[[], object]] = {
    "the file": lambda: Path("k.cu").write_text(KERNEL + "\n", encoding="utf-8"),
    "a header": lambda: Path("inc/tile.h").write_text("#define WIDTH 33\n", encoding="utf-8"),
    "no header": lambda: Path("inc/tile.h").unlink(),
    "a header before it": lambda: Path("first/tile.h").write_text("#define WIDTH 33\n"),
    "a header beside": lambda: Path("tile.h").write_text("#define WIDTH 33\n"),
    "an unreadable file": lambda: os.rename("k.cu", "other.cu"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_read_again(bench: Bench, change: str) -> None:
    bench()
    CHANGES[change]()
    after = bench()
    assert bench.checked == 2
    assert told(after) == told(check_work(bench.work))


def test_a_macro_of_a_header_nearby_that_nobody_named(bench: Bench) -> None:
    loop = "#define LOOP(i, n) for (int i = 0; i < n; ++i)"
    Path(".git").mkdir()
    Path("include/sub").mkdir(parents=True)
    Path("include/sub/q.h").write_text(f"{loop}\n")
    Path("k.cu").write_text(
        '#include "sub/q.h"\n__global__ void k(int *a) { LOOP(i, 9) { a[i] = 1; } a[9] = 2; }\n'
    )
    assert bench().accesses == 2
    bench()
    assert bench.checked == 1
    Path("include/sub/q.h").write_text(f"{loop} if (a[i + 1])\n")
    assert bench().accesses == 3
    assert bench.checked == 2
    # The header is still known to this process: another result rests on it all the same.
    bench.cache = replace(bench.cache, version="2")
    assert bench().accesses == 3
    Path("include/sub/q.h").write_text(f"{loop}\n")
    assert bench().accesses == 2


@pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators there")
def test_a_folder_of_a_detour_that_becomes_a_link(bench: Bench) -> None:
    Path("k.cu").write_text(KERNEL.replace("tile.h", "sub/../width.h"), encoding="utf-8")
    Path("width.h").write_text("#define WIDTH 32\n")
    Path("sub").mkdir()
    Path("other/inner").mkdir(parents=True)
    Path("other/width.h").write_text("#define WIDTH 33\n")
    assert told(bench())
    Path("sub").rmdir()
    os.symlink("other/inner", "sub")
    assert not told(bench())
    assert bench.checked == 2


OTHERS = {
    "rules": profile("SHM001 SYN001"),
    "arch": profile(arch=80),
    "defines": profile(defines={"A": "1"}),
    "undefines": profile(undefines=frozenset({"A"})),
    "thresholds": profile(thresholds={"SHM001": 40.0}),
    "blocks": profile(blocks=(("k", (64, 1, 1)),)),
    "grid": profile(grid=(2, 1, 1)),
    "qualifier macros": profile(qualifier_macros={"K": "__global__"}),
    "possible": profile(show_possible=True),
    "severities": replace(profile(), severities={"SHM001": Severity.ERROR}),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_other_settings_are_another_result(bench: Bench, other: Profile) -> None:
    bench()
    bench(profile=other)
    assert bench.checked == 2
    bench(profile=other)
    assert bench.checked == 2


def test_flags_of_the_build_another_version_and_another_folder(bench: Bench) -> None:
    bench()
    Path("compile_commands.json").write_text(
        '[{"directory": ".", "file": "k.cu", "command": "nvcc -DWIDTH2=3 -c k.cu"}]'
    )
    commands = parse_compile_commands("compile_commands.json")
    bench(profile=profile(compile_commands=commands))
    assert bench.checked == 2
    bench.cache = replace(bench.cache, version="2")
    bench()
    assert bench.checked == 3
    os.chdir("inc")
    bench(file=InputFile("../k.cu", Input.CUDA))
    assert bench.checked == 4


def test_what_is_not_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        bench(file=InputFile("k.cu", Input.CUDA, KERNEL.encode()))
        bench(profile=profile(debug=True))
        bench(profile=profile(evidence=Evidence()))
        bench(file=InputFile("gone.cu", Input.CUDA))
    assert bench.checked == 8
    monkeypatch.setattr("warplint.analyzer.engine.file_check.read_input", _broken)
    for _ in range(2):
        bench()
    assert bench.checked == 10


def _broken(file: InputFile, *_: object) -> Any:
    from warplint.analyzer.engine.guard import Stage, attempt
    from warplint.analyzer.engine.reading import Reading
    from warplint.analyzer.source.problem import Damage, Problem
    from warplint.analyzer.source.reader import read_source

    source, _ = read_source(file.path)
    failed = attempt(lambda: 1 // 0, Stage("a test", file.path, Damage.PARTIAL))
    assert isinstance(failed, Problem)
    return Reading(file, None, (failed,), source)


def entry(bench: Bench) -> Path:
    (place,) = (path for path in bench.cache.folder.rglob("*") if path.is_file())
    return place


@pytest.mark.parametrize("data", [b"", b"no zip", zlib.compress(b"no JSON")], ids=len)
def test_entries_that_cannot_be_used(bench: Bench, data: bytes) -> None:
    expected = bench()
    assert store(entry(bench), data)
    found = bench()
    assert bench.checked == 2
    assert told(found) == told(expected)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are files of POSIX")
def test_a_pipe_in_the_place_of_an_entry(bench: Bench) -> None:
    expected = bench()
    place = entry(bench)
    place.unlink()
    os.mkfifo(place)
    assert told(bench()) == told(expected)
    place.unlink(missing_ok=True)
    os.symlink("/dev/zero", place)
    assert told(bench()) == told(expected)


def test_an_entry_speaks_of_its_file(bench: Bench) -> None:
    bench()
    Path("other.cu").write_text(KERNEL.replace("[0] =", "[threadIdx.y] ="), encoding="utf-8")
    first = entry(bench)
    data = first.read_bytes()
    bench(file=InputFile("other.cu", Input.CUDA))
    (second,) = {path for path in bench.cache.folder.rglob("*") if path.is_file()} - {first}
    second.write_bytes(data)
    found = bench(file=InputFile("other.cu", Input.CUDA))
    assert bench.checked == 3
    assert found.file.path == "other.cu"


def test_an_entry_that_rests_on_nothing_is_not_used(bench: Bench) -> None:
    outcome = bench()
    data = written(outcome, set())
    assert data is not None
    assert store(entry(bench), data)
    bench()
    assert bench.checked == 2


def test_old_entries_make_room(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "_PER_FOLDER", 1)
    folder = bench.cache.folder
    monkeypatch.setattr(result_cache, "key_of", lambda work, *_more: f"00{work.file.path}")
    for name in ("a.cu", "b.cu"):
        Path(name).write_text(KERNEL)
        bench(file=InputFile(name, Input.CUDA))
    assert [path.name for path in folder.rglob("*.cu")] == ["b.cu"]


def test_all_entries_together_have_a_bound(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bench.cache.folder
    monkeypatch.setattr(result_cache, "key_of", lambda work, *_more: f"00{work.file.path}")
    for name in ("a.cu", "b.cu", "c.cu"):
        Path(name).write_text(KERNEL)
        bench(file=InputFile(name, Input.CUDA))
    assert sorted(path.name for path in folder.rglob("*.cu")) == ["a.cu", "b.cu", "c.cu"]
    size = max(path.stat().st_size for path in folder.rglob("*.cu"))
    monkeypatch.setattr(result_cache, "_MOST_OF_A_FOLDER", 2 * size)
    Path("d.cu").write_text(KERNEL)
    bench(file=InputFile("d.cu", Input.CUDA))
    assert sorted(path.name for path in folder.rglob("*.cu")) == ["c.cu", "d.cu"]


def test_large_results_are_not_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "_LARGEST_ENTRY", 10)
    bench(), bench()
    assert bench.checked == 2
    assert not bench.cache.folder.exists()


def test_without_a_place_to_keep_them(bench: Bench) -> None:
    Path("blocked").write_text("no folder")
    bench.cache = replace(bench.cache, folder=Path("blocked/cache"))
    assert told(bench()) == told(bench())
    assert bench.checked == 2


def test_every_file_that_is_opened_is_remembered(tmp_path: Path) -> None:
    """The audit of Python hears of each file; what is ours or Python's is no question."""
    opened: set[str] = set()
    listening = [True]

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if listening[0] and event in ("open", "os.listdir", "os.scandir"):
            opened.add(str(arguments[0]))

    sys.addaudithook(hear)
    from warplint.analyzer.source.file_probes import recorded

    everything = tuple(load_rules().values())
    try:
        for path in sorted(FIXTURES.rglob("*.cu"))[::12]:
            opened.clear()
            with recorded() as looks:
                check_work(Work(InputFile(str(path), Input.CUDA), Profile(Settings(), everything)))
            listed = {name for question, name, _ in looks if question.startswith("holding ")}
            read = {name for question, name, _ in looks if question == "read"} | listed
            foreign = {name for name in opened if name.startswith(str(FIXTURES))}
            assert foreign <= read
            assert str(path) in read
    finally:
        listening[0] = False


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*/*/*"))[::9], ids=lambda path: path.name)
def test_results_of_all_rules_can_be_kept(tmp_path: Path, path: Path) -> None:
    """Whatever rules write into evidence comes back as it was."""
    language = Input.PTX if path.suffix == ".ptx" else Input.CUDA
    work = Work(
        InputFile(str(path), language),
        Profile(Settings(show_possible=True), tuple(load_rules().values())),
    )
    bench = Bench(ResultCache(tmp_path, "1"), work)
    first, second = bench(), bench()
    assert bench.checked == 1
    assert list(map(repr, second.findings)) == list(map(repr, first.findings))
