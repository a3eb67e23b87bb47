"""`warplint explain FILE:LINE` shows what a finding rests on."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t][0] = out[t];  // warplint: ignore[SHM001] once
    if (t < 16) __syncthreads();
}
"""


ONLY = ("--block", "32", "--select", "SHM001,SYN001")


@pytest.fixture(autouse=True)
def kernel(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")


def test_a_conflict_lane_by_lane(warplint: Run) -> None:
    outcome = warplint("explain", "k.cu:4", *ONLY)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("warning[SHM001] bank-conflict: 32-way bank conflict")
    assert "\nfurther evidence\n" in outcome.out
    assert "\n  lane offsets: [0, 128, 256, " in outcome.out
    assert "\n  31  #···" in outcome.out
    assert "\nWhy is this bad?\n" in outcome.out


def test_a_witness_step_by_step(warplint: Run) -> None:
    outcome = warplint("explain", "k.cu:5:20", *ONLY, "--format", "json")
    report = json.loads(outcome.out)
    (finding,) = report["findings"]
    assert [flow["thread"] for flow in finding["flows"]] == [
        "thread (0, 0, 0)",
        "thread (16, 0, 0)",
    ]
    assert report["accesses"] == []


RACE = """\
__global__ void reverse(const int *in, int *out, int n) {
    __shared__ int s[256];
    for (int base = 0; base < n; base += 256) {
        s[threadIdx.x] = in[base + threadIdx.x];
        __syncthreads();
        out[base + threadIdx.x] = s[255 - threadIdx.x];
    }
}
"""


def test_a_race_with_both_threads_and_what_was_assumed(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "r.cu").write_text(RACE, encoding="utf-8")
    found = json.loads(warplint("r.cu", "--select", "SYN003", "--format", "json").out)["findings"]
    (finding,) = found
    place = f"r.cu:{finding['line']}"
    outcome = warplint("explain", place, "--select", "SYN003")
    assert outcome.code == 0
    writer, reader = (flow["thread"] for flow in finding["flows"])
    assert writer != reader
    for flow in finding["flows"]:
        assert flow["steps"]
        assert all(f"line {step['line']}: {step['message']}" in outcome.out
                   for step in flow["steps"])  # fmt: skip
        assert f"= {flow['thread']}: " in outcome.out
    assert "assumed: " in outcome.out
    assert '\n  object: "s"\n' in outcome.out
    assert "\n  threads: [[" in outcome.out
    assert "\nWhy is this bad?\n" in outcome.out
    whole = json.loads(warplint("explain", place, "--select", "SYN003", "--format", "json").out)
    assert whole["findings"] == found


@pytest.mark.parametrize(
    ("place", "error", "advice"),
    [
        ("k.cu:3", "no finding at k.cu:3", "there are findings on line 4, 5"),
        ("k.cu:5:1", "no finding at k.cu:5:1", "line 4, 5"),
        ("k.cu", "`k.cu` is not FILE:LINE", "FILE:LINE"),
        ("none.cu:3", "none.cu: no such file", "check the path"),
    ],
)
def test_places_without_a_finding(warplint: Run, place: str, error: str, advice: str) -> None:
    outcome = warplint("explain", place, *ONLY)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {error}")
    assert advice in outcome.err


PEEK = """\
__global__ void greatest(const int *in, int *out) {
    __shared__ int best;
    int t = threadIdx.x;
    if (t == 0) best = 0;
    __syncthreads();
    if (in[t] > best)
        atomicMax(&best, in[t]);
    __syncthreads();
    out[t] = best;
}
"""


def test_a_verdict_names_every_question_and_its_answer(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(PEEK, encoding="utf-8")
    outcome = warplint("explain", "--verdict", "p.cu:7", "--block", "256")
    assert (outcome.code, outcome.err) == (0, "")
    head, block, first, *_, verdict = outcome.out.splitlines()
    assert head.startswith("barrier in greatest: thread (0, 0, 0) reads best on line 6 and ")
    assert block == "  for block 256x1x1 (--block)"
    assert first.split()[:3] == ["1.", "yes", "optimistic-read"]
    assert re.search(r"^ +\d+\. no   array-left", outcome.out, re.MULTILINE)
    assert verdict.startswith("  verdict: not reported because of optimistic-read")
    report = json.loads(
        warplint("explain", "--verdict", "p.cu:7", "--block", "256", "--format", "json").out
    )
    (found,) = report["verdicts"]
    assert found["verdict"] == "not reported"
    assert next(e["name"] for e in found["questions"] if e["answer"]) == "optimistic-read"


def test_what_a_doubt_silences_is_shown_on_request(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(PEEK, encoding="utf-8")
    chosen = ("p.cu", "--block", "256", "--select", "SYN002", "--format", "json")
    assert json.loads(warplint("check", *chosen).out)["findings"] == []
    (found,) = json.loads(warplint("check", *chosen, "--show-possible").out)["findings"]
    assert found["certainty"] == "possible"
    assert found["doubts"][0]["name"] == "optimistic-read"
    assert found["doubts"][0]["silences"]


def test_a_line_on_which_nothing_was_judged(warplint: Run) -> None:
    outcome = warplint("explain", "--verdict", "k.cu:3")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: nothing was judged at k.cu:3")
