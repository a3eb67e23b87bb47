"""Files that `check` changes: fixes and suppressions, through the installed command."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

BLOCK = ("--block", "32,32", "--select", "SHM001,SYN001,SUP")
KERNEL = """\
// gr\u00f6\u00dfer
__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][32];
    int x = (blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[x];
    __syncthreads();
    for (int k = 0; k < 32; ++k)
        out[x] += tile[threadIdx.x][k];
    out[x] = tile[threadIdx.x][threadIdx.y];  // warplint: ignore[SYN001]
}
"""
FIXED = KERNEL.replace("[32][32]", "[32][32 + 1]").replace("  // warplint: ignore[SYN001]", "")

#: Uses for which another layout may be another program: the finding stays, with its advice.
OTHER_USES = [
    "float *flat = &tile[0][0]; out[x] = flat[x];",
    "out[x] = sizeof(tile);",
    "out[x] = tile[0][x];",  # reaches over the row: the edit is not safe
    "consume(tile);",
    "consume(tile[1]);",
]


def codes(outcome: Outcome) -> list[str]:
    return [item["rule"] for item in json.loads(outcome.out)["findings"]]


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "k.cu"
    path.write_text(KERNEL, encoding="utf-8")
    return path


def test_fix(warplint: Run, kernel: Path) -> None:
    before = warplint("k.cu", *BLOCK)
    assert "3 findings fixable with --fix\n" in before.out
    outcome = warplint("k.cu", *BLOCK, "--fix")
    assert outcome.code == 0
    assert outcome.out.startswith("No findings.\nfixed 3 findings\n")
    assert kernel.read_text(encoding="utf-8") == FIXED
    again = warplint("k.cu", *BLOCK, "--fix")
    assert (again.code, "fixed" in again.out) == (0, False)
    assert kernel.read_text(encoding="utf-8") == FIXED


def test_fix_only_says_nothing_of_the_rest(warplint: Run, kernel: Path) -> None:
    kernel.write_text(KERNEL.replace("out[x] =", "consume(tile); out[x] ="), encoding="utf-8")
    outcome = warplint("k.cu", *BLOCK, "--fix-only")
    assert (outcome.code, outcome.out) == (0, "fixed 1 finding\n")  # the suppression
    assert warplint("k.cu", *BLOCK).code == 1


def test_a_hook_may_fail_on_what_was_fixed(warplint: Run, kernel: Path) -> None:
    assert warplint("k.cu", *BLOCK, "--fix", "--exit-non-zero-on-fix").code == 1
    assert warplint("k.cu", *BLOCK, "--fix", "--exit-non-zero-on-fix").code == 0
    kernel.write_text(KERNEL, encoding="utf-8")
    assert warplint("k.cu", *BLOCK, "--fix-only", "--exit-non-zero-on-fix").code == 1


def test_diff_can_be_applied(warplint: Run, kernel: Path) -> None:
    outcome = warplint("k.cu", *BLOCK, "--diff")
    assert outcome.code == 1
    assert kernel.read_text(encoding="utf-8") == KERNEL
    assert outcome.out.startswith("--- a/k.cu\n+++ b/k.cu\n@@ ")
    subprocess.run(["git", "apply"], input=outcome.out.encode(), cwd=kernel.parent, check=True)
    assert kernel.read_text(encoding="utf-8") == FIXED
    clean = warplint("k.cu", *BLOCK, "--diff")
    assert (clean.code, clean.out) == (0, "")


@pytest.mark.parametrize("use", OTHER_USES)
def test_layouts_that_may_be_counted_on_are_left(warplint: Run, kernel: Path, use: str) -> None:
    text = KERNEL.replace("    out[x] = tile", f"    {use}\n    out[x] = tile")
    kernel.write_text("__device__ void consume(const void *);\n" + text, encoding="utf-8")
    outcome = warplint("k.cu", *BLOCK, "--fix", "--format", "json")
    assert "SHM001" in codes(outcome)
    assert "[32][32]" in kernel.read_text(encoding="utf-8")


def test_unsafe_fixes_have_to_be_asked_for(warplint: Run, kernel: Path) -> None:
    template = KERNEL.replace("__global__", "template <int N> __global__")
    kernel.write_text(template, encoding="utf-8")
    select = (*BLOCK,)
    assert "2 findings fixable with --fix --unsafe-fixes" in warplint("k.cu", *select).out
    assert warplint("k.cu", *select, "--fix").code in (0, 1)
    launch = "void f(float *a) { transpose<3><<<1, dim3(32, 32)>>>(a, a); }\n"
    # What helps one instance of a template can harm another: nothing is offered.
    kernel.write_text(template + launch + launch.replace("f(", "g(").replace("3", "4", 1))
    assert "fixable" not in warplint("k.cu", "--select", "SHM001").out
    kernel.write_text(template + launch, encoding="utf-8")
    assert warplint("k.cu", "--select", "SHM001", "--fix").code == 1
    assert kernel.read_text(encoding="utf-8") == template + launch
    assert warplint("k.cu", "--select", "SHM001", "--fix", "--unsafe-fixes").code == 0
    assert "[32][32 + 1]" in kernel.read_text(encoding="utf-8")
    alone = warplint("k.cu", "--unsafe-fixes")
    assert (alone.code, "--fix or --diff" in alone.err) == (2, True)


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("latin-1", b"")]
)
def test_bytes_around_a_fix_stay(warplint: Run, kernel: Path, encoding: str, mark: bytes) -> None:
    kernel.write_bytes(mark + KERNEL.replace("\n", "\r\n").encode(encoding))
    os.chmod(kernel, 0o640)
    assert warplint("k.cu", *BLOCK, "--fix").code == 0
    assert kernel.read_bytes() == mark + FIXED.replace("\n", "\r\n").encode(encoding)
    assert stat.S_IMODE(kernel.stat().st_mode) == 0o640
    assert [path.name for path in kernel.parent.iterdir()] == ["k.cu"]


def test_read_only_file_is_left(warplint: Run, kernel: Path) -> None:
    os.chmod(kernel, 0o444)
    outcome = warplint("k.cu", *BLOCK, "--fix")
    assert outcome.code == 2
    assert outcome.err.startswith("error: k.cu: not changed: it is read-only\n")
    assert "SHM001" in outcome.out
    assert kernel.read_text(encoding="utf-8") == KERNEL


def test_what_comes_through_a_pipe_goes_on_fixed(warplint: Run, tmp_path: Path) -> None:
    given = ("-", *BLOCK, "--stdin-filename", "src/k.cu")
    outcome = warplint(*given, "--fix", stdin=KERNEL)
    assert (outcome.code, outcome.out) == (0, FIXED)
    assert outcome.err.startswith("No findings.\nfixed 3 findings\n")
    again = warplint(*given, "--fix", "--format", "json", "-o", "report", stdin=FIXED)
    assert (again.code, again.out, again.err) == (0, FIXED, "")
    assert json.loads((tmp_path / "report").read_text(encoding="utf-8"))["findings"] == []
    difference = warplint(*given, "--diff", stdin=KERNEL)
    assert difference.code == 1
    assert difference.out.startswith("--- a/src/k.cu\n+++ b/src/k.cu\n@@ ")
    marked = warplint(*given, "--add-ignore=later", stdin=KERNEL)
    assert "// warplint: ignore[SHM001] later\n" in marked.out
    assert not (tmp_path / "src").exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 3), ("int f();\n", 0), ("__global__ void k(int *a) { a[0] = ; if ( }\n", 3)],
    ids=["nothing", "nothing to fix", "nothing that can be read"],
)
def test_a_pipe_loses_nothing(warplint: Run, text: str, code: int) -> None:
    outcome = warplint("-", "--fix", stdin=text)
    assert (outcome.code, outcome.out) == (code, text)


def test_a_pipe_is_fixed_alone(warplint: Run, kernel: Path) -> None:
    for option in ("--fix", "--add-ignore"):
        outcome = warplint("-", "k.cu", option, stdin=KERNEL)
        assert (outcome.code, outcome.out) == (2, "")
        assert "standard input must be fixed on its own" in outcome.err
    assert kernel.read_text(encoding="utf-8") == KERNEL


def test_unused_suppressions_are_taken_out(warplint: Run, kernel: Path) -> None:
    text = """\
// warplint: ignore-file[MEM001] a report
__global__ void k(float *out) {
    // warplint: ignore-begin[SYN001] never
    // warplint: ignore-next-line[SYN]
    int a = 1;  // kept  warplint: ignore[SHM001]
    int/* warplint: ignore[SHM001] */b = 2; /* warplint: ignore[SHM001] why */
    __shared__ float tile[32][32];
    tile[threadIdx.x][0] = out[0];  // warplint: ignore[SYN001, SHM001, GLB001] once
    // warplint: ignore-end[SYN001]
    out[1] = a + b;
}
"""
    kernel.write_text(text, encoding="utf-8")
    rules = ("--select", "SHM001,SYN,GLB001,SUP")
    outcome = warplint("k.cu", "--fix", "--block", "32", *rules)
    assert outcome.out.startswith("No findings.\nfixed 6 findings\n")
    assert (
        kernel.read_text(encoding="utf-8")
        == """\
// warplint: ignore-file[MEM001] a report
__global__ void k(float *out) {
    int a = 1;  // kept
    int b = 2;
    __shared__ float tile[32][32];
    tile[threadIdx.x][0] = out[0];  // warplint: ignore[SHM001] once
    out[1] = a + b;
}
"""
    )


PLACES = """\
#define STORE(t) tile[t][0] = 1.0f
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    STORE(t);
    tile[t][1] = out[t]; // mine
    tile[t][2] = out[t]; /* goes
    on */ tile[t][3] = out[t];
    tile[t][4] = tile[t][5];  // warplint: ignore[MEM001] first
    tile[t][6] = \\
        out[t];
    if (t < 16) { tile[t][7] = out[t]; __syncthreads(); }
}
"""


def test_suppress_everything(warplint: Run, kernel: Path) -> None:
    kernel.write_text(PLACES, encoding="utf-8")
    (kernel.parent / "p.ptx").write_text(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
        "    .reg .b32 %r<4>;\n    .shared .align 4 .b8 tile[8192];\n    mov.u32 %r1, %tid.x;\n"
        "    shl.b32 %r2, %r1, 7;\n    mov.u32 %r3, tile;\n    add.s32 %r2, %r3, %r2;\n"
        "    st.shared.u32 [%r2], %r1;\n    ret;\n}\n",
        encoding="utf-8",
    )
    settings = (".", "--block", "32", "--select", "SHM001,SYN001,SUP")
    report = json.loads(warplint(*settings, "--format", "json").out)
    found = sum(len(each["places"]) for each in report["findings"])
    assert found >= 9
    outcome = warplint(*settings, "--add-ignore=looked at")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("No findings.\n2 kernels in 2 files")
    assert f"{found} findings suppressed by comments" in outcome.out
    text = kernel.read_text(encoding="utf-8")
    assert "    STORE(t);  // warplint: ignore[SHM001] looked at\n" in text
    assert "out[t]; // mine  // warplint: ignore[SHM001] looked at\n" in text
    assert "ignore[MEM001, SHM001] first\n" in text
    assert warplint(*settings).code == 0
    # The cause goes, and its suppression is reported, and can be taken out.
    kernel.write_text(text.replace("STORE(t);", "STORE(0);"), encoding="utf-8")
    gone = warplint(*settings, "--format", "json")
    assert [(f["rule"], f["line"]) for f in json.loads(gone.out)["findings"]] == [("SUP001", 5)]
    assert warplint(*settings, "--fix").code == 0
    assert "    STORE(0);\n" in kernel.read_text(encoding="utf-8")


def test_options_that_contradict_each_other(warplint: Run, kernel: Path) -> None:
    outcome = warplint("k.cu", "--fix", "--add-ignore")
    assert (outcome.code, "cannot be combined" in outcome.err) == (2, True)
    outcome = warplint("k.cu", "--exit-non-zero-on-fix")
    assert (outcome.code, "no effect on its own" in outcome.err) == (2, True)


RACES = """\
__global__ void sums(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (n > 2)
        out[64 + t] = s[63 - t];
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
    }
    __syncthreads();
    for (int i = 0; i < 4; ++i) {
        out[t] += s[63 - t];
        __syncthreads();
        s[t] = in[t + i];
    }
    if (t == 0)
        out[0] = s[0];
}
"""


def test_barriers_are_put_where_they_are_missing(warplint: Run, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(RACES, encoding="utf-8")
    of_races = ("--block", "64", "--select", "SYN002,SYN003,SYN005,WRP")
    assert sorted(codes(warplint("k.cu", *of_races, "--format", "json"))) == [
        *["SYN002"] * 2,  # one barrier mends two of the three races
        "SYN003",
        "WRP001",
    ]
    assert warplint("k.cu", *of_races, "--fix").code == 1
    assert path.read_text(encoding="utf-8") == RACES  # none of these is safe
    outcome = warplint("k.cu", *of_races, "--fix", "--unsafe-fixes")
    assert (outcome.code, "fixed 5 findings" in outcome.out) == (0, True)
    fixed = path.read_text(encoding="utf-8")
    assert fixed.count("__syncthreads();") == RACES.count("__syncthreads();") + 3
    assert fixed.count("__syncwarp();") == 2  # before the sum, and before it is stored
    assert "{ __syncthreads(); out[64 + t] = s[63 - t]; }" in fixed


HEADER = """\
__global__ void columns(float *out)
{
    __shared__ float tile[64 * 32];
    tile[threadIdx.x * 32 / (blockDim.y / 32 * 31 + 1)] = out[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x * 32 / (blockDim.y / 32 * 31 + 1) + threadIdx.y];
}
"""
LAUNCH = """\
#include "columns.cuh"
void run(float *out) { columns<<<1, dim3(16, 2)>>>(out); }
"""


def test_what_only_the_including_file_shows_is_suppressed(warplint: Run, tmp_path: Path) -> None:
    header = tmp_path / "columns.cuh"
    header.write_text(HEADER, encoding="utf-8")
    (tmp_path / "run.cu").write_text(LAUNCH, encoding="utf-8")
    only = ("--select", "SHM001,SUP")
    assert codes(warplint(".", *only, "--format", "json")) == ["SHM001"]
    # The launch of the including file is known to a header that is checked alone.
    assert codes(warplint("columns.cuh", *only, "--format", "json")) == ["SHM001"]
    (tmp_path / "run.cu").rename(tmp_path / "run.inc")
    assert codes(warplint("columns.cuh", *only, "--format", "json")) == []
    (tmp_path / "run.inc").rename(tmp_path / "run.cu")
    assert warplint(".", *only, "--add-ignore=why").code == 0
    assert header.read_text(encoding="utf-8").count("// warplint: ignore[SHM001] why") == 2
    assert warplint(".", *only).code == 0
    # Alone, the header need not show what its suppressions are for.
    assert codes(warplint("columns.cuh", *only, "--format", "json")) == []
    # With the launch in sight, they are no use when the cause is gone.
    header.write_text(header.read_text(encoding="utf-8").replace("* 32", "* 2"), encoding="utf-8")
    assert codes(warplint("columns.cuh", *only, "--format", "json")) == []
    assert codes(warplint(".", *only, "--format", "json")) == ["SUP001", "SUP001"]
    assert warplint(".", *only, "--fix").code == 0
    assert header.read_text(encoding="utf-8") == HEADER.replace("* 32", "* 2")


def test_a_source_that_another_one_includes(warplint: Run, tmp_path: Path) -> None:
    source = tmp_path / "columns.cu"
    source.write_text(HEADER, encoding="utf-8")
    (tmp_path / "run.cu").write_text(LAUNCH.replace(".cuh", ".cu"), encoding="utf-8")
    only = ("--select", "SHM001,SUP")
    assert warplint(".", *only, "--add-ignore=why").code == 0
    marked = source.read_text(encoding="utf-8")
    assert marked.count("// warplint: ignore[SHM001] why") == 2
    kept = {"WARPLINT_CACHE_DIR": str(tmp_path / "kept")}
    for _ in range(2):  # the second time from what is kept
        assert warplint(".", *only, **kept).code == 0
        assert warplint("columns.cu", *only, **kept).code == 0  # `run.cu` may be using them
    (tmp_path / "run.cu").write_text("void run(float *out) {}\n", encoding="utf-8")
    assert codes(warplint("columns.cu", *only, "--format", "json", **kept)).count("SUP001") == 2
    assert codes(warplint(".", *only, "--format", "json", **kept)).count("SUP001") == 2


def test_a_suppression_that_another_file_uses_is_not_taken_out(
    warplint: Run, tmp_path: Path
) -> None:
    twice = "    out[0] = 1.0f;  // warplint: ignore[SHM001] why\n"
    store = "    tile[threadIdx.x * 32 / (blockDim.y / 32 * 31 + 1)] = out[threadIdx.x];"
    text = HEADER.replace(store, f"{store}  // warplint: ignore[SHM001] why\n{twice}")
    text = text.replace("threadIdx.y];", "threadIdx.y];  // warplint: ignore[SHM001] why")
    (tmp_path / "columns.cu").write_text(text, encoding="utf-8")
    (tmp_path / "run.cu").write_text(LAUNCH.replace(".cuh", ".cu"), encoding="utf-8")
    outcome = warplint(".", "--select", "SHM001,SUP", "--fix")
    assert (outcome.code, "fixed 1 finding\n" in outcome.out) == (0, True)
    fixed = (tmp_path / "columns.cu").read_text(encoding="utf-8")
    assert fixed == text.replace(twice, "    out[0] = 1.0f;\n")


def test_headers_in_a_named_folder_are_marked_too(warplint: Run, tmp_path: Path) -> None:
    for name in ("src", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "src" / "run.cu").write_text(
        '#include "../other/far.h"\nvoid away(float *out) { far<<<1, dim3(16, 2)>>>(out); }\n'
        + LAUNCH.replace(".cuh", ".h"),
        encoding="utf-8",
    )
    header = tmp_path / "src" / "columns.h"
    header.write_text(HEADER, encoding="utf-8")
    (tmp_path / "other" / "far.h").write_text(HEADER.replace("columns", "far"), encoding="utf-8")
    only = ("--select", "SHM001,SUP")
    outcome = warplint("src", *only, "--add-ignore=why", "--format", "json")
    assert outcome.code == 1
    left = {os.path.normpath(item["path"]) for item in json.loads(outcome.out)["findings"]}
    assert left == {os.path.join("other", "far.h")}
    assert header.read_text(encoding="utf-8").count("// warplint: ignore[SHM001] why") == 2
    assert warplint("src/run.cu", "src/columns.h", *only, "--add-ignore=why").code == 1
    assert (tmp_path / "other" / "far.h").read_text(encoding="utf-8").count("ignore") == 0


def test_no_comment_that_goes_on_in_the_next_line(warplint: Run, kernel: Path) -> None:
    outcome = warplint("k.cu", *BLOCK, "--add-ignore=why \\")
    assert (outcome.code, "SHM001" in outcome.out) == (1, True)
    assert "why" not in kernel.read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--fix", "--add-ignore=why"])
def test_a_link_out_of_the_project_is_not_followed(
    warplint: Run, kernel: Path, tmp_path_factory: pytest.TempPathFactory, option: str
) -> None:
    target = tmp_path_factory.mktemp("theirs") / "k.cu"
    target.write_text(KERNEL, encoding="utf-8")
    os.symlink(target, kernel.parent / "link.cu")
    outcome = warplint("link.cu", "k.cu", *BLOCK, option)
    assert outcome.code == 2
    assert f"link.cu: not changed: it is a link to {target}, outside of the project" in outcome.err
    assert target.read_text(encoding="utf-8") == KERNEL
    assert kernel.read_text(encoding="utf-8") != KERNEL
    assert warplint(str(target), *BLOCK, option).code in (0, 1)  # the file itself may be named
    assert target.read_text(encoding="utf-8") != KERNEL


def test_a_file_with_a_name_like_ours_is_left(warplint: Run, kernel: Path) -> None:
    others = [kernel.parent / f"k.cu.{number}.tmp" for number in range(0, 70_000, 997)]
    for other in others:
        other.write_text("mine", encoding="utf-8")
    assert warplint("k.cu", *BLOCK, "--fix").code == 0
    assert {path.read_text(encoding="utf-8") for path in others} == {"mine"}
    assert set(kernel.parent.iterdir()) == {kernel, *others}
