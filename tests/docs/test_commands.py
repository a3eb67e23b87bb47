"""Every command of the documents works as printed, or the table below says why it is not run.

The commands are those of code blocks and of code in the text. They run in a small repository that
holds the files that they name; words in capitals are filled in.
"""

from __future__ import annotations

import glob
import io
import json
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from documents import marked_blocks
from source_tree import ROOT

from warplint.analyzer.cli.main import main
from warplint.rules.plugins import FOLDERS

if TYPE_CHECKING:
    from pathlib import Path

#: Commands that are not run here, by how they begin, and why.
NOT_RUN = {
    "warplint server": "speaks with an editor until it ends: tests/server",
    "warplint check --watch": "runs until it is stopped: tests/cli/test_watch.py",
    "compute-sanitizer": "needs a GPU",
    "ncu": "needs a GPU",
    "warplint check --sanitizer races.txt --ncu run.ncu-rep": "needs ncu: tests/measurements",
    "warplint check ~/.triton/": "needs a cache of Triton: tests/ptx/test_triton.py",
    "warplint check --remote-cache s3:": "needs an object store: tests/engine",
    "python3 -m venv": ".ci/run runs it",
    ".venv/bin/": ".ci/run runs it",
    "python docs/generate.py": "tests/test_docs.py compares what it writes",
    "python bench/": "measures; tests/bench",
    "docker run": "needs a release, and docker",
    "pip install": "needs a release, or an index of packages",
    "mkdocs build": ".ci/run runs it",
    "warplint fleet repositories.txt --out fleet/ --cluster tcp": "needs a scheduler",
    "warplint rule ACM001": "needs the package: tests/rules/test_plugins.py",
    "npm": "builds the extension: editors/vscode/test",
    "code --install-extension": "needs VS Code",
}
#: Commands that texts speak of without a word of what they are about.
NAMED = {
    "warplint check", "warplint check --cluster", "warplint check --show-possible",
    "warplint config ...", "warplint explain --verdict", "warplint fleet", "warplint fleet ...",
    "warplint inspect", "warplint inspect ...", "warplint merge", "warplint resources",
}  # fmt: skip
DOCUMENTS = [
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("editors/*/*.md")]
    if path.name not in ("commands.md", "CHANGELOG.md", "tutorial.md")  # usage; history; own test
]
FILLED_IN = {
    "FILE:LINE": "kernel.cu:9", "FILE...": "kernel.cu", "FILE": "kernel.cu", "PATH": "kernel.cu",
    "CODE": "SHM001", "LOG": "races.txt", "CSV": "source.csv", "PROGRAM": "src", "BEFORE": "src",
    "AFTER": "kernel.cu", "REPOSITORY": "src", "...": "kernel.cu", "URL": "stored",
    "/mnt/results": "stored",
}  # fmt: skip
VARIABLES = {
    "${{ matrix.shard }}": "1", "$CI_NODE_INDEX": "1", "$CI_NODE_TOTAL": "4", "${n}": "1",
}  # fmt: skip
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
IN_OTHER_LANGUAGES = re.compile(r"(?:- run: |- |sh \")(warplint [^\"\n]+)")


def commands_of(path: Path) -> list[str]:
    """Each command of a document once, in order."""
    text = path.read_text(encoding="utf-8")
    found = []
    for fence in FENCE.finditer(text):
        if fence["language"] == "sh":
            found += [line for line in fence["text"].splitlines() if line.strip()]
        else:
            found += IN_OTHER_LANGUAGES.findall(fence["text"])
    prose = FENCE.sub("", text)
    indented = re.findall(r"^    (\S.*)$", prose, re.MULTILINE)
    found += [line for line in indented if re.match(r"[.\w/-]+ ", line) and not is_code(line)]
    found += re.findall(r"`((?:warplint|python|mkdocs) (?!= )[^`]+)`", prose)
    return list(dict.fromkeys(" ".join(each.split()) for each in found))


def is_code(line: str) -> bool:
    """Whether an indented line is not for a shell: a record of another kind."""
    return line.startswith(("- ", "if ", "float "))


ALL = [
    pytest.param(command, id=f"{path.relative_to(ROOT).as_posix()}-{command}")
    for path in DOCUMENTS
    for command in commands_of(path)
]


def why_not(command: str) -> str:
    """Why a command is not run; empty if it is."""
    if command in NAMED:
        return "only named: it lacks what it is about"
    return next((why for begin, why in NOT_RUN.items() if command.startswith(begin)), "")


KERNEL = """\
__global__ void scale(const float *in, float *out, int width)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;

    tile[threadIdx.y][threadIdx.x] = in[y * width + x] * 0.1;

    out[x * width + y] = tile[threadIdx.x][threadIdx.y];
}
"""
HOST = """\
__global__ void scale(const float *in, float *out, int width);
void run(float *in, float *out) { scale<<<dim3(32, 32), dim3(32, 32)>>>(in, out, 1024); }
"""
PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry set(.param .u64 out)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository in which the commands run."""
    folder = tmp_path_factory.mktemp("prepared")
    data = ROOT / "tests" / "data"
    for name in ("src", "build", "lint", "stored"):
        (folder / name).mkdir()
    # The second kernel is on lines 33 to 42, where documents name line 42.
    twice = KERNEL + "\n" * 23 + KERNEL.replace("scale", "again")
    for name in ("kernel.cu", "src/kernel.cu", "buffer"):
        (folder / name).write_text(twice, encoding="utf-8")
    (folder / "scale.cu").write_text(KERNEL, encoding="utf-8")
    (folder / "main.cpp").write_text(HOST, encoding="utf-8")
    (folder / "kernel.ptx").write_text(PTX, encoding="utf-8")
    entry = {"directory": "..", "file": "src/kernel.cu", "command": "nvcc -DN=4 -c src/kernel.cu"}
    (folder / "build/compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    shutil.copy(data / "binaries" / "kernels.sm_90.cubin", folder / "build" / "app")
    shutil.copy(data / "ptxas_logs" / "ptxas_13.0.log", folder / "build.log")
    shutil.copy(data / "measured" / "racecheck.txt", folder / "races.txt")
    (folder / "train.py").write_text(f"scale = RawKernel(r'''{KERNEL}''', 'scale')\n")
    (folder / "repositories.txt").write_text("src\n", encoding="utf-8")
    for name in ("raw.csv", "source.csv"):
        shutil.copy(data / "measured" / name, folder)
    for name, text in marked_blocks("docs/rule_api.md", "file").items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copytree(folder / "acme_rules", folder / "lint" / "rules")
    git(folder, "init", "-q")
    git(folder, "add", "src", "kernel.cu", "scale.cu", "main.cpp")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "base")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


#: What has to be there before some commands, made by others.
BEFORE = {
    "warplint merge *.sarif": [
        f"warplint check src --shard {n}/2 --format sarif -o {n}.sarif" for n in (1, 2)
    ],
    "warplint merge *.json": [
        f"warplint check src --shard {n}/2 --format json -o {n}.json" for n in (1, 2)
    ],
    "warplint fleet report": [
        f"warplint fleet repositories.txt --out {name}"
        for name in ("fleet/", "fleet-october/", "fleet-november/")
    ],
    "warplint check --baseline": ["warplint baseline src/"],
    "warplint resources --ptxas-log build.log --baseline": [
        "warplint resources --ptxas-log build.log --write-baseline budget.json"
    ],
}


def test_there_are_commands() -> None:
    assert len(ALL) > 80
    assert len({path for path in DOCUMENTS if commands_of(path)}) > 12


def test_every_exception_is_one() -> None:
    commands = [str(each.values[0]) for each in ALL]
    assert [
        key for key in NOT_RUN if not any(command.startswith(key) for command in commands)
    ] == []


@pytest.mark.parametrize("command", [each for each in ALL if not why_not(str(each.values[0]))])
def test_a_command_works_as_printed(
    command: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WARPLINT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv(FOLDERS, "")
    for begin, needed in BEFORE.items():
        for each in needed if command.startswith(begin) else ():
            assert run(each, monkeypatch) in (0, 1)
    assert run(command, monkeypatch) in (0, 1)


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command, with its words as a shell gives them."""
    for variable, value in VARIABLES.items():
        command = command.replace(variable, value)
    words = shlex.split(command, comments=True)
    if "<" in words:
        place = words.index("<")
        with open(words[place + 1], "rb") as file:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(file.read())))
        del words[place : place + 2]
    words = [FILLED_IN.get(word, word) for word in words]
    assert words.pop(0) == "warplint"
    return main([each for word in words for each in glob.glob(word) or [word]])
