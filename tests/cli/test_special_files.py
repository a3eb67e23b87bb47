"""Links of a repository to what never ends: nothing waits, and everything else is checked."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.source.file_probes import hold, read_probe
from warplint.analyzer.source.reader import LARGEST, read_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")

KERNEL = """\
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
ONLY = ("--select", "SHM001", "--block", "32,32")
SPECIAL = ["/dev/zero", "/dev/tty", "/dev/stdin", "pipe"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def findings(outcome: Outcome) -> list[str]:
    return [item["rule"] for item in json.loads(outcome.out)["findings"]]


@pytest.mark.parametrize("target", SPECIAL)
def test_inputs(warplint: Run, project: Path, target: str) -> None:
    (project / "z.cu").symlink_to(target)
    outcome = warplint("check", ".", *ONLY, "--format", "json")
    assert outcome.code == 3
    assert findings(outcome) == ["SHM001"]
    assert outcome.err.startswith("error: z.cu: cannot be read: ")


@pytest.mark.parametrize("target", SPECIAL)
def test_an_included_file(warplint: Run, project: Path, target: str) -> None:
    (project / "n.h").symlink_to(target)
    (project / "k.cu").write_text('#include "n.h"\n' + KERNEL, encoding="utf-8")
    assert findings(warplint("check", "k.cu", *ONLY, "--format", "json")) == ["SHM001"]


@pytest.mark.parametrize("target", SPECIAL)
def test_an_ignore_file_that_is_a_link_says_nothing(
    warplint: Run, project: Path, target: str
) -> None:
    (project / ".gitignore").symlink_to(target)
    outcome = warplint("check", ".", *ONLY, "--format", "json")
    assert (outcome.code, findings(outcome)) == (1, ["SHM001"])


def test_an_ignore_file_that_cannot_be_read_is_named(warplint: Run, project: Path) -> None:
    (project / ".gitignore").write_text("a\n" * 600_000, encoding="utf-8")
    outcome = warplint("check", ".", *ONLY, "--format", "json")
    assert (outcome.code, findings(outcome)) == (3, ["SHM001"])
    assert ".gitignore: the ignore file cannot be read: larger than 1,000,000 bytes" in outcome.err


@pytest.mark.parametrize("target", SPECIAL)
@pytest.mark.parametrize("key", ["extend", "baseline", "compile-commands"])
def test_files_that_a_configuration_names(
    warplint: Run, project: Path, key: str, target: str
) -> None:
    (project / "warplint.toml").write_text(f'{key} = "{target}"\n', encoding="utf-8")
    outcome = warplint("check", "k.cu", *ONLY)
    assert outcome.code in (2, 3)
    assert target in outcome.err
    assert "regular file" in outcome.err or "No such device" in outcome.err


@pytest.mark.parametrize("target", SPECIAL)
@pytest.mark.parametrize(
    "option",
    ["--config", "--baseline", "--compile-commands", "--ptxas-log", "--sanitizer", "--ncu"],
)
def test_files_that_options_name(warplint: Run, project: Path, option: str, target: str) -> None:
    (project / "link").symlink_to(target)
    outcome = warplint("check", "k.cu", *ONLY, option, "link")
    assert outcome.code in (2, 3)
    assert outcome.err.startswith(("error: ", "warning: "))


@pytest.mark.parametrize("target", SPECIAL)
def test_lists(warplint: Run, project: Path, target: str) -> None:
    (project / "files.txt").symlink_to(target)
    outcome = warplint("check", "@files.txt", *ONLY)
    assert outcome.code == 2
    assert "the list of files cannot be read" in outcome.err


def test_a_list_through_a_pipe(warplint: Run, project: Path) -> None:
    outcome = warplint("check", "@/dev/stdin", *ONLY, "--format", "json", stdin="k.cu\n")
    assert findings(outcome) == ["SHM001"]


HUGE = 1 << 40  # bytes of a file that takes none of the disk


@pytest.fixture
def sparse(project: Path) -> Callable[[str], None]:
    def make(name: str) -> None:
        with open(project / name, "wb") as file:
            file.write(b"\x7fELF" if name.endswith(".cubin") else b"")
            try:
                file.truncate(HUGE)
            except OSError:
                pytest.skip("no file system for sparse files")

    return make


def test_what_is_too_large_is_refused_before_it_is_read(
    project: Path, sparse: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    sparse("z.cu")
    monkeypatch.setattr("warplint.analyzer.source.files._pieces", None)
    source, (problem,) = read_source(project / "z.cu")
    assert source is None
    assert problem.message == "larger than 200,000,000 bytes"
    assert not hold([read_probe(str(project / "z.cu"), b"")], LARGEST)


def test_huge_inputs_headers_and_settings(
    warplint: Run, project: Path, sparse: Callable[[str], None]
) -> None:
    for name in ("z.cu", "n.h", "z.cubin"):
        sparse(name)
    (project / "k.cu").write_text('#include "n.h"\n' + KERNEL, encoding="utf-8")
    outcome = warplint("check", ".", *ONLY, "--format", "json")
    assert (outcome.code, findings(outcome)) == (3, ["SHM001"])
    assert "z.cu: larger than 200,000,000 bytes" in outcome.err
    outcome = warplint("resources", "z.cubin", "k.cu")
    assert outcome.code == 3
    assert "z.cubin: larger than 1,073,741,824 bytes" in outcome.err
    for key in ("extend", "baseline", "compile-commands"):
        (project / "warplint.toml").write_text(f'{key} = "n.h"', encoding="utf-8")
        outcome = warplint("check", "k.cu")
        assert outcome.code == 2
        assert "larger than" in outcome.err
