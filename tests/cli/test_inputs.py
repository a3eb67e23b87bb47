"""What a command line can name: folders, lists, the standard input, changed lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from git_command import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

CONFLICT = """\
__global__ void column(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t % 32][0] = out[t];
    __syncthreads();
    out[t] = tile[0][t % 32];
}
"""
PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<4>;
    .shared .align 4 .b8 tile[8192];
    mov.u32 %r1, %tid.x;
    and.b32 %r1, %r1, 31;
    shl.b32 %r2, %r1, 7;
    mov.u32 %r3, tile;
    add.s32 %r2, %r3, %r2;
    st.shared.u32 [%r2], %r1;
    ret;
}
"""


def paths(outcome: Outcome) -> list[str]:
    return [item["path"] for item in json.loads(outcome.out)["inputs"]]


ONLY = ("--select", "SHM001")


def lines(outcome: Outcome) -> list[tuple[str, int]]:
    found = json.loads(outcome.out)["findings"]
    return [(item["path"], item["line"]) for item in found if item["rule"] == "SHM001"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("src/a.cu", "src/b.ptx", "build/c.cu", "third_party/d.cu", "src/gen/e.cu"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PTX if name.endswith("ptx") else CONFLICT, encoding="utf-8")
    return tmp_path


def test_folders_are_walked_as_git_sees_them(warplint: Run, tree: Path) -> None:
    (tree / ".gitignore").write_text("build/\n*.cu\n!a.cu\n", encoding="utf-8")
    (tree / "third_party" / ".gitignore").write_text("!d.cu\n", encoding="utf-8")
    everything = ["build/c.cu", "src/a.cu", "src/b.ptx", "src/gen/e.cu", "third_party/d.cu"]
    assert paths(warplint(".", "--format", "json")) == everything  # not a repository
    git(tree, "init", "-q")
    some = ["src/a.cu", "src/b.ptx", "third_party/d.cu"]
    assert paths(warplint(".", "--format", "json")) == some
    assert paths(warplint(".", "--format", "json", "--no-respect-gitignore")) == everything
    ignored = warplint("build")
    assert (ignored.code, "--no-respect-gitignore" in ignored.err) == (2, True)
    # A file named outright is checked whatever git ignores.
    assert paths(warplint("build/c.cu", "--format", "json")) == ["build/c.cu"]


def test_what_git_tracks_is_not_ignored(warplint: Run, tree: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    (tree / ".gitignore").write_text("*.cu\nbuild/\nthird_party\n", encoding="utf-8")
    (tree / "new.cu").write_text(CONFLICT, encoding="utf-8")  # nobody has added it
    (tree / "build" / "also.ptx").write_text(PTX, encoding="utf-8")
    everything = ["build/c.cu", "src/a.cu", "src/b.ptx", "src/gen/e.cu", "third_party/d.cu"]
    assert sorted(paths(warplint(".", "--format", "json"))) == everything
    assert paths(warplint("third_party", "--format", "json")) == ["third_party/d.cu"]
    rest = warplint(".", "--format", "json", "--exclude", "third_party", "--exclude", "gen/")
    assert sorted(paths(rest)) == ["build/c.cu", "src/a.cu", "src/b.ptx"]
    (tree / "src" / "a.cu").unlink()
    assert "src/a.cu" not in paths(warplint(".", "--format", "json"))


def test_exclude(warplint: Run, tree: Path) -> None:
    excluded = ("--exclude", "third_party/", "--exclude", "gen", "--exclude", "/build")
    assert paths(warplint(".", "--format", "json", *excluded)) == ["src/a.cu", "src/b.ptx"]
    named = ("src/a.cu", "third_party/d.cu", "--format", "json", *excluded)
    assert paths(warplint(*named)) == ["src/a.cu", "third_party/d.cu"]
    forced = warplint(*named, "--force-exclude")
    assert paths(forced) == ["src/a.cu"]
    alone = warplint("third_party/d.cu", "--exclude", "third_party", "--force-exclude")
    assert alone.code == 0
    assert "1 file excluded by `exclude`" in alone.out


def test_the_files_of_a_run_are_listed(warplint: Run, tree: Path) -> None:
    (tree / "src" / "warplint.toml").write_text('ignore = ["SHM"]\n', encoding="utf-8")
    outcome = warplint("src", "build", "nowhere.cu", "--show-files")
    own = "  # src/warplint.toml\n"
    assert outcome.code == 2
    assert outcome.out == f"src/a.cu{own}src/b.ptx{own}src/gen/e.cu{own}build/c.cu\n"
    assert "nowhere.cu" in outcome.err


def test_a_name_in_a_list_that_can_be_none(warplint: Run, tree: Path) -> None:
    (tree / "list.txt").write_bytes(b"src/a.cu\n\0\nsrc/\0.cu\n")
    outcome = warplint("check", "@list.txt", "--isolated")
    assert outcome.code == 2
    assert "@list.txt: line 2 is not the name of a file: it holds a NUL character" in outcome.err
    assert "@list.txt: line 3 is not" in outcome.err
    assert "internal error" not in outcome.err


def test_lists_of_files(warplint: Run, tree: Path) -> None:
    (tree / "files.txt").write_text("src/a.cu\r\n\nsrc/gen\n", encoding="utf-8")
    assert paths(warplint("@files.txt", "--format", "json")) == ["src/a.cu", "src/gen/e.cu"]
    missing = warplint("check", "@none.txt")
    assert missing.code == 2
    assert missing.err.startswith("error: @none.txt: the list of files cannot be read")


def test_standard_input(warplint: Run, tree: Path) -> None:
    (tree / "sub").mkdir()
    (tree / "sub" / "warplint.toml").write_text('select = ["ASM004"]\n', encoding="utf-8")
    shown = warplint("-", "--format", "json", stdin=CONFLICT)
    assert lines(shown) == [("<stdin>", 4)]
    assert lines(warplint("check", "-", "--format", "json", stdin=PTX)) == [("<stdin>", 13)]
    named = ("check", "-", "--format", "json", "--stdin-filename")
    assert lines(warplint(*named, "src/x.cu", stdin=CONFLICT)) == [("src/x.cu", 4)]
    quiet = warplint(*named, "sub/x.cu", stdin=CONFLICT)
    assert (quiet.code, lines(quiet)) == (0, [])
    empty = warplint("-", stdin="")
    assert empty.code == 3
    wrong = warplint("src/a.cu", "--stdin-filename", "x.cu")
    assert wrong.code == 2
    assert "pass `-` as the file" in wrong.err


def test_only_changed_lines(warplint: Run, tree: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "first")
    clean = warplint(".", "--diff-base", "HEAD", *ONLY)
    assert clean.code == 0
    assert "5 files not checked: unchanged, and so is every header that they read" in clean.out
    (tree / "src" / "a.cu").write_text("// new\n" + CONFLICT, encoding="utf-8")
    changed = CONFLICT.replace("tile[t % 32][0]", "tile[t % 32][1]")
    (tree / "build" / "c.cu").write_text(changed, encoding="utf-8")
    odd = 'odd "größe"\t.cu'
    (tree / odd).write_text(CONFLICT, encoding="utf-8")
    run = warplint(".", "--diff-base", "HEAD", "--format", "json")
    assert sorted(lines(run)) == [("build/c.cu", 4), (odd, 4)]
    git(tree, "add", "-A")
    assert lines(warplint(".", "--diff-base", "HEAD", "--format", "json")) == lines(run)
    wrong = warplint(".", "--diff-base", "nowhere")
    assert wrong.code == 2
    assert "--diff-base: no commit, branch or tag `nowhere` here" in wrong.err
    assert warplint(".", "--diff-base=--output=x").code == 2


def test_changed_lines_need_a_repository(warplint: Run, tree: Path) -> None:
    outcome = warplint(".", "--diff-base", "HEAD", GIT_CEILING_DIRECTORIES=str(tree.parent))
    assert outcome.code == 2
    assert "not a git repository" in outcome.err


def test_several_processes_find_what_one_finds(warplint: Run, tree: Path) -> None:
    for number in range(8):
        (tree / "src" / f"n{number}.cu").write_text(CONFLICT, encoding="utf-8")
    (tree / "src" / "broken.cu").write_text("__global__ void k( {", encoding="utf-8")
    one, three = (warplint(".", "-j", n, "--format", "json") for n in ("1", "3"))
    assert one == three
    assert len(lines(one)) == 13


def test_statistics(warplint: Run, tree: Path) -> None:
    (tree / "src" / "two.cu").write_text(
        CONFLICT.replace("__syncthreads()", "if (t < 16) __syncthreads()"), encoding="utf-8"
    )
    some = ("--statistics", "--select", "SHM001,SYN001")
    outcome = warplint("src", *some)
    assert outcome.code == 1
    assert outcome.out.startswith(
        "count  rule    name\n4      SHM001  bank-conflict\n1      SYN001  divergent-barrier\n"
        "Found 5 findings"
    )
    counted = json.loads(warplint("src", *some, "--format", "json").out)["statistics"]
    assert [(row["rule"], row["count"]) for row in counted] == [("SHM001", 4), ("SYN001", 1)]


def test_exit_codes(warplint: Run, tree: Path) -> None:
    assert warplint("src/a.cu", *ONLY).code == 1
    assert warplint("src/a.cu", *ONLY, "--fail-on", "warning").code == 1
    assert warplint("src/a.cu", *ONLY, "--fail-on", "error").code == 0
    assert warplint("src/a.cu", *ONLY, "--exit-zero").code == 0
    (tree / "warplint.toml").write_text('fail-on = "error"\n', encoding="utf-8")
    assert warplint("src/a.cu", *ONLY).code == 0
    assert warplint("src/a.cu", *ONLY, "--fail-on", "note").code == 1


class TestNamesOfFilesAreNothingElse:
    """`warplint *` in the folder of a stranger."""

    @pytest.mark.parametrize("name", ["--exclude=*.cu", "--add-ignore=x.cu", "-Ux", "--fix", "-"])
    def test_options(self, warplint: Run, tree: Path, name: str) -> None:
        (tree / name.replace("/", "")).write_text("", encoding="utf-8")
        kernel = (tree / "src" / "a.cu").read_bytes()
        for given in ([name, "src/a.cu"], ["check", name, "src/a.cu"], ["src/a.cu", name]):
            outcome = warplint(*given)
            assert (outcome.code, outcome.out) == (2, "")
            assert f"`{name}` is an option and the name of a file here" in outcome.err
        assert (tree / "src" / "a.cu").read_bytes() == kernel

    def test_after_two_dashes_they_are_files(self, warplint: Run, tree: Path) -> None:
        (tree / "--exclude=*.cu").write_text(CONFLICT, encoding="utf-8")
        outcome = warplint("check", *ONLY, "--format", "json", "--", "--exclude=*.cu", "src/a.cu")
        assert lines(outcome) == [("--exclude=*.cu", 4), ("src/a.cu", 4)]
        other = warplint("./--exclude=*.cu", *ONLY, "--format", "json")
        assert lines(other) == [("./--exclude=*.cu", 4)]

    def test_a_link_that_leads_nowhere_is_a_name_too(self, warplint: Run, tree: Path) -> None:
        (tree / "--fix").symlink_to("nowhere")
        assert warplint("--fix", "src/a.cu").code == 2

    def test_commands(self, warplint: Run, tree: Path) -> None:
        (tree / "baseline").write_text("", encoding="utf-8")
        outcome = warplint("baseline", "src/a.cu")
        assert (outcome.code, "is a command and the name of a file" in outcome.err) == (2, True)
        assert not (tree / "warplint-baseline.json").exists()
        (tree / "rules").mkdir()  # many a project has such a folder
        assert warplint("rules").code == 0

    def test_lists(self, warplint: Run, tree: Path) -> None:
        (tree / "@x.cu").write_text(CONFLICT, encoding="utf-8")
        (tree / "x.cu").write_text("src/b.ptx\n", encoding="utf-8")
        outcome = warplint("--", "@x.cu")
        assert (outcome.code, "it could mean the list `x.cu`" in outcome.err) == (2, True)
        assert lines(warplint("./@x.cu", *ONLY, "--format", "json")) == [("./@x.cu", 4)]


def test_kernels_in_python_are_read_on_request(warplint: Run, tmp_path: Path) -> None:
    body = CONFLICT.replace("\n", " ")
    (tmp_path / "a.py").write_text(f"import cupy\nk = cupy.RawKernel(r'{body}', 'k')\n")
    (tmp_path / "b.py").write_text("import cupy\n")
    assert "--python" in warplint("a.py").err
    assert warplint(".").code == 2
    found = warplint(".", "--python", "--format", "json")
    report = json.loads(found.out)
    assert [each["path"] for each in report["inputs"]] == ["a.py"]
    assert ("SHM001", 2) in {(each["rule"], each["line"]) for each in report["findings"]}
    refused = warplint("a.py", "--python", "--fix")
    assert refused.code == 2
    assert "cannot be changed" in refused.err
