"""The client that is built into Neovim, where Neovim is installed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from .neovim import NEOVIM, expected, random_edits, session
from .test_server import SHUFFLE, TILE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed")
def test_a_session_of_neovim(tmp_path: Path) -> None:
    text = SHUFFLE.replace("void run", "\n" + TILE.partition("\nvoid")[0] + "\nvoid run")
    file = tmp_path / "kernels.cu"
    file.write_text(text, encoding="utf-8")
    (tmp_path / "warplint.toml").write_text("", encoding="utf-8")
    edits = random_edits(random.Random(33), 60, 20)
    said, complaints = session(file, edits, hover=[4, 5], fix=[4, 11])
    assert set(said) == {"first", "beside", "draws", "hover", "fixed", "edited"}, complaints
    assert [3, 9, "WRP005"] in said["first"]
    assert "register" in said["hover"]
    assert any(" regs" in text for _, text in said["beside"])
    if not said["draws"]:  # before 0.10 the client of this project draws hints
        assert "32-way" in {text for _, text in said["beside"]}
    assert "WRP005" not in {code for _, _, code in said["fixed"]}
    shown, final = said["edited"]
    assert sorted(map(tuple, shown)) == expected(str(file), final)
