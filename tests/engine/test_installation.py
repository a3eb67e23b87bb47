"""What stored results are kept under: the same for the same wheel, another for any other state."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from warplint.grammars import installation as module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    State = Callable[[Path], str]

FILES = ("analyzer/a.py", "grammars/b.lark", "rules/c.py")


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> State:
    def of(site: Path) -> str:
        monkeypatch.setattr(module, "_PACKAGE", str(site / "warplint"))
        return module.installation.__wrapped__()

    return of


def unpacked(site: Path, content: str = "x", date: int = 1000) -> Path:
    """A site folder with the package as an installer leaves it."""
    info = site / "warplint-0.1.0.dist-info"
    info.mkdir(parents=True)
    rows = [f"warplint/{name},sha256={content},1\n" for name in FILES]
    for name in FILES:
        path = site / "warplint" / name
        path.parent.mkdir(parents=True)
        path.write_text(content, encoding="utf-8")
        os.utime(path, (date, date))
    rows.append("warplint/__pycache__/x.pyc,,\n")
    (info / "RECORD").write_text("".join(rows), encoding="utf-8")
    os.utime(info / "RECORD", (date + 1, date + 1))
    return site


def test_the_same_wheel_is_the_same_everywhere(tmp_path: Path, state: State) -> None:
    first = state(unpacked(tmp_path / "one"))
    assert state(unpacked(tmp_path / "two", date=5000)) == first
    assert state(unpacked(tmp_path / "three", content="y")) != first


def test_what_was_compiled_meanwhile_does_not_count(tmp_path: Path, state: State) -> None:
    site = unpacked(tmp_path / "one")
    first = state(site)
    cached = site / "warplint" / "rules" / "__pycache__"
    cached.mkdir()
    (cached / "c.pyc").write_text("", encoding="utf-8")
    assert state(site) == first


def test_an_edited_file_is_another_state(tmp_path: Path, state: State) -> None:
    site = unpacked(tmp_path / "one")
    states = {state(site)}
    for date in (3000, 4000):
        os.utime(site / "warplint" / FILES[0], (date, date))
        states.add(state(site))
    assert len(states) == 3


def test_a_folder_of_its_author_goes_by_dates(tmp_path: Path, state: State) -> None:
    site = unpacked(tmp_path / "one")
    record = site / "warplint-0.1.0.dist-info" / "RECORD"
    record.write_text("__editable___warplint_finder.py,,\n", encoding="utf-8")
    first = state(site)
    os.utime(site / "warplint" / FILES[0], (900, 900))
    assert state(site) != first
