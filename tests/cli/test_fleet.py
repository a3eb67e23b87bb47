"""`warplint fleet` and `check --cluster` as users run them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """__global__ void rows(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i * 32] = in[i];
}
"""


def test_a_list_then_its_report(warplint: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.cu").write_text(KERNEL)
    (tmp_path / "list.txt").write_text("one\ntwo\nfile:///no/such/repository\n")
    first = warplint("fleet", "list.txt", "--out", "out", "--memory", "4G", "--jobs", "1")
    assert (first.code, first.err) == (3, "")
    assert first.out.startswith("checked 2 repositories\nnot checked: file:///no/such/repository\n")
    again = warplint("fleet", "check", "list.txt", "--out", "out")
    assert again.out.startswith("checked 0 repositories; 2 were checked before\n")
    asked = warplint("fleet", "report", "out", "--ask", "rules", "--most", "1", "--format", "json")
    (row,) = json.loads(asked.out)["Rules, by findings"]
    assert (row["rule"], row["findings"], row["repositories"]) == ("GLB001", 2, 2)
    text = warplint("fleet", "report", "out", "--color", "always")
    assert "\x1b[" in text.out
    page = warplint("fleet", "report", "out", "--format", "html", "--output", "fleet.html")
    assert page.code == 0
    assert "GLB001" in (tmp_path / "fleet.html").read_text()


def test_what_is_said_of_all(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.cu").write_text(KERNEL)
    (tmp_path / "list.txt").write_text(".\n")
    (tmp_path / "own.toml").write_text('ignore = ["GLB001"]\narch = "sm_75"\n')
    words = ("list.txt", "--out", "out", "--config", "own.toml", "--arch", "sm_80")
    assert warplint("fleet", *words, "--cluster", "local:1").code == 0
    asked = warplint("fleet", "report", "out", "--format", "json")
    document = json.loads(asked.out)
    assert document["Repositories"][0]["kernels"] == 1
    assert document["Rules, by findings"] == []


def test_what_is_wrong_is_said(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("ext::sh -c id\n")
    (tmp_path / "own").mkdir()
    (tmp_path / "good.txt").write_text("own\n")
    for words, said in (
        (["list.txt", "--out", "out"], "list.txt:1: `ext::sh -c id` is neither"),
        (["gone.txt", "--out", "out"], "gone.txt"),
        (["good.txt", "--out", "out", "--memory", "much"], "is no size"),
        (["good.txt", "--out", "out", "--arch", "sm_1"], "sm_1"),
        (["good.txt", "--out", "out", "--cluster", "there"], "is no cluster"),
        (["good.txt"], "--out"),
        (["report", "own"], "holds no tables"),
    ):
        outcome = warplint("fleet", *words)
        assert (outcome.code, outcome.out) == (2, ""), words
        assert said in outcome.err


def test_a_cluster_says_what_one_process_says(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.cuh").write_text(KERNEL)
    for name in "abcd":
        launch = f"void {name}(float *o, float *i) {{ rows<<<4, 64>>>(o, i, 256); }}\n"
        (tmp_path / f"{name}.cu").write_text(f'#include "rows.cuh"\n{launch}')
    (tmp_path / "own").mkdir()
    words = ("check", ".", "--format", "json", "--no-cache")
    alone, shared = warplint(*words), warplint(*words, "--cluster", "local:2")
    assert (shared.code, shared.out) == (alone.code, alone.out)
    assert json.loads(alone.out)["findings"]
