"""Headers are looked for along folders that exist, and not along any number of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.source.file_probes import recorded
from warplint.analyzer.source.header_search import HeaderSearch

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_folders_that_do_not_exist_are_asked_for_once(tmp_path: Path) -> None:
    (tmp_path / "last").mkdir()
    (tmp_path / "last" / "h7.h").write_text("int seven;\n", encoding="utf-8")
    folders = [*(tmp_path / f"d{i}" for i in range(50)), tmp_path / "last", tmp_path / "last"]
    headers = HeaderSearch(str(tmp_path / "a.cu"), folders)
    with recorded() as probes:
        found = [headers.find(f"h{i}.h", None) for i in range(9)]
    assert [each is not None for each in found] == [i == 7 for i in range(9)]
    assert len([probe for probe in probes if probe[0] == "folder"]) == 51
    assert len([probe for probe in probes if probe[0] == "file"]) == 9


def test_a_search_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warplint.analyzer.source.header_search.LOOKED_FOR", 20)
    folders = [tmp_path / f"d{i}" for i in range(9)]
    for folder in folders:
        folder.mkdir()
    (folders[-1] / "late.h").touch()
    headers = HeaderSearch(str(tmp_path / "a.cu"), folders)
    with recorded() as probes:
        assert headers.find("late.h", None) is not None
        assert [headers.find(f"h{i}.h", None) for i in range(30)] == [None] * 30
    assert 20 < len([probe for probe in probes if probe[0] == "file"]) < 60
