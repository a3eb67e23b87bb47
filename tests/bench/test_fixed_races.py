"""Pairs of versions before and after a race was mended: what counts as found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from git_command import git
from source_tree import bench_module

if TYPE_CHECKING:
    from pathlib import Path

fixed_races: Any = bench_module("fixed_races")
RACY = """__global__ void k(int *out) {
    __shared__ int s[256];
    s[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = s[255 - threadIdx.x];
}
void run(int *out) { k<<<1, 256>>>(out); }
"""
MENDED = RACY.replace("    out[threadIdx.x] = s", "    __syncthreads();\n    out[threadIdx.x] = s")
MOVED = "// later\n" + RACY


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    place = tmp_path / "o+n"
    place.mkdir()
    git(place, "init", "-q")
    for text in (RACY, MOVED, MENDED):
        (place / "k.cu").write_text(text, encoding="utf-8")
        git(place, "add", "-A")
        git(place, "commit", "-q", "-m", "Version")
    return place


def judged(repository: Path, after: str, lines: list[int]) -> str:
    pair = {"after": git(repository, "rev-parse", after), "file": "k.cu", "lines": lines}
    return str(fixed_races.judged(repository / ".git", pair, 60))


def test_a_race_that_the_fix_mends_is_found(repository: Path) -> None:
    assert judged(repository, "HEAD", [4, 5]) == "definite"


def test_a_race_that_is_still_there_after_the_fix_does_not_count(repository: Path) -> None:
    assert judged(repository, "HEAD^", [3, 4]) == "still there"


def test_findings_elsewhere_do_not_count(repository: Path) -> None:
    assert judged(repository, "HEAD", [1]) == "missed"
