"""Every option of every command is heard, through the installed command.

`LINES` holds command lines for each command; together they name every option that the command has,
which `test_no_option_is_forgotten` compares with click's own list. The kernel exists only where
-D, -U, -I, the flags of the build and the architecture have all been heard: a report that names it
has heard them. What `check` has beyond that is tested in the other files of this folder.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import pytest

from warplint.analyzer.cli.main import command_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
#include "here.h"
#if defined(HERE) && defined(BUILD) && N == 4 && !defined(UNWANTED) && __CUDA_ARCH__ == 800
__global__ void seen(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t][0] = out[t];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = tile[0][t];
}
#endif
"""
OK = 'defines = ["N=4", "HERE", "BUILD"]\narch = "sm_80"\nblocks = { "*" = [32] }\n'
LOG = """\
ptxas info    : Compiling entry function 'seen' for 'sm_80'
ptxas info    : Function properties for seen
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, 360 bytes cmem[0]
"""

READ = "-D N=4 -U UNWANTED -I inc --compile-commands build --arch sm_80 --isolated --debug"
LAUNCH = "--block 32 --grid 2 --launch seen:2:32"
PLAIN = "--format json --color never -o out.txt"
CHOOSE = (
    "--select SHM001 --extend-select SYN001 --ignore SYN --show-possible --rule-folder lint "
    "--allow-rule-folders"
)
RUN = (
    "--extension .cpp --python --exclude none --force-exclude --no-respect-gitignore --jobs 2 "
    "--no-cache"
)
CONFIGURED = "--config ok.toml"
ALONE = f"{CONFIGURED} --no-rule-folders"
SHOWN = "--sort rule --max-findings 3 --min-severity warning"


@dataclass(frozen=True)
class Line:
    """A command line, its exit code, and what its report says (in out.txt when it names that)."""

    arguments: str
    code: int = 0
    says: str = '"seen"'


KEPT = "--no-force-exclude --no-python"
LISTS = [
    "memory-spaces",
    "kernels",
    "ir",
    "cfg",
    "dataflow",
    "uniformity",
    "barriers",
    "accesses",
    "coverage",
]
LINES: dict[str, list[Line]] = {
    "check": [
        Line(f"k.cu {READ} {LAUNCH} {PLAIN} {CHOOSE} {RUN}", 1, '"rule": "SHM001"'),
        Line(f"k.cu {ALONE} --select SHM", 1, "SHM001"),
        Line(f"k.cu {CONFIGURED} {SHOWN} --verbose -o out.txt", 1, "warning[SHM001]"),
        Line(f"k.cu {CONFIGURED} {SHOWN} --quiet -o out.txt", 1, "warning[SHM001]"),
        Line(f"k.cu {CONFIGURED} {KEPT} --respect-gitignore --select LNC", 0, "No fin"),
    ],
    "explain": [
        Line(f"k.cu:6 {READ} {LAUNCH} {PLAIN} {CHOOSE}", 0, '"rule": "SHM001"'),
        Line(f"k.cu:6 {ALONE}", 0, "lane offsets"),
        Line("k.cu:6 --verdict --config ok.toml", 0, "blocks in seen"),
    ],
    "verify": [
        Line(f"k.cu:6 {READ} {LAUNCH} {PLAIN} {CHOOSE} --app ./run", 0, "measured ./run"),
        Line(f"k.cu:6 {ALONE}", 0, "# k.cu:6 SHM001: 32-way"),
    ],
    "baseline": [
        Line(f"k.cu {READ} {LAUNCH} {CHOOSE} {RUN} -o out.txt --reason why", 0, '"kernel": "seen"'),
        Line(f"k.cu {ALONE} {KEPT} --respect-gitignore", 0, "written to"),
    ],
    **{
        f"inspect {name}": [
            Line(f"k.cu {READ} {LAUNCH} {PLAIN}"),
            Line(f"k.cu {CONFIGURED} --format text", says="seen"),
        ]
        for name in LISTS
    },
    "occupancy": [
        Line(f"k.cu {READ} {LAUNCH} {PLAIN} --regs 64"),
        Line(
            "--isolated --cc 8.0 --threads 256 --regs 64 --static-smem 1024 --dynamic-smem 60000 "
            "--smem-optin --carveout 100 --cache-config shared --barriers 2 --no-plot",
            says="2 blocks, 16 of 64 warps",
        ),
        Line(f"k.cu {CONFIGURED} --svg out.txt", says="<svg"),
        Line("--isolated --threads 256 --plot", says="warps over"),
        Line("--isolated --from-csv rows.csv", says="blocks_per_sm"),
    ],
    "resources": [
        Line(f"k.cu {READ} {LAUNCH} {PLAIN} --ptxas never --ptxas-log log --maxrregcount 32"),
        Line(f"k.cu {CONFIGURED} --ptxas never --write-baseline out.txt"),
        Line(f"k.cu {CONFIGURED} --ptxas never --baseline budget.json", says="seen"),
    ],
    "rule": [
        Line(f"SHM001 {PLAIN} --rule-folder lint", says='"code": "SHM001"'),
        Line("--all", says="SYN001"),
    ],
    "rules": [Line(f"{PLAIN} --rule-folder lint", says='"code": "SHM001"')],
    "config show": [
        Line(f". {READ} {LAUNCH} {PLAIN} {CHOOSE}", says='"arch": "sm_80"'),
        Line(f". {ALONE}", says='arch = "sm_80"'),
    ],
    "config schema": [Line("-o out.txt", says='"extend-select"')],
    "config init": [Line("-o out.txt", says="extend-select = ")],
    "clean": [Line("", says="removed ")],
    "merge": [Line(f"shard.json {PLAIN} --rule-folder lint", 1, '"rule": "SHM001"')],
    "doctor": [Line("", says="stored results"), Line(PLAIN, says='"warplint"')],
    "completions": [Line("fish", says="_WARPLINT_COMPLETE")],
    "server": [],  # tests/server speaks with it
    "fleet check": [],
    "fleet report": [],
}
LINES["inspect dataflow"].append(Line(f"k.cu {CONFIGURED} --from t --to out", says="seen"))
LINES["inspect accesses"].append(Line(f"k.cu {CONFIGURED} --map", says="bank"))

#: What changes files, speaks of other reports, or goes on for ever, by the file that tests it.
ELSEWHERE = {
    "--fix": "test_changes", "--unsafe-fixes": "test_changes", "--diff": "test_changes",
    "--fix-only": "test_changes", "--exit-non-zero-on-fix": "test_changes",
    "--show-files": "test_inputs", "--shard": "test_shards",
    "--add-ignore": "test_changes", "--stdin-filename": "test_changes",
    "--diff-base": "test_changed_lines", "--staged": "test_changed_lines",
    "--ptxas-log": "test_check_build_log", "--sanitizer": "test_measured",
    "--ncu": "test_measured", "--watch": "test_watch",
    "--baseline": "test_baseline", "--update-baseline": "test_baseline",
    "--show-suppressed": "test_formats", "--statistics": "test_inputs",
    "--fail-on": "test_inputs", "--exit-zero": "test_check", "--cluster": "test_fleet",
    "--remote-cache": "test_remote_cache", "--remote-cache-read-only": "test_remote_cache",
}  # fmt: skip
OF_FLEETS = dict.fromkeys(
    ("--out", "--jobs", "--cluster", "--memory", "--arch", "--config", "--ask", "--most",
     "--format", "--output", "--color"),
    "test_fleet",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    entry = {"directory": str(tmp_path), "file": "k.cu", "command": "nvcc -DBUILD -DUNWANTED -c"}
    texts = {
        "k.cu": KERNEL,
        "inc/here.h": "#define HERE\n",
        "build/compile_commands.json": json.dumps([entry]),
        "warplint.toml": "a configuration that --isolated and --config pass by",
        "ok.toml": OK,
        "log": LOG,
        "lint/_nothing.py": "",
        "rows.csv": "cc,threads_per_block,regs_per_thread\n8.0,256,32\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def commands(
    group: click.Group = command_line, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Every command that is no group, by its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        elif command is not None:
            yield " ".join((*words, name)), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_forgotten(name: str) -> None:
    said = {word for line in LINES[name] for word in line.arguments.split()}
    elsewhere = {"check": ELSEWHERE, "fleet check": OF_FLEETS, "fleet report": OF_FLEETS}
    options = [item for item in COMMANDS[name].params if isinstance(item, click.Option)]
    forgotten = [
        spelling
        for option in options
        for spelling in (option.opts, option.secondary_opts)
        if spelling and not {*spelling} & (said | elsewhere.get(name, {}).keys())
    ]
    assert forgotten == []


@pytest.mark.parametrize(("option", "file"), {**OF_FLEETS, **ELSEWHERE}.items())
def test_what_is_tested_elsewhere_is(
    request: pytest.FixtureRequest, option: str, file: str
) -> None:
    text = (request.path.parent / f"{file}.py").read_text(encoding="utf-8")
    assert re.search(rf'"{option}["=]', text)


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name, lines in LINES.items() for line in lines],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_the_options_are_heard(warplint: Run, folder: Path, name: str, line: Line) -> None:
    words = line.arguments.split()
    if "budget.json" in words:
        stored = f"k.cu {CONFIGURED} --ptxas never --write-baseline budget.json"
        assert warplint(name, *stored.split()).code == 0
    if "shard.json" in words:
        share = f"k.cu {CONFIGURED} --shard 1/1 --format json -o shard.json"
        assert warplint("check", *share.split()).code == 0
    outcome = warplint(*name.split(), *words)
    assert (outcome.code, outcome.err) == (line.code, "")
    written = folder / "out.txt"
    text = written.read_text(encoding="utf-8") if "out.txt" in words else outcome.out
    assert line.says in text
