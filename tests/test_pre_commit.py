"""The hooks under the real pre-commit: a local clone, staged files, commits made and refused.

pre-commit would install warplint from the network; the configuration says `language: system`
instead, so that the hook's own entry runs the installed command.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from source_tree import ROOT

pytest.importorskip("pre_commit", reason="pip install 'warplint[test]'")

BAD = """\
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = out[0];
    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void f(float *a) { k<<<1, dim3(32, 32)>>>(a); }
"""
GOOD = BAD.replace("[32][32]", "[32][32 + 1]")
BAD_PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    setp.gt.s32 %p1, %r1, 15;
    @%p1 bra $L1;
    bar.sync 0;
    mov.u32 %r2, 1;
$L1:
    bar.sync 1;
    ret;
}
"""


class Project:
    """A repository with the hooks installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        scripts = str(Path(sys.executable).parent)
        self.environment = {
            **os.environ,
            "PATH": scripts + os.pathsep + os.environ["PATH"],
            "PRE_COMMIT_HOME": str(folder / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "t",
            "GIT_AUTHOR_EMAIL": "t@example.com",
            "GIT_COMMITTER_NAME": "t",
            "GIT_COMMITTER_EMAIL": "t@example.com",
        }
        self.work = folder / "work"
        hooks = folder / "hooks"
        hooks.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "hooks")):
            self.run("git", *command, folder=hooks)
        self.work.mkdir()
        self.run("git", "init", "-q")
        self.revision = self.run("git", "rev-parse", "HEAD", folder=hooks).stdout.strip()

    def run(
        self, *command: str, folder: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder or self.work,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=check,
        )

    def use(self, hook: str, arguments: str = "--select, 'SHM001,SYN001'") -> None:
        (self.work / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: {self.folder / 'hooks'}\n  rev: {self.revision}\n"
            f"  hooks:\n  - id: {hook}\n    language: system\n"
            + (f"    args: [{arguments}]\n" if arguments else ""),
            encoding="utf-8",
        )
        self.run("pre-commit", "install")

    def commit(self, **files: str) -> subprocess.CompletedProcess[str]:
        for name, text in files.items():
            (self.work / name.replace("_", ".")).write_text(text, encoding="utf-8")
        self.run("git", "add", "-A")
        return self.run("git", "commit", "-qm", "change", check=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_bad_commits_are_blocked_and_good_ones_are_not(project: Project) -> None:
    project.use("warplint")
    blocked = project.commit(k_cu=BAD, k_ptx=BAD_PTX)
    assert blocked.returncode == 1
    assert "SHM001" in blocked.stdout
    assert "k.ptx:11:5" in blocked.stdout
    project.run("git", "rm", "-qf", "--cached", "k.ptx")
    (project.work / "k.ptx").unlink()
    assert project.commit(k_cu=GOOD).returncode == 0
    # What the configuration excludes is left out although pre-commit names it.
    excluded = project.commit(warplint_toml='exclude = ["g.cu"]\n', g_cu=BAD)
    assert excluded.returncode == 0, excluded.stdout
    # Files of other kinds are none of its business.
    assert "(no files to check)" in project.commit(notes_txt="x").stdout


def test_fixes_are_made_and_shown_to_the_committer(project: Project) -> None:
    project.use("warplint-fix")
    changed = project.commit(k_cu=BAD)
    assert changed.returncode == 1
    assert "files were modified by this hook" in changed.stdout
    assert (project.work / "k.cu").read_text(encoding="utf-8") == GOOD
    assert project.commit().returncode == 0


def test_names_of_files_are_no_options(project: Project) -> None:
    project.use("warplint", arguments="")
    (project.work / "--exclude=*.cu").write_text(GOOD, encoding="utf-8")
    blocked = project.commit(k_cu=BAD)
    assert blocked.returncode == 1
    assert "SHM001" in blocked.stdout
    project.use("warplint")  # with arguments that do not end with `--`
    refused = project.commit(k_cu=BAD)
    assert refused.returncode == 1
    assert "is an option and the name of a file" in refused.stdout
