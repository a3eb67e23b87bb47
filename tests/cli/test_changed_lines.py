"""`--diff-base` and `--staged`: what changed is found whatever the repository holds.

The folder of a run may come from a stranger: nothing in it is run, and nothing in it decides what
is new.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from git_command import git

from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.engine.changes import changes_since

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

CLEAN = "__global__ void a(float *x)\n{\n    x[0] = 1;\n}\n"
CONFLICT = """\
__global__ void column(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t % 32][0] = out[t];
    __syncthreads();
    out[t] = tile[0][t % 32];
}
"""
TRANSPOSE = """\
__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y];
}
"""
OTHER = CONFLICT.replace("column", "row")
ONLY = ("--select", "SHM001", "--format", "json")


def commit(folder: Path, **files: str | bytes) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-qm", "more")


def found(outcome: Outcome, codes: tuple[int, ...] = (0, 1)) -> list[tuple[str, int]]:
    assert outcome.code in codes, outcome.err
    return [(item["path"], item["line"]) for item in json.loads(outcome.out)["findings"]]


def checked(outcome: Outcome) -> tuple[list[str], int]:
    """The files that were checked, and how many were not."""
    assert outcome.code in (0, 1), outcome.err
    report = json.loads(outcome.out)
    return [item["path"] for item in report["inputs"]], report["summary"]["untouched"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, k_cu=CLEAN)
    git(tmp_path, "checkout", "-q", "-b", "pr")
    return tmp_path


@pytest.mark.parametrize("attribute", ["binary", "-diff", "-text", "diff=x", "filter=x", "merge=x"])
def test_attributes_hide_nothing(warplint: Run, repository: Path, attribute: str) -> None:
    (repository / ".gitattributes").write_text(f"*.cu {attribute}\n", encoding="utf-8")
    commit(repository, k_cu=CLEAN + CONFLICT)
    since = (".", "--diff-base", "main", *ONLY)
    assert found(warplint(*since)) == [("k.cu", 8)]
    identity = git(repository, "rev-parse", "main:k.cu")
    (repository / ".git" / "objects" / identity[:2] / identity[2:]).unlink()
    assert found(warplint(*since)) == [("k.cu", 8)]  # what it was is not known: new as a whole


CONFLICTS = CLEAN + CONFLICT.replace("tile[t % 32][0] = out[t];", "tile[t % 32][0] = 0; // größe")


@pytest.mark.parametrize(
    "data",
    [
        (CONFLICTS + "// " + "x" * 2000 + "\0\n").encode(),
        b"\xff\xfe" + CONFLICTS.encode("utf-16-le"),
        b"\xef\xbb\xbf" + CONFLICTS.replace("\n", "\r\n").encode(),
        CONFLICTS.replace("\n", "\r").encode(),
        CONFLICTS.encode("latin-1"),
    ],
    ids=["NUL", "UTF-16", "CR LF", "CR", "Latin-1"],
)
def test_no_encoding_hides_a_line_or_makes_others_new(
    warplint: Run, repository: Path, data: bytes
) -> None:
    # Lines that end in CR alone are a problem of their own.
    codes = (0, 1) if b"\n" in data else (3,)
    (repository / "k.cu").write_bytes(data)
    assert found(warplint(".", "--diff-base", "main", *ONLY), codes) == [("k.cu", 8)]
    commit(repository, k_cu=CONFLICTS)
    (repository / "k.cu").write_bytes(data)
    assert found(warplint(".", "--diff-base", "pr", *ONLY), codes) == []
    commit(repository, k_cu=data)
    (repository / "k.cu").write_text(CONFLICTS, encoding="utf-8")
    assert found(warplint(".", "--diff-base", "pr", *ONLY)) == []


def test_a_file_that_was_no_text_is_new_as_a_whole(warplint: Run, repository: Path) -> None:
    commit(repository, k_cu=b"\0\1" * 100)
    (repository / "k.cu").write_text(CONFLICT, encoding="utf-8")
    assert found(warplint(".", "--diff-base", "pr", *ONLY)) == [("k.cu", 4)]


def test_others_changes_are_not_those_of_the_branch(warplint: Run, repository: Path) -> None:
    commit(repository, k_cu=CLEAN, other_cu=CONFLICT)
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "pr")
    git(repository, "checkout", "-q", "-b", "mine")
    commit(repository, mine_cu=CONFLICT)
    git(repository, "checkout", "-q", "main")
    commit(repository, other_cu=CLEAN)  # main fixes what the branch still has
    git(repository, "checkout", "-q", "mine")
    assert found(warplint(".", "--diff-base", "main", *ONLY)) == [("mine.cu", 4)]


def test_a_shallow_clone_is_told_how_to_be_whole(
    warplint: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    origin = tmp_path_factory.mktemp("origin")
    git(origin, "init", "-q", "-b", "main")
    commit(origin, k_cu=CLEAN)
    git(origin, "checkout", "-q", "-b", "pr")
    commit(origin, k_cu=CONFLICT)
    depth = ("--depth", "1", "--no-single-branch")
    git(tmp_path, "clone", "-q", *depth, "-b", "pr", f"file://{origin}", ".")
    for name in ("origin/main", "v1.0"):
        outcome = warplint(".", "--diff-base", name)
        assert outcome.code == 2
        assert "shallow" in outcome.err
        assert "`fetch-depth: 0`" in outcome.err
    git(tmp_path, "fetch", "-q", "--unshallow")
    assert found(warplint(".", "--diff-base", "origin/main", *ONLY)) == [("k.cu", 4)]


def test_histories_without_a_common_commit(warplint: Run, repository: Path) -> None:
    git(repository, "checkout", "-q", "--orphan", "alone")
    commit(repository, k_cu=CONFLICT)
    outcome = warplint(".", "--diff-base", "main")
    assert (outcome.code, "no commit in common" in outcome.err) == (2, True)


LAUNCH = "void run(float *x) { column<<<1, 32>>>(x); }\n"


def test_a_changed_header_counts_where_it_is_included(warplint: Run, repository: Path) -> None:
    commit(repository, k_cu='#include "part.cuh"\n' + LAUNCH, part_cuh=CLEAN)
    git(repository, "branch", "-f", "main")
    (repository / "part.cuh").write_text(CONFLICT, encoding="utf-8")
    assert found(warplint("k.cu", "--diff-base", "main", *ONLY)) == [("part.cuh", 4)]
    git(repository, "add", "-A")
    assert found(warplint("k.cu", "--staged", *ONLY)) == [("part.cuh", 4)]


def test_headers_of_others_are_not_new(
    warplint: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    theirs = tmp_path_factory.mktemp("theirs")
    (theirs / "theirs.cuh").write_text(CONFLICT, encoding="utf-8")
    (repository / "build").mkdir()
    (repository / "build" / "made.cuh").write_text(OTHER, encoding="utf-8")
    includes = f'#include "{theirs}/theirs.cuh"\n#include "build/made.cuh"\n'
    commit(repository, k_cu=includes + LAUNCH + LAUNCH.replace("column", "row").replace("run", "r"))
    assert len(found(warplint("k.cu", *ONLY))) == 2
    new = ("k.cu", "--diff-base", "main", *ONLY)
    assert found(warplint(*new)) == [("build/made.cuh", 4)]
    git(repository, "rm", "-q", "--cached", "build/made.cuh")
    assert found(warplint(*new)) == [("build/made.cuh", 4)]  # git would take it
    (repository / ".gitignore").write_text("build/\n", encoding="utf-8")
    assert found(warplint(*new)) == []
    assert found(warplint(str(theirs / "theirs.cuh"), *new)) == [(str(theirs / "theirs.cuh"), 4)]


def test_a_finding_is_of_the_change_when_one_of_its_places_is(
    warplint: Run, repository: Path
) -> None:
    other = CONFLICT.replace("out[t] = tile", "out[t] += 1.0f;\n    out[t] = tile")
    commit(repository, k_cu=other.replace("[32][32]", "[32][33]"))
    new = (".", "--diff-base", "HEAD", *ONLY)
    (repository / "k.cu").write_text(other, encoding="utf-8")
    assert found(warplint(*new)) == [("k.cu", 4)]  # whose own line is as it was
    commit(repository)
    (repository / "k.cu").write_text(other.replace("+= 1", "+= 2"), encoding="utf-8")
    assert found(warplint(*new)) == []


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_git_that_waits_is_not_waited_for(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(repository / "pipe")
    with open(repository / ".git" / "config", "a", encoding="utf-8") as file:
        file.write("[include]\n\tpath = ../pipe\n")
    monkeypatch.chdir(repository)
    monkeypatch.setattr("warplint.analyzer.engine.git.repository._PATIENCE", 0.2)
    with pytest.raises(UsageError, match="git did not answer within"):
        changes_since("main")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs", "info/exclude", "commondir"])
def test_no_pipe_or_device_is_read_by_git(warplint: Run, repository: Path, name: str) -> None:
    path = repository / ".git" / name
    for option in (("--diff-base", "main"), ("--staged",)):
        path.unlink(missing_ok=True)
        if option == ("--staged",):
            path.symlink_to("/dev/zero")
        else:
            os.mkfifo(path)
        outcome = warplint(".", *option)
        assert outcome.code == 2
        assert f"{path}` is a pipe or device: git would read it for ever" in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_what_work_trees_share_holds_no_pipe(
    warplint: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "worktree", "add", "-q", "tree", "-b", "more")
    os.mkfifo(repository / ".git" / "packed-refs")
    monkeypatch.chdir(repository / "tree")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository))
    outcome = warplint(".", "--diff-base", "main")
    assert (outcome.code, "packed-refs` is a pipe" in outcome.err) == (2, True)


@pytest.mark.parametrize("name", ["", "HEAD", "main"])
def test_a_repository_without_commits_says_so(warplint: Run, tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "k.cu").write_text(CLEAN, encoding="utf-8")
    outcome = warplint(".", "--diff-base", name)
    assert outcome.code == 2
    said = "the current branch has no commit" if name else "the name is empty"
    assert said in outcome.err


class TestStaged:
    """What the next commit would change."""

    def test_only_what_is_staged(self, warplint: Run, repository: Path) -> None:
        commit(repository, k_cu=CONFLICT)
        (repository / "k.cu").write_text(OTHER + CONFLICT, encoding="utf-8")
        assert found(warplint(".", "--staged", *ONLY)) == []
        git(repository, "add", "k.cu")
        assert found(warplint(".", "--staged", *ONLY)) == [("k.cu", 4)]
        third = CONFLICT.replace("column", "third")
        (repository / "k.cu").write_text(third + OTHER + CONFLICT, encoding="utf-8")
        assert found(warplint(".", "--staged", *ONLY)) == [("k.cu", 4)]  # of the staged text
        (repository / "new.cu").write_text(CONFLICT, encoding="utf-8")
        assert found(warplint("new.cu", "--staged", *ONLY)) == []
        git(repository, "add", "new.cu")
        assert found(warplint("new.cu", "--staged", *ONLY)) == [("new.cu", 4)]

    def test_before_the_first_commit(self, warplint: Run, tmp_path: Path) -> None:
        git(tmp_path, "init", "-q")
        (tmp_path / "k.cu").write_text(CONFLICT, encoding="utf-8")
        assert found(warplint(".", "--staged", *ONLY)) == []
        git(tmp_path, "add", "-A")
        assert found(warplint(".", "--staged", *ONLY)) == [("k.cu", 4)]

    def test_the_index_of_a_partial_commit(self, warplint: Run, repository: Path) -> None:
        (repository / "k.cu").write_text(CONFLICT, encoding="utf-8")
        other = {"GIT_INDEX_FILE": str(repository / "index")}
        git(repository, "add", "-A", **other)
        assert found(warplint(".", "--staged", *ONLY)) == []
        assert found(warplint(".", "--staged", *ONLY, **other)) == [("k.cu", 4)]

    def test_the_index_counts_and_not_the_folder(self, warplint: Run, repository: Path) -> None:
        (repository / "k.cu").write_text(CONFLICT, encoding="utf-8")
        git(repository, "add", "k.cu")
        (repository / "k.cu").write_text(CLEAN, encoding="utf-8")
        assert found(warplint(".", "--staged", *ONLY)) == [("k.cu", 4)]
        assert found(warplint(".", *ONLY)) == []
        git(repository, "add", "k.cu")
        (repository / "k.cu").write_text(CONFLICT, encoding="utf-8")
        assert found(warplint(".", "--staged", *ONLY)) == []

    def test_headers_are_those_of_the_index(self, warplint: Run, repository: Path) -> None:
        kernel = '#include "w.h"\n' + CONFLICT.replace("[32][32]", "[32][W]")
        many = {f"k{number}.cu": kernel.replace("column", f"k{number}") for number in range(9)}
        for name, text in (many | {"w.h": "#define W 32\n"}).items():
            (repository / name).write_text(text, encoding="utf-8")
        git(repository, "add", "-A")
        (repository / "w.h").write_text("#define W 33\n", encoding="utf-8")
        staged = [(name, 5) for name in sorted(many)]
        for jobs in ("1", "3"):
            assert found(warplint(".", "--staged", "--jobs", jobs, *ONLY)) == staged
            assert found(warplint(".", "--jobs", jobs, *ONLY)) == []

    def test_what_is_not_staged_is_not_overwritten(self, warplint: Run, repository: Path) -> None:
        path = repository / "k.cu"
        path.write_text(TRANSPOSE, encoding="utf-8")
        git(repository, "add", "k.cu")
        path.write_text(OTHER + TRANSPOSE, encoding="utf-8")
        outcome = warplint(".", "--staged", "--add-ignore=why", *ONLY, "--block", "32,32")
        assert outcome.code == 2
        assert "k.cu: not changed: its bytes are not those of the text" in outcome.err
        assert path.read_text(encoding="utf-8") == OTHER + TRANSPOSE
        warplint(".", "--staged", "--fix", "--unsafe-fixes", *ONLY, "--block", "32,32")
        assert path.read_text(encoding="utf-8").startswith(OTHER)

    def test_not_together_with_a_commit(self, warplint: Run, repository: Path) -> None:
        outcome = warplint(".", "--staged", "--diff-base", "main")
        assert (outcome.code, "cannot be combined" in outcome.err) == (2, True)


EVIL = """\
[core]
    repositoryformatversion = 0
    bare = false
    worktree = "."
    fsmonitor = "touch {0}/ran-fsmonitor; false"
    hooksPath = "{0}/hooks"
    sshCommand = "touch {0}/ran-ssh; false"
    pager = "touch {0}/ran-pager; cat"
    attributesFile = "{0}/attributes"
    alternateRefsCommand = "touch {0}/ran-alternate"
[diff]
    external = "touch {0}/ran-external; false"
[diff "x"]
    textconv = "touch {0}/ran-textconv; cat"
    command = "touch {0}/ran-command; false"
[filter "x"]
    clean = "touch {0}/ran-clean; cat"
    smudge = "touch {0}/ran-smudge; cat"
    process = "touch {0}/ran-process; false"
    required = true
[remote "origin"]
    url = "ssh://nowhere/x"
    promisor = true
    partialclonefilter = "blob:none"
    uploadpack = "touch {0}/ran-uploadpack; false"
[extensions]
    partialClone = origin
[credential]
    helper = "!touch {0}/ran-credential"
[gpg]
    program = "{0}/hooks/post-index-change"
"""
HOOKS = (
    "post-index-change",
    "post-checkout",
    "pre-auto-gc",
    "fsmonitor-watchman",
    "reference-transaction",
)


def ran(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("ran-*"))


def arm(folder: Path, git_folder: Path) -> None:
    """Everything that git's configuration can run leaves a file behind."""
    with (git_folder / "config").open("a") as file:
        file.write(EVIL.format(folder))
    (folder / "attributes").write_text("* filter=x diff=x\n", encoding="utf-8")
    (folder / "hooks").mkdir()
    for name in HOOKS:
        hook = folder / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {folder}/ran-{name}\n", encoding="utf-8")
        hook.chmod(0o755)


def test_a_bare_repository_among_the_files_is_not_asked(warplint: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    git(tmp_path, "init", "-q", "-b", "main", "evil-work")
    commit(tmp_path / "evil-work", k_cu=CONFLICT, _gitattributes="k.cu filter=x diff=x\n")
    git(tmp_path / "evil-work", "update-ref", "refs/heads/main", "HEAD")
    arm(outside, tmp_path / "evil-work" / ".git")
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("outside/\nevil-work/\n", encoding="utf-8")
    commit(tmp_path, k_cu=CLEAN)
    shutil.copytree(tmp_path / "evil-work" / ".git", tmp_path / "evil")
    shutil.copy(tmp_path / "evil-work" / "k.cu", tmp_path / "evil" / "k.cu")
    shutil.copy(tmp_path / "evil-work" / ".gitattributes", tmp_path / "evil" / ".gitattributes")
    (tmp_path / "evil" / "k.cu").write_text(CONFLICT + "// changed\n", encoding="utf-8")
    shutil.rmtree(tmp_path / "evil-work")
    git(tmp_path, "checkout", "-q", "-b", "pr")
    commit(tmp_path)
    assert found(warplint(".", "--diff-base", "main", *ONLY)) == [("evil/k.cu", 4)]
    assert found(warplint("evil", "--diff-base", "main", *ONLY)) == [("evil/k.cu", 4)]
    assert found(warplint("evil", "--staged", *ONLY)) == []
    assert ran(outside) == []


def test_the_configuration_of_the_repository_runs_nothing(warplint: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("outside/\n", encoding="utf-8")
    commit(tmp_path, k_cu=CLEAN, _gitattributes="*.cu filter=x diff=x\n")
    (tmp_path / "k.cu").write_text(CONFLICT, encoding="utf-8")
    arm(outside, tmp_path / ".git")
    assert found(warplint(".", "--diff-base", "HEAD", *ONLY)) == [("k.cu", 4)]
    assert found(warplint(".", "--staged", *ONLY)) == []
    assert warplint(".", "--diff-base", "origin/main").code == 2
    assert ran(outside) == []


def test_a_missing_object_is_not_fetched(warplint: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("outside/\n", encoding="utf-8")
    commit(tmp_path, k_cu=CONFLICT)
    identity = git(tmp_path, "rev-parse", "HEAD:k.cu")
    (tmp_path / ".git" / "objects" / identity[:2] / identity[2:]).unlink()
    arm(outside, tmp_path / ".git")
    # Its name says that it is there.
    assert found(warplint(".", "--diff-base", "HEAD", *ONLY)) == []
    (tmp_path / "k.cu").write_text("\n" + CONFLICT, encoding="utf-8")
    # What it was is not known: all of it counts as new.
    assert found(warplint(".", "--diff-base", "HEAD", *ONLY)) == [("k.cu", 5)]
    assert ran(outside) == []


def test_variables_of_git_are_not_handed_on(warplint: Run, repository: Path) -> None:
    commit(repository, k_cu=CONFLICT)
    elsewhere = repository / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q")
    outcome = warplint(
        "k.cu", "--diff-base", "main", *ONLY,
        GIT_DIR=str(elsewhere / ".git"),
        GIT_WORK_TREE=str(elsewhere),
        GIT_EXTERNAL_DIFF=f"touch {repository}/ran-external",
        GIT_OBJECT_DIRECTORY=str(elsewhere),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.fsmonitor",
        GIT_CONFIG_VALUE_0=f"touch {repository}/ran-fsmonitor",
    )  # fmt: skip
    assert found(outcome) == [("k.cu", 4)]
    assert ran(repository) == []


def test_replaced_objects_hide_nothing(warplint: Run, repository: Path) -> None:
    commit(repository, k_cu=CONFLICT)
    old, new = git(repository, "rev-parse", "main:k.cu"), git(repository, "rev-parse", "pr:k.cu")
    git(repository, "replace", old, new)
    assert found(warplint(".", "--diff-base", "main", *ONLY)) == [("k.cu", 4)]


def test_no_git_of_the_current_folder(warplint: Run, repository: Path) -> None:
    for folder in (repository, repository / "bin"):
        folder.mkdir(exist_ok=True)
        program = folder / "git"
        program.write_text(f"#!/bin/sh\ntouch {repository}/ran-git\n", encoding="utf-8")
        program.chmod(0o755)
    path = os.pathsep.join(["", ".", "bin", os.environ["PATH"]])
    commit(repository, k_cu=CONFLICT)
    assert found(warplint(".", "--diff-base", "main", *ONLY, PATH=path)) == [("k.cu", 4)]
    assert ran(repository) == []


class TestInnerRepositories:
    """An inner repository never decides what changed."""

    def test_one_that_nobody_knows(self, warplint: Run, repository: Path) -> None:
        inner = repository / "inner"
        inner.mkdir()
        git(inner, "init", "-q", "-b", "main")
        commit(inner, k_cu=CONFLICT)
        assert found(warplint("inner", "--diff-base", "main", *ONLY)) == [("inner/k.cu", 4)]

    def test_a_submodule_counts_where_its_commit_changed(
        self, warplint: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        theirs = tmp_path_factory.mktemp("theirs")
        git(theirs, "init", "-q", "-b", "main")
        commit(theirs, k_cu=CLEAN)
        git(repository, "submodule", "--quiet", "add", str(theirs), "sub")
        commit(repository)
        git(repository, "branch", "-f", "main")
        commit(repository / "sub", k_cu=CONFLICT)
        commit(repository)
        assert found(warplint(".", "--diff-base", "main", *ONLY)) == [("sub/k.cu", 4)]
        git(repository, "branch", "-f", "main")
        (repository / "k.cu").write_text(OTHER, encoding="utf-8")
        assert found(warplint(".", "--diff-base", "main", *ONLY)) == [("k.cu", 4)]


@pytest.mark.parametrize("folder", [False, True], ids=["a file", "a folder"])
def test_a_link_to_what_was_there_is_new(warplint: Run, repository: Path, folder: bool) -> None:
    commit(repository, docs__notes_cu=CONFLICT, src__k_cu=CLEAN)
    git(repository, "branch", "-f", "main")
    if folder:
        shutil.rmtree(repository / "src")
        os.symlink("docs", repository / "src")
        name = "src/notes.cu"
    else:
        (repository / "src" / "k.cu").unlink()
        os.symlink("../docs/notes.cu", repository / "src" / "k.cu")
        name = "src/k.cu"
    commit(repository)
    assert found(warplint(name, "--diff-base", "main", *ONLY)) == [(name, 4)]
    git(repository, "branch", "-f", "main")
    assert found(warplint(name, "--diff-base", "main", *ONLY)) == []


def test_a_reference_outside_of_all_branches_does_not_decide(
    warplint: Run, repository: Path
) -> None:
    commit(repository, k_cu=CONFLICT)
    git(repository, "update-ref", "refs/main", "HEAD")  # git's first choice for `main`
    outcome = warplint(".", "--diff-base", "main")
    assert outcome.code == 2
    assert "is ambiguous: `refs/main`, `refs/heads/main`" in outcome.err


def test_a_tag_named_like_a_branch_does_not_decide(warplint: Run, repository: Path) -> None:
    commit(repository, k_cu=CONFLICT)
    git(repository, "tag", "main", "HEAD")  # what git would take for `main`
    outcome = warplint(".", "--diff-base", "main")
    assert outcome.code == 2
    assert "is ambiguous: `refs/heads/main`, `refs/tags/main`" in outcome.err
    assert found(warplint(".", "--diff-base", "refs/heads/main", *ONLY)) == [("k.cu", 4)]
    git(repository, "tag", "-d", "main")
    git(repository, "tag", "main", "main")  # several names of one commit
    assert found(warplint(".", "--diff-base", "main", *ONLY)) == [("k.cu", 4)]


HEADER = "#pragma once\ntemplate <int N>\n" + CONFLICT.replace("32][32", "N][N")
USES = '#include "h.cuh"\nvoid run(float *p) { column<32><<<1, 64>>>(p); }\n'


@pytest.mark.parametrize("cached", [(), ("--no-cache",)])
def test_files_that_no_changed_line_can_touch_are_not_checked(
    warplint: Run, repository: Path, cached: tuple[str, ...]
) -> None:
    commit(repository, a_cu=CONFLICT, b_cu=USES, h_cuh="#pragma once\n#include \"i.cuh\"\n",
           i_cuh=HEADER)  # fmt: skip
    git(repository, "checkout", "-q", "-b", "next")
    commit(repository, i_cuh=HEADER.replace("int t", "int s = 0;\n    int t"))
    for _ in range(2):
        outcome = warplint("a.cu", "b.cu", "k.cu", "--diff-base", "pr", *ONLY, *cached)
        assert checked(outcome) == (["b.cu"], 2)
        everything = warplint("a.cu", "b.cu", "k.cu", "--diff-base", "main", *ONLY, *cached)
        assert checked(everything) == (["a.cu", "b.cu"], 1)
    (repository / "i.cuh").write_text(HEADER)
    assert checked(warplint("a.cu", "b.cu", "--diff-base", "pr", *ONLY, *cached)) == ([], 2)


def test_nothing_staged_is_nothing_to_check(warplint: Run, repository: Path) -> None:
    commit(repository, a_cu=CONFLICT, b_cu=USES, h_cuh=HEADER)
    assert checked(warplint(".", "--staged", *ONLY)) == ([], 4)
    (repository / "h.cuh").write_text("// more\n" + HEADER)
    assert checked(warplint(".", "--staged", *ONLY)) == ([], 4)
    git(repository, "add", "h.cuh")
    assert checked(warplint(".", "--staged", *ONLY)) == (["b.cu", "h.cuh"], 2)


def test_a_launch_that_changed_touches_its_kernel_in_another_file(
    warplint: Run, repository: Path
) -> None:
    launch = "__global__ void column(float *out);\nvoid run(float *p) { column<<<1, 64>>>(p); }\n"
    commit(repository, a_cu=CONFLICT, b_cu=launch)
    (repository / "b.cu").write_text(launch.replace("64", "32"))
    outcome = warplint("a.cu", "b.cu", "k.cu", "--diff-base", "pr", *ONLY)
    assert checked(outcome) == (["a.cu", "b.cu"], 1)


def test_a_header_that_is_checked_takes_those_along_that_include_it(
    warplint: Run, repository: Path
) -> None:
    shared = '#pragma once\n#ifndef QUIET\n#include "x.cuh"\n#endif\n' + HEADER
    commit(repository, b_cu=f"#define QUIET\n{USES}", h_cuh=shared, x_cuh="#pragma once\n")
    (repository / "x.cuh").write_text("#pragma once\nconst int x = 1;\n")
    options = ("--diff-base", "pr", *ONLY)
    assert checked(warplint("b.cu", "x.cuh", *options)) == (["x.cuh"], 1)
    everything = checked(warplint("b.cu", "h.cuh", "x.cuh", *options))
    assert everything == (["b.cu", "h.cuh", "x.cuh"], 0)


def test_a_baseline_is_compared_with_everything(warplint: Run, repository: Path) -> None:
    commit(repository, a_cu=CONFLICT)
    warplint("a.cu", "--select", "SHM001", "--baseline", "known.json", "--update-baseline")
    known = ("--baseline", "known.json", "--diff-base", "HEAD", *ONLY)
    assert checked(warplint("a.cu", *known)) == (["a.cu"], 0)
