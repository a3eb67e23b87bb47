"""Results that machines share: the same findings, nothing written where it may not be, no harm."""

from __future__ import annotations

import os
import time
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine import remote_results, result_cache
from warplint.analyzer.engine.check import Work, check_work
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.remote_results import RemoteError, RemoteResults
from warplint.analyzer.engine.result_cache import ResultCache
from warplint.analyzer.engine.stored_results import read, written
from warplint.analyzer.findings.rule import Input
from warplint.grammars.stored import store
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.engine.file_check import FileCheck

fsspec = pytest.importorskip("fsspec", reason="pip install 'warplint[remote]'")

KERNEL = """\
#include "tile.h"
__global__ void k(float *out) {
    __shared__ float tile[32][WIDTH];
    tile[threadIdx.x][0] = out[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x][1];
}
"""
FILE = InputFile("k.cu", Input.CUDA)
WORK = Work(FILE, Profile(Settings(block=(32, 1, 1)), (load_rules()["SHM001"],)))


@dataclass
class Machine:
    """One that has the files and an empty cache of its own; it counts what it had to check."""

    cache: ResultCache
    checked: int = 0

    def __call__(self, work: Work = WORK) -> FileCheck:
        return self.cache.check(work, self._check)

    def _check(self, work: Work) -> FileCheck:
        self.checked += 1
        return check_work(work)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "tree").mkdir()
    monkeypatch.chdir(tmp_path / "tree")
    Path("k.cu").write_text(KERNEL, encoding="utf-8")
    Path("tile.h").write_text("#define WIDTH 32\n", encoding="utf-8")
    remote_results._failed.clear()
    yield
    remote_results._failed.clear()
    fsspec.filesystem("memory").store.clear()


@pytest.fixture(params=["folder", "memory"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "shared") if request.param == "folder" else "memory://shared/results"


def machine(tmp_path: Path, number: int, address: str, *, writes: bool = True) -> Machine:
    return Machine(ResultCache(tmp_path / f"own{number}", "1", RemoteResults(address, writes)))


def kept(address: str) -> dict[str, bytes]:
    """What a shared place holds, by name."""
    if "://" in address:
        return {name: bytes(file.getvalue()) for name, file in memory().items()}
    return {str(path): path.read_bytes() for path in Path(address).rglob("*") if path.is_file()}


def memory() -> Any:
    return fsspec.filesystem("memory").store


def replaced(address: str, data: bytes) -> None:
    """Put other bytes in the place of the one entry."""
    (name,) = kept(address)
    if "://" in address:
        fsspec.filesystem("memory").pipe_file(name, data)
    else:
        Path(name).write_bytes(data)


def told(outcome: FileCheck) -> list[tuple[str, str, int]]:
    return [(f.rule.code, f.text, f.span.line) for f in outcome.findings]


# ---- sharing -------------------------------------------------------------------------------------


def test_what_one_has_checked_another_one_has_not_to(tmp_path: Path, address: str) -> None:
    first, second = machine(tmp_path, 1, address), machine(tmp_path, 2, address)
    one, other = first(), second()
    assert (first.checked, second.checked) == (1, 0)
    assert told(one) == told(other) != []
    assert other.result() == one.result()


def test_what_was_fetched_is_kept_here(tmp_path: Path, address: str) -> None:
    machine(tmp_path, 1, address)()
    second = machine(tmp_path, 2, address)
    second()
    replaced(address, b"")
    second()
    assert second.checked == 0


def test_states_of_a_file_stand_side_by_side(tmp_path: Path, address: str) -> None:
    for number, text in enumerate([KERNEL, KERNEL + "\n", KERNEL]):
        Path("k.cu").write_text(text, encoding="utf-8")
        here = machine(tmp_path, number, address)
        here()
        assert here.checked == (number < 2)
    assert len(kept(address)) == 2


def test_a_header_of_another_state_is_read(tmp_path: Path, address: str) -> None:
    machine(tmp_path, 1, address)()
    Path("tile.h").write_text("#define WIDTH 33\n", encoding="utf-8")
    second = machine(tmp_path, 2, address)
    assert told(second()) == []
    assert second.checked == 1


def test_another_version_shares_nothing(tmp_path: Path, address: str) -> None:
    machine(tmp_path, 1, address)()
    second = machine(tmp_path, 2, address)
    second.cache = replace(second.cache, version="2")
    second()
    assert second.checked == 1


def test_a_reader_writes_nothing(tmp_path: Path, address: str) -> None:
    machine(tmp_path, 1, address, writes=False)()
    assert kept(address) == {}
    machine(tmp_path, 2, address)()
    before = kept(address)
    Path("k.cu").write_text(KERNEL + "\n", encoding="utf-8")
    reader = machine(tmp_path, 3, address, writes=False)
    reader()
    assert reader.checked == 1
    assert kept(address) == before


def test_others_may_read_a_shared_folder(tmp_path: Path) -> None:
    address = str(tmp_path / "shared")
    before = os.umask(0o022)
    try:
        machine(tmp_path, 1, address)()
    finally:
        os.umask(before)
    (name,) = kept(address)
    assert Path(name).stat().st_mode & 0o777 == 0o644


def test_a_shared_folder_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_results, "_PER_FOLDER", 1)
    place = RemoteResults(str(tmp_path / "shared"))
    for name in ("00/a", "00/b", "01/c"):
        place.put(name, name.encode())
        time.sleep(0.01)
    assert [place.get(name, 10) for name in ("00/a", "00/b", "01/c")] == [None, b"00/b", b"01/c"]


# ---- hostile entries -----------------------------------------------------------------------------


def entry_of(outcome: FileCheck, probes: set[tuple[str, str, str]]) -> bytes:
    data = written(outcome, probes)
    assert data is not None
    return data


def with_hash(payload: bytes) -> bytes:
    from hashlib import sha256

    return sha256(payload).digest() + payload


HOSTILE = {
    "nothing": b"",
    "no hash": b"x" * 100,
    "garbage": with_hash(os.urandom(2000)),
    "no JSON": with_hash(zlib.compress(b"[1, 2")),
    "another format": with_hash(zlib.compress(b"[0, [], [], []]")),
    "swelling": with_hash(zlib.compress(b"[" + b" " * 100_000_000 + b"]")),
    "deep": with_hash(zlib.compress(b"[" * 1_000_000)),
    "endless": with_hash(b"y" * 600_000),
    "a pickle": with_hash(b"cos\nsystem\n(S'touch pwned'\ntR."),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_bytes_that_nobody_wrote(tmp_path: Path, address: str, what: str) -> None:
    expected = told(machine(tmp_path, 1, address)())
    replaced(address, HOSTILE[what])
    second = machine(tmp_path, 2, address, writes=False)
    assert told(second()) == expected
    assert second.checked == 1
    assert not Path("pwned").exists()


def test_an_entry_with_the_hash_of_another_one(tmp_path: Path, address: str) -> None:
    expected = told(machine(tmp_path, 1, address)())
    (data,) = kept(address).values()
    replaced(address, bytes(32) + data[32:])
    second = machine(tmp_path, 2, address, writes=False)
    assert told(second()) == expected
    assert second.checked == 1


def test_a_result_of_another_file(tmp_path: Path, address: str) -> None:
    machine(tmp_path, 1, address)()
    (data,) = kept(address).values()
    entry = read(data[32:], load_rules())
    assert entry is not None
    outcome, probes = entry
    other = replace(outcome, file=InputFile("/etc/other.cu", Input.CUDA))
    replaced(address, with_hash(entry_of(other, probes)))
    second = machine(tmp_path, 2, address, writes=False)
    assert second().file == FILE
    assert second.checked == 1


def test_a_result_that_rests_on_nothing(tmp_path: Path, address: str) -> None:
    outcome = machine(tmp_path, 1, address)()
    replaced(address, with_hash(entry_of(replace(outcome, findings=()), set())))
    second = machine(tmp_path, 2, address, writes=False)
    assert told(second())
    assert second.checked == 1


def test_a_file_by_a_hundred_thousand_names(tmp_path: Path, address: str) -> None:
    outcome = machine(tmp_path, 1, address)()
    (data,) = kept(address).values()
    entry = read(data[32:], load_rules())
    assert entry is not None
    (answer,) = (hash for question, path, hash in entry[1] if (question, path) == ("read", "k.cu"))
    detours = {("read", f"{n}/../k.cu", answer) for n in range(5_000)}
    replaced(address, with_hash(entry_of(outcome, entry[1] | detours)))
    asked: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(result_cache, "hold", lambda probes, _limit: asked.append(len(probes)))
        second = machine(tmp_path, 2, address, writes=False)
        second()
    assert second.checked == 1
    assert asked == []


def test_an_entry_that_is_a_pipe_or_endless(tmp_path: Path) -> None:
    address = str(tmp_path / "shared")
    machine(tmp_path, 1, address)()
    (name,) = kept(address)
    for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path)):
        os.unlink(name)
        make(name)
        second = machine(tmp_path, 2, address, writes=False)
        assert told(second())
        assert second.checked == 1
        for path in list(second.cache.folder.rglob("*")):
            if path.is_file():
                path.unlink()


# ---- places that do not answer -------------------------------------------------------------------


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    here = machine(tmp_path, 1, str(tmp_path / "file" / "shared"))
    assert told(here())
    assert here.checked == 1


def test_a_place_that_fails_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def fail(address: str, name: str, _most: int) -> bytes:
        asked.append(name)
        raise PermissionError(f"{address}: access denied\nmore")

    monkeypatch.setattr(remote_results, "_read", fail)
    here = machine(tmp_path, 1, "memory://locked")
    assert told(here())
    here.cache = replace(here.cache, version="2")
    assert told(here())
    assert len(asked) == 1
    assert here.cache.remote is not None
    assert here.cache.remote.trouble() == "PermissionError: memory://locked: access denied"


def test_a_place_that_does_not_answer_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_results, "_PATIENCE", 0.05)
    monkeypatch.setattr(remote_results, "_read", lambda *_words: time.sleep(2))
    here = machine(tmp_path, 1, "memory://silent")
    assert told(here())
    assert here.cache.remote is not None
    assert here.cache.remote.trouble() == "TimeoutError: no answer in 0.05 seconds"


@pytest.mark.parametrize("address", ["nowhere://x", "memory+x://y"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(RemoteError, match="cannot be read"):
        RemoteResults(address).trouble()


def test_names_of_the_store_are_as_here(tmp_path: Path) -> None:
    """What a folder holds is what a URL of it holds."""
    RemoteResults(str(tmp_path)).put("00/a", b"one")
    assert RemoteResults(f"file://{tmp_path}").get("00/a", 10) == b"one"
    assert RemoteResults(f"file://{tmp_path}").get("00/b", 10) is None
    assert RemoteResults(f"file://{tmp_path}").get("00/a", 2) is None
    assert store(tmp_path / "00" / "b", b"two")
    assert RemoteResults(str(tmp_path)).get("00/b", 10) == b"two"
