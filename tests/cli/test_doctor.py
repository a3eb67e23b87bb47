"""`warplint doctor` says what is here, and what of it does not work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]


def facts(outcome: Outcome) -> dict[str, str]:
    assert outcome.code == 0
    found: dict[str, str] = json.loads(outcome.out)
    return found


def test_stored_results_are_counted(warplint: Run, tmp_path: Path) -> None:
    here = {"WARPLINT_CACHE_DIR": str(tmp_path / "kept")}
    (tmp_path / "k.cu").write_text("__global__ void k(int *a) { a[0] = 1; }", encoding="utf-8")
    warplint("k.cu", **here)
    stored = facts(warplint("doctor", "--format", "json", **here))["stored results"]
    assert stored.startswith("2 files, ")
    assert stored.endswith(f" bytes in {tmp_path / 'kept'}")


def test_the_configuration_in_force(warplint: Run, tmp_path: Path) -> None:
    assert facts(warplint("doctor", "--format", "json"))["configuration"].startswith("none (")
    path = tmp_path / "warplint.toml"
    path.write_text('arch = "sm_80"\n', encoding="utf-8")
    found = facts(warplint("doctor", "--format", "json"))["configuration"]
    assert found == "warplint.toml (architecture sm_80)"
    path.write_text("arch = 1.5\n", encoding="utf-8")
    found = facts(warplint("doctor", "--format", "json"))["configuration"]
    assert found.startswith("cannot be used: ")


def test_tools_that_are_not_found_are_no_fault(warplint: Run) -> None:
    outcome = warplint("doctor", PATH="/nowhere", CUDA_HOME="/nowhere")
    assert outcome.code == 0
    assert "git             not found: only --diff-base and --staged need it\n" in outcome.out
