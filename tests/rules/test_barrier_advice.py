"""What is advised about missing barriers: a place that was tried, or how to make one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.findings.finding import Fix

FILLED = """\
__global__ void __launch_bounds__(256) k(float *out, const float *in, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
"""
RULES = tuple(load_rules()[code] for code in ("SYN002", "SYN003", "WRP001"))


def advice(folder: Path, rest: str) -> tuple[Fix, ...]:
    path = folder / "k.cu"
    path.write_text(f"{FILLED}    {rest}\n}}\nvoid h(float *p) {{ k<<<1, 256>>>(p, p, 3); }}\n")
    found = check(collect_inputs([str(path)]), Settings(), RULES).findings
    return tuple(fix for each in found for fix in each.fixes)


@pytest.mark.parametrize(
    ("rest", "title"),
    [
        (
            "if (s[255 - t] > 1.0f) s[t] = 0.0f;",
            "keep the condition on line 7 in a variable, insert `__syncthreads()` after that, and "
            "only then branch on it",
        ),
        (
            "switch (int(s[255 - t])) { case 0: s[t] = 1.0f; break; default: s[t] = 2.0f; }",
            "keep the condition on line 7 in a variable, insert `__syncthreads()` after that, and "
            "only then branch on it",
        ),
        (
            "for (int i = int(s[255 - t]); i < 300; i++) s[t] += 1.0f;",
            "keep the start value of the loop on line 7 in a variable, insert `__syncthreads()` "
            "after that, and only then begin the loop with it",
        ),
        (
            "if (t < 128) { float v = s[t + 128]; s[t + 1] = v; }",
            "split the branch on line 7: end it after the first access, insert `__syncthreads()` "
            "where every thread reaches it, and make the second access in a branch of its own",
        ),
        (
            "if (t >= 200) return;\n    float v = s[t + 1];\n    s[t] = v;",
            "let no thread return on line 7: make each of the two accesses under a condition of "
            "its own, and insert `__syncthreads()` between them",
        ),
        (
            "for (int i = t; i < 255; i += 7) { out[i] = s[(i + 32) % 256]; s[i] = 1.0f; }",
            "run the loop on line 7 equally often in every thread, and insert `__syncthreads()` "
            "between the two accesses in its body",
        ),
        ("s[t] = s[255 - t];", "insert `__syncthreads()` between the load and the store on line 7"),
        (
            "s[t] =\n        s[255 - t];",
            "insert `__syncthreads()` between the load and the store on line 7",
        ),
        (
            "out[t] = s[255 - t];\n    if (t > 3) s[t] = 0.0f;",
            "insert `__syncthreads()` before the branch or loop on line 8",
        ),
        ("out[t] = s[255 - t];\n    s[t] = 0.0f;", "insert `__syncthreads()` before line 8"),
    ],
)
def test_a_barrier_has_a_place_or_is_made_one(tmp_path: Path, rest: str, title: str) -> None:
    assert title in {fix.title for fix in advice(tmp_path, rest)}


TURNED = (
    "to read what is written here, let every thread run a loop with `__syncthreads()` in it, in "
    "which each step reads only what earlier steps have written"
)


@pytest.mark.parametrize(
    ("limit", "turned"),
    [("t", True), ("t * t % 9", True), ("256", False), ("n", False)],
)
def test_what_threads_read_a_number_of_times_of_their_own_may_be_meant_to_be_new(
    tmp_path: Path, limit: str, turned: bool
) -> None:
    rest = (
        "if (t < 200) { float sum = 0.0f;\n"
        f"    for (int j = 0; j < {limit}; j++) sum += s[j];\n"
        "    s[t] = in[t] - sum; }"
    )
    (title,) = {fix.title for fix in advice(tmp_path, rest)}
    assert "split the branch on line 7: end it after the first access" in title
    assert title.startswith("to read what was there before, ") is turned
    assert title.endswith(TURNED) is turned


def test_lanes_are_told_of_both_ways_too(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void forward(const float *L, const float *b, float *y) {\n"
        "    int i = threadIdx.x;\n"
        "    if (i < 16) {\n"
        "        float sum = 0.0f;\n"
        "        for (int j = 0; j < i; j++) sum += L[i * 16 + j] * y[j];\n"
        "        y[i] = (b[i] - sum) / L[i * 16 + i];\n"
        "    }\n"
        "}\n"
        "void h(float *p, float *q, float *r) { forward<<<1, 16>>>(p, q, r); }\n"
    )
    (found,) = check(collect_inputs([str(path)]), Settings(), RULES).findings
    (fix,) = found.fixes
    old, new = fix.title.split("; ")
    assert old.startswith("to read what was there before, split the branch on line 3")
    assert old.endswith("or use `__shfl_down_sync`")
    assert new == TURNED.replace("threads()", "warp()")


def test_no_edit_is_made_where_there_is_no_place(tmp_path: Path) -> None:
    for rest in ("if (s[255 - t] > 1.0f) s[t] = 0.0f;", "if (t < 128) s[t + 1] = s[t + 128];"):
        fixes = advice(tmp_path, rest)
        assert fixes
        assert not any(fix.edits for fix in fixes)


STENCIL = """\
__global__ void __launch_bounds__(256) k(float *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i > n - 2) return;
    WORK
}
void h(float *u, int n) { k<<<(n + 255) / 256, 256>>>(u, n); }
"""


@pytest.mark.parametrize(
    ("work", "advised", "not_advised"),
    [
        ("u[i] = u[i - 1] + u[i + 1];", "a second array", "insert"),
        ("u[i] = 0; atomicAdd(&u[i / 40], 1.0f);", "blocks race, too", "a second array"),
    ],
)
def test_where_blocks_race_too_no_barrier_of_the_block_is_the_advice(
    tmp_path: Path, work: str, advised: str, not_advised: str
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(STENCIL.replace("WORK", work))
    found = check(collect_inputs([str(path)]), Settings(), RULES).findings
    titles = [fix.title for each in found for fix in each.fixes]
    assert titles
    assert all(advised in each and not_advised not in each for each in titles)


def test_places_in_a_macro_are_told_by_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "#define FOLD(s, t) do { \\\n"
        "    s[t] += s[t + 4]; \\\n"
        "    s[t] += s[t + 2]; \\\n"
        "} while (0)\n"
        "__global__ void k(float *p) {\n"
        "    __shared__ float s[64];\n"
        "    int t = threadIdx.x;\n"
        "    s[t] = p[t];\n"
        "    __syncthreads();\n"
        "    if (t < 32) FOLD(s, t);\n"
        "    __syncthreads();\n"
        "    p[t] = s[63 - t];\n"
        "}\n"
        "void h(float *p) { k<<<1, 64>>>(p); }\n"
    )
    (found, *_) = check(collect_inputs([str(path)]), Settings(), RULES).findings
    (fix,) = found.fixes
    assert "`FOLD`" in fix.title
    assert "line 3 (in the macro `FOLD`)" in fix.title
    assert not fix.edits
