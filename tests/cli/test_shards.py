"""`check --shard` and `merge`: the bytes and the exit code of one run, through the command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.cli.check.shard import request_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

HEADER = """\
#pragma once
__global__ void column(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t % 32][0] = out[t];
    __syncthreads();
    out[t] = tile[0][t % 32];  // warplint: ignore[SHM001] not needed
}
void launch(float *out);
"""
FILES = {
    "src/column.cuh": HEADER,
    "src/a.cu": '#include "column.cuh"\nvoid a(float *p) { column<<<4, 64>>>(p); }\n',
    "src/b.cu": '#include "column.cuh"\nvoid b(float *p) { column<<<4, 128>>>(p); }\n',
    "src/kernel.cu": (
        "__global__ void shift(int *p) {\n    __shared__ int s[96];\n    s[threadIdx.x] = p[0];\n"
        "    p[threadIdx.x] = s[95 - threadIdx.x];\n}\n"
    ),
    "src/host.cu": ("__global__ void shift(int *p);\nvoid host(int *p) { shift<<<1, 96>>>(p); }\n"),
    "src/broken.cu": "__global__ void lost(int *p) { p[0] = (;\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def shards(warplint: Run, of: int, *options: str) -> list[str]:
    names = [f"{number + 1}.report" for number in range(of)]
    for number, name in enumerate(names):
        share = f"{number + 1}/{of}"
        outcome = warplint("src", "gone.cu", *options, "--shard", share, "-o", name)
        assert (outcome.code, outcome.out) == (0, "")
    return names


@pytest.mark.parametrize("of", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("format_", ["json", "sarif"])
def test_shards_make_the_report_of_one_run(
    warplint: Run, tree: Path, format_: str, of: int
) -> None:
    options = ("--format", format_, "--show-possible", "--sort", "rule", "--jobs", "1")
    one = warplint("src", "gone.cu", *options)
    assert "SYN002" in one.out  # the launch of `shift` is in another file
    merged = warplint("merge", *reversed(shards(warplint, of, *options)))
    assert (merged.code, merged.out) == (one.code, one.out)
    assert merged.err == one.err


def test_options_of_the_report_are_those_of_the_shards(warplint: Run, tree: Path) -> None:
    options = ("--min-severity", "error", "--exit-zero", "--fail-on", "note", "--format", "json")
    names = shards(warplint, 2, *options)
    one = warplint("src", "gone.cu", *options[:-2], "--format", "concise")
    merged = warplint("merge", *names, "--format", "concise")
    assert (merged.code, merged.out) == (one.code, one.out)


def test_a_baseline_is_compared_with_the_whole_run(warplint: Run, tree: Path) -> None:
    assert warplint("baseline", "src/a.cu", "src/kernel.cu", "-o", "known.json").code == 0
    options = ("--baseline", "known.json", "--format", "json")
    one = warplint("src", "gone.cu", *options)
    assert json.loads(one.out)["summary"]["known"] > 0
    assert warplint("merge", *shards(warplint, 3, *options)).out == one.out


@pytest.mark.parametrize(
    "options",
    [
        ["--format", "full"],
        ["--format", "json", "--statistics"],
        ["--format", "json", "--fix"],
        ["--format", "json", "--staged"],
        ["--format", "json", "--watch"],
    ],
)
def test_what_has_no_shards_is_refused(warplint: Run, tree: Path, options: list[str]) -> None:
    outcome = warplint("src", "--shard", "1/2", *options)
    assert (outcome.code, outcome.out, "--shard" in outcome.err) == (2, "", True)


def test_other_reports_are_refused(warplint: Run, tree: Path) -> None:
    (tree / "one.json").write_text(warplint("src", "--format", "json").out, encoding="utf-8")
    (tree / "none.json").write_text("[" * 100_000, encoding="utf-8")
    (tree / "odd.json").write_text('{"shard": {"version": "0.1.0"}}', encoding="utf-8")
    for name in ("one.json", "none.json", "odd.json"):
        outcome = warplint("merge", name)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith("error: ")
        assert "internal error" not in outcome.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", None),
        ("format", []),
        ("format", "../json"),
        ("baseline", 0),
        ("min_severity", -1),
        ("fail_on", {}),
        ("sort", "x"),
        ("max_findings", -5),
        ("quiet", "no"),
    ],
)
def test_made_up_requests_are_refused(name: str, value: object) -> None:
    asked: dict[str, Any] = {
        **dict.fromkeys(("exit_zero", "quiet", "show_suppressed", "statistics", "verbose"), False),
        "sort": "gain",
        "format": "json",
        "max_findings": None,
        "min_severity": None,
        "fail_on": None,
        "baseline": None,
    }
    assert request_of(asked).sort == "gain"
    with pytest.raises((ValueError, TypeError)):
        request_of({**asked, name: value})
