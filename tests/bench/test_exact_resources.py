"""Sources are built for every architecture, and what nvcc refuses is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from source_tree import bench_module

if TYPE_CHECKING:
    from pathlib import Path

exact: Any = bench_module("exact_resources")

#: Take `-o OUT SOURCE` from the end; a source that says so is refused.
TOOL = """\
#!/bin/sh
while [ "$1" != -o ]; do shift; done
grep -q refused "$3" && exit 1
cp "$3" "$2"
echo "said of $3" >&2
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("nvcc", "ptxas"):
        (folder / name).write_text(TOOL, encoding="utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


@pytest.mark.usefixtures("tools")
def test_every_source_is_built_for_every_architecture(tmp_path: Path) -> None:
    sources = [tmp_path / name for name in ("a.cu", "b.cu", "c.cu")]
    for source, text in zip(sources, ("one", "refused", "three"), strict=True):
        source.write_text(text, encoding="utf-8")
    built = tmp_path / "built"
    built.mkdir()
    assert exact.build(sources, built) == 2
    assert [path.read_text() for path in sorted(built.glob("*.ptx"))] == ["one", "three"]
    for arch in exact.ARCHITECTURES:
        assert len(list(built.glob(f"*.sm_{arch}.cubin"))) == 2
        logs = [path.read_text() for path in built.glob(f"*.sm_{arch}.log")]
        assert all(log.startswith("said of ") for log in logs)
        assert len(logs) == 2


def test_files_are_named_after_their_repository(tmp_path: Path) -> None:
    assert exact._repository(tmp_path / "owner+name" / "src" / "a.cu") == "owner+name"
    assert exact._repository(tmp_path / "fixtures" / "a.cu") == "all"
