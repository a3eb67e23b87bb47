"""Which headers everybody has, and which are a project's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.source.known_headers import is_well_known
from warplint.analyzer.source.preprocessor import PreprocessorOptions, preprocess
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "name",
    ["cuda/atomic", "cuda/std/array", "cuda/std/detail/libcxx/include/array.h", "cuda/__ptx/ptx.h",
     "cub/block/block_reduce.cuh", "vector", "cuda_runtime.h"],
)  # fmt: skip
def test_headers_of_compilers_and_libraries(name: str) -> None:
    assert is_well_known(name)


@pytest.mark.parametrize(
    "name", ["cuda/components/groups.cuh", "cuda/types.hpp", "groups.cuh", "kernels/vector"]
)
def test_headers_of_a_project(name: str) -> None:
    assert not is_well_known(name)


def test_a_folder_cuda_of_the_repository_is_found_from_its_root(tmp_path: Path) -> None:
    for folder in (".git", "cuda/components", "cuda/solver"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cuda/components/groups.cuh").write_text("#define WIDTH 32\n")
    text = '#include "cuda/components/groups.cuh"\nWIDTH\n'
    source = SourceText(str(tmp_path / "cuda/solver/cg.cu"), text)
    result = preprocess(source, PreprocessorOptions())
    assert (result.tokens.texts, result.missing) == (["32"], [])
    missing = SourceText(source.path, text.replace("groups", "others"))
    assert preprocess(missing, PreprocessorOptions()).unseen == ("cuda/components/others.cuh",)
