"""A draw is the same at every call, and of the files that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from source_tree import bench_module

if TYPE_CHECKING:
    from pathlib import Path

draws: Any = bench_module("draws")


def test_a_draw_is_the_same_at_every_call(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}.cu").touch()
    (tmp_path / "header.h").touch()
    every = draws.cuda_files([tmp_path])
    drawn = draws.cuda_files([tmp_path], 7)
    assert len(every) == 40
    assert len(drawn) == 7
    assert set(drawn) < set(every)
    assert drawn == sorted(drawn) == draws.cuda_files([tmp_path], 7)
    assert draws.cuda_files([tmp_path], 40) == every


def test_files_are_taken_as_they_are(tmp_path: Path) -> None:
    header = tmp_path / "header.h"
    header.touch()
    assert draws.cuda_files([header, tmp_path / "gone.cu"]) == [header]
