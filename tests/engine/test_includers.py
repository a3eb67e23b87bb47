"""The sources that include a file, found around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.engine.includers import including_sources, names_included
from warplint.analyzer.engine.inputs import collect_inputs

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "project/.git/config": "",
    "project/app/main.cu": '#include "kernels/body.cuh"\n',
    "project/app/kernels/body.cuh": '# include <sums.cu>\n#include "gone.cu"\n',
    "project/app/kernels/sums.cu": "",
    "project/app/kernels/other.cu": '// #include "sums.cu"\n',
    "project/tests/sums_test.cpp": '#include "../app/kernels/sums.cu"\n',
    "project/tests/more/deep.cu": '#include "../../app/kernels/sums.cu"\n',
    "project/tests/sums.cu": '#include "sums.cu"\n',  # itself
    "outside.cu": '#include "project/app/kernels/sums.cu"\n',
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("project/app/kernels/sums.cu", {"project/app/main.cu", "project/tests/sums_test.cpp"}),
        ("project/app/kernels/body.cuh", {"project/app/main.cu"}),
        ("project/app/main.cu", set()),
        ("project/tests/sums.cu", set()),
        ("project/app/kernels/missing.cu", set()),
        ("outside.cu", set()),
    ],
)
def test_sources_that_include_a_file(tmp_path: Path, path: str, expected: set[str]) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = including_sources(str(tmp_path / path))
    assert found == {str(tmp_path / name) for name in expected}


def test_how_many_files_include_a_header(tmp_path: Path) -> None:
    texts = {
        "main.cu": '#include "one.cuh"\n#include <sub/two.cuh>\n',
        "test.cu": '#include "main.cu"\n#include "test.cu"\n',
        "one.cuh": '#include "three.cuh"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = collect_inputs([str(tmp_path / name) for name in texts]).files
    names = names_included(files)
    assert {name: names[name] for name in ("one.cuh", "two.cuh", "three.cuh", "main.cu")} == {
        "one.cuh": 2, "two.cuh": 2, "three.cuh": 3, "main.cu": 1,
    }  # fmt: skip
