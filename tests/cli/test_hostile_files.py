"""Files that are in the way: loops of links, entries that cannot be read, disks that are full.

Through the installed command: a clear error, the rest of the run, and nothing lost.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="links and limits of POSIX")
ONLY = ("--select", "SHM001", "--block", "32,32")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "src" / "k.cu"
    path.parent.mkdir()
    path.write_text(KERNEL, encoding="utf-8")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def deep(kernel: Path) -> Iterator[Path]:
    """A folder below more others than Python may call functions, and a kernel in it."""
    folders = [kernel.parent]
    for _ in range(1_200):
        folders.append(folders[-1] / "d")
        folders[-1].mkdir()
    inner = folders[-1] / "inner.cu"
    inner.write_text(KERNEL, encoding="utf-8")
    yield inner
    inner.unlink()
    for folder in reversed(folders[1:]):  # pytest removes folders with one call for each level
        folder.rmdir()


@posix
def test_folders_in_folders(warplint: Run, deep: Path) -> None:
    outcome = warplint("check", ".", *ONLY, "--format", "json")
    assert outcome.code == 1
    paths = [item["path"] for item in json.loads(outcome.out)["findings"]]
    assert sorted(map(len, paths)) == [len("src/k.cu"), len("src/" + "d/" * 1_200 + "inner.cu")]


@posix
def test_loops_of_links(warplint: Run, kernel: Path) -> None:
    (kernel.parent / "up").symlink_to("..")
    (kernel.parent / "one.cu").symlink_to("two.cu")
    (kernel.parent / "two.cu").symlink_to("one.cu")
    outcome = warplint("check", ".", *ONLY, "--format", "json")
    assert outcome.code == 3
    report = json.loads(outcome.out)
    assert [item["path"] for item in report["inputs"]] == [
        "src/k.cu", "src/one.cu", "src/two.cu"
    ]  # fmt: skip
    assert len(report["findings"]) == 1
    assert outcome.err.count("Too many levels of symbolic links") == 2


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs /proc")
def test_entries_that_cannot_be_read(warplint: Run, kernel: Path) -> None:
    (kernel.parent / "broken.cu").symlink_to("/proc/self/mem")  # reading it is an I/O error
    os.mkfifo(kernel.parent / "pipe.cu")  # a walk does not wait for a writer
    outcome = warplint("check", ".", *ONLY, "--format", "json")
    assert outcome.code == 3
    assert [item["rule"] for item in json.loads(outcome.out)["findings"]] == ["SHM001"]
    assert outcome.err.startswith("error: src/broken.cu: cannot be read: Input/output error\n")


#: Python runs these in the process under test. A folder that is closed, to root as well:
CLOSED = """\
import os
scandir = os.scandir
def refuse(path="."):
    if os.path.basename(path) == "closed":
        raise PermissionError(13, "Permission denied", path)
    return scandir(path)
os.scandir = refuse
"""

#: Another program that writes while a file is replaced.
MEDDLER = """\
import os
chmod = os.chmod
def meddle(*arguments):
    chmod(*arguments)
    with open("src/k.cu", "a") as file:
        file.write("// and one line more\\n")
os.chmod = meddle
"""


@pytest.fixture
def under(warplint: Run, tmp_path: Path) -> Run:
    """`under(CODE, ...)`: the command, after Python has run this code in its process."""

    def run(code: str, *arguments: str) -> Outcome:
        folder = tmp_path / "before"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
        return warplint(*arguments, PYTHONPATH=str(folder))

    return run


def test_folders_that_cannot_be_listed(under: Run, kernel: Path) -> None:
    closed = kernel.parent / "closed"
    closed.mkdir()
    (closed / "other.cu").write_text(KERNEL, encoding="utf-8")
    outcome = under(CLOSED, "check", "src", *ONLY, "--format", "json")
    assert outcome.code == 3
    assert [item["path"] for item in json.loads(outcome.out)["findings"]] == ["src/k.cu"]
    expected = f"error: {os.path.join('src', 'closed')}: cannot list the directory: Permission"
    assert outcome.err.startswith(expected)


@pytest.mark.parametrize("option", ["--fix", "--add-ignore"])
def test_files_that_change_meanwhile(under: Run, kernel: Path, option: str) -> None:
    outcome = under(MEDDLER, "src/k.cu", *ONLY, option)
    assert outcome.code == 2
    assert "error: src/k.cu: not changed: it changed while it was being checked\n" in outcome.err
    assert kernel.read_text(encoding="utf-8") == KERNEL + "// and one line more\n"
    assert names(kernel.parent) == ["k.cu"]


@pytest.fixture
def full(
    script: Path, tmp_path: Path, kept: Path
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command where no file can grow, as on a disk that is full. Python's own files, which it
    writes before it looks at signals, are not meant.
    """
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", str(script), *arguments],
            cwd=tmp_path,
            env={**environment, "WARPLINT_CACHE_DIR": str(kept / "full")},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@posix
@pytest.mark.parametrize(
    ("arguments", "kept_file"),
    [
        (["check", "src", *ONLY, "-o", "report"], "report"),
        (["check", "src", *ONLY, "--format", "sarif", "-o", "report"], "report"),
        (["check", "src", *ONLY, "--baseline", "known.json", "--update-baseline"], "known.json"),
        (["baseline", "src", *ONLY, "-o", "known.json"], "known.json"),
        (["check", "src", *ONLY, "--fix"], "src/k.cu"),
        (["check", "src", *ONLY, "--add-ignore"], "src/k.cu"),
        (["resources", "src/k.cu", "--ptxas", "never", "--write-baseline", "budget"], "budget"),
        (["occupancy", "--threads", "64", "--svg", "picture.svg"], "picture.svg"),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, list) else item,
)
def test_a_full_disk_costs_nothing_that_was_there(
    full: Callable[..., subprocess.CompletedProcess[str]],
    kernel: Path,
    arguments: list[str],
    kept_file: str,
) -> None:
    old = kernel.parent.parent / kept_file
    if kept_file == "known.json":
        old.write_text('{"version": 1, "findings": []}', encoding="utf-8")
    elif old != kernel:
        old.write_text("what was there", encoding="utf-8")
    before = old.read_bytes()
    outcome = full(*arguments)
    assert outcome.returncode == 2
    assert "File too large" in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert old.read_bytes() == before
    beside = names(old.parent)
    assert beside == sorted({old.name, "src"} if old != kernel else {"k.cu"})


@posix
@pytest.mark.parametrize("unbuffered", ["", "1"])  # as a shell has it, as many containers have it
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["check", "--help"], ["rules"]])
def test_no_room_for_what_is_printed(script: Path, words: list[str], unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [script, *words], stdout=full, stderr=subprocess.PIPE, env=environment, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: cannot write")
    assert b"No space left on device" in done.stderr


@posix
@pytest.mark.parametrize("words", ["check .", "check ../k.cu", "config show", "check . --staged"])
def test_a_current_folder_that_is_gone(script: Path, tmp_path: Path, words: str) -> None:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        ["sh", "-c", f'cd gone && rmdir ../gone && "$0" {words}', script],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: the current folder is gone\n  help: change to a folder that exists\n"
    )
