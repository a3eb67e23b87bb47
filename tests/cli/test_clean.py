"""`warplint clean` removes what was stored, and nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_clean(warplint: Run, tmp_path: Path) -> None:
    kept, elsewhere = tmp_path / "kept", tmp_path / "elsewhere"
    (elsewhere / "00").mkdir(parents=True)
    (elsewhere / "00" / ("0" * 62)).write_text("mine", encoding="utf-8")
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    here = {"WARPLINT_CACHE_DIR": str(kept)}
    assert warplint("k.cu", **here).code == 0
    stored = files(kept)
    assert len(stored) == 2
    (kept / "notes.txt").write_text("mine", encoding="utf-8")
    (kept / "results" / "mine").mkdir()
    # What a result is stored under changes with every line of the program, and may begin with 00.
    unused = next(name for name in ("00", "01") if not (kept / "results" / name).exists())
    os.symlink(elsewhere / "00", kept / "results" / unused)
    outcome = warplint("clean", **here)
    assert outcome.code == 0
    assert outcome.out.startswith("removed 2 files (")
    assert files(kept) == ["notes.txt"]
    assert files(elsewhere) == ["00/" + "0" * 62]
    os.rename(kept / "results", kept / "old")
    os.symlink(elsewhere, kept / "results")
    assert warplint("clean", **here).out.startswith("removed 0 files (0 bytes)")
    assert files(elsewhere) == ["00/" + "0" * 62]
    assert warplint("clean", WARPLINT_CACHE_DIR=str(tmp_path / "none")).code == 0
