"""Flags of a build: macros and folders of compile_commands.json, in nvcc's spelling."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """#include "shape.h"
__global__ void scatter(float* out) {
    __shared__ float s[PITCH * 256];
    s[threadIdx.x * PITCH] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
#ifdef GUARDED
    if (threadIdx.x < 3) __syncthreads();
#endif
}
"""
COMMAND = (
    "nvcc -forward-unknown-to-host-compiler -DGUARDED=1 -I../deps "
    "-gencode arch=compute_80,code=sm_80 -maxrregcount 32 --use_fast_math -rdc=true -x cu -c"
)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A project whose headers lie outside of it, where only the flags lead."""
    project = tmp_path / "project"
    for folder in (project / ".git", tmp_path / "deps"):
        folder.mkdir(parents=True)
    (tmp_path / "deps" / "shape.h").write_text("#define PITCH 8\n")
    (project / "kernel.cu").write_text(KERNEL)
    entry = {"directory": str(project), "file": "kernel.cu", "command": f"{COMMAND} kernel.cu"}
    (project / "compile_commands.json").write_text(json.dumps([entry]))
    return project


def rules_of(warplint: Run, build: Path, *arguments: str) -> set[str]:
    outcome = warplint(str(build / "kernel.cu"), "--format", "json", *arguments)
    return {finding["rule"] for finding in json.loads(outcome.out)["findings"]}


def test_flags_of_the_build_are_used(warplint: Run, build: Path) -> None:
    assert "SHM001" not in rules_of(warplint, build)  # the header is not found
    file = str(build / "compile_commands.json")
    assert rules_of(warplint, build, "--compile-commands", file) == {"SHM001", "SYN001"}


def test_a_folder_will_do_and_the_command_line_wins(warplint: Run, build: Path) -> None:
    found = rules_of(warplint, build, "--compile-commands", str(build), "-U", "GUARDED")
    assert found == {"SHM001"}


def test_a_missing_database_is_wrong_usage(warplint: Run, build: Path) -> None:
    outcome = warplint(str(build / "kernel.cu"), "--compile-commands", str(build / "no.json"))
    assert outcome.code == 2
    assert "no.json" in outcome.err
    assert "help:" in outcome.err
