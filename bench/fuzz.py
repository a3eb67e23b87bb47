"""Mutated inputs of every kind, each through a whole run: what breaks, hangs or is lost silently.

    python bench/fuzz.py [--count N] [--seed N] [--limit SECONDS] [--only KIND]... [--keep DIR]

Seeds are the fixtures of the tests, and small files of the other kinds. Each round takes one, cuts,
doubles, swaps, inserts or replaces up to eight pieces of it (bytes, tokens, lines, numbers, pieces
of other seeds), and runs `check` on the result in this process:

    cuda, ptx        the mutated source
    config           a sound source with a mutated warplint.toml
    suppressions     a sound source with mutated suppression comments
    commands         a sound source with a mutated compile_commands.json
    baseline         a sound source with a mutated baseline
    log              a mutated ptxas log
    binary           a mutated cubin or fatbin
    ignore           a mutated .gitignore over a folder of sources
    git              a repository with a mutated index, HEAD, list of references, or attributes

Counted: tracebacks (an exception, or a problem that says "internal error"), hangs (more than
`--limit` seconds of the processor), and kernels lost silently: the mutated source holds the word
`__global__` or `.entry` in code, no kernel was found, and no problem says so. Inputs that break
something are kept in `--keep`. Prints one line for each, then the counts; ends with 1 if there is
any.
"""

from __future__ import annotations

import argparse
import atexit
import collections
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from warplint.analyzer.config.configuration import Configuration
from warplint.analyzer.config.discovery import read_configuration
from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.config.project import CommandLine, Project
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.baseline import read_baseline
from warplint.analyzer.engine.changes import changes_since, staged_changes
from warplint.analyzer.engine.check import check, check_inputs
from warplint.analyzer.engine.inputs import InputFile, Inputs, collect_inputs
from warplint.analyzer.findings.rule import Input
from warplint.analyzer.resources.elf import BinaryError
from warplint.analyzer.resources.fatbin import read_binary
from warplint.analyzer.resources.ptxas_log import read_log
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType

    from warplint.analyzer.engine.result import RunResult
    from warplint.analyzer.findings.rule import Rule

TESTS = Path(__file__).parent.parent / "tests"
FIXTURES = TESTS / "fixtures"
_TOKEN = re.compile(r"[A-Za-z_%$.]\w*|\d[\w.]*|\s+|[^\w\s]")
_CODE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|^[ \t]*#.*?$", re.DOTALL | re.M
)
_KERNEL = re.compile(r"\b__global__\b[^;{]*\{")
_ENTRY = re.compile(r"\.entry\b")
_NUMBERS = ["0", "-1", "1e9", "65536", "4294967296", "9" * 40, "0x" + "f" * 40, "9" * 5000, "nan"]
_PIECES = [
    "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "*", "&", "::", "\\", '"', "'", "/*", "*/",
    "//", "#if 0\n", "#endif\n", "#define A A A\n", "\n", "\r", "\0", "\u00e9", "\ufeff",
    "template<",
    "__global__ ", "__shared__ ", "__syncthreads();", "for(;;)", "<<<1, 32>>>", 'R"(', "goto a;",
    "a:", "case 1:", "bra L;", "@%p1 ", "ret;", ".reg .b32 ", "bar.sync 0;", "%r<9>", "%tid.x",
    "warplint: ignore", "[[", "]]", "= [", '"""', "{}", "null", "-1",
]  # fmt: skip
_SOUND = (
    "__global__ void k(float *out) {\n    __shared__ float tile[32][32];\n"
    "    tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];\n    __syncthreads();\n"
    "    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // warplint: ignore[SHM001] known\n}\n"
    "// warplint: ignore-file[GLB001] all of it\n"
)
_CONFIG = (
    'select = ["SHM", "GLB"]\nignore = ["GLB009"]\nexclude = ["a*b", "[z-a]", "!x"]\n'
    'arch = "sm_80"\njobs = 4\nkernel-size = 1000\nfail-on = "warning"\n'
    'blocks = { "k*" = [32, 8], "*" = 128 }\nthresholds = { SHM001 = 2 }\n'
    'severity = { SHM001 = "note" }\ndefines = { N = "4" }\n'
    'per-file-ignores = { "*.cu" = ["GLB"] }\n'
)
_COMMANDS = (
    '[{"directory": ".", "file": "k.cu", "command": "nvcc -DN=4 -Iinclude -arch=sm_80 k.cu"},\n'
    ' {"directory": ".", "file": "a.cu", "arguments": ["nvcc", "-D", "M(x)=x", "-U", "N"]}]\n'
)
_BASELINE = (
    '{"version": 1, "tool": "warplint", "findings": [{"rule": "SHM001", "kernel": "k", '
    '"code": "x", "path": "k.cu", "count": 1}]}\n'
)
_LOG = (
    "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z1kPf\n"
    "    0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]\n"
)
_IGNORE = "# generated\n*.log\n/build/\n!keep.cu\n**/deep/**\n[a-z]*.cu\n\\#x\nsub/*/k?.cu\n"
_STATE = (".git/index", ".git/HEAD", ".git/packed-refs", ".git/config", ".gitattributes")


class TooSlow(BaseException):
    """Raised by the alarm; nothing in a run catches it."""


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


def seeds() -> dict[str, list[str]]:
    """The texts of each kind."""
    cuda = [path.read_text(encoding="utf-8") for path in sorted(FIXTURES.rglob("*.cu"))]
    ptx = [path.read_text(encoding="utf-8") for path in sorted(FIXTURES.rglob("*.ptx"))]
    return {
        "cuda": cuda,
        "ptx": ptx,
        "config": [_CONFIG],
        "suppressions": [_SOUND],
        "commands": [_COMMANDS],
        "baseline": [_BASELINE],
        "log": [_LOG],
        "binary": [
            path.read_bytes().decode("latin-1")
            for path in sorted((TESTS / "data" / "binaries").iterdir())
        ],
        "ignore": [_IGNORE],
        "git": [
            f"{name}\0{(_repository() / name).read_bytes().decode('latin-1')}" for name in _STATE
        ],
    }


@cache
def _repository() -> Path:
    """A repository whose branch has added a file since it left `main`."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

    def git(*words: str) -> None:
        identity = ("-c", "user.name=f", "-c", "user.email=f@example.com")
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main", ".")
    (folder / ".gitattributes").write_text("*.cu text eol=lf\n*.h -diff\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "first")
    git("checkout", "-q", "-b", "change")
    (folder / "k.cu").write_text(_SOUND, encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "second")
    git("pack-refs", "--all")
    return folder


def mutated(chance: random.Random, text: str, others: list[str]) -> str:
    """The text with up to eight pieces of it changed."""
    for _ in range(chance.randint(1, 8)):
        start, end = _piece(chance, text)
        piece = text[start:end]
        change = chance.randrange(7)
        if change == 0:
            new = ""
        elif change == 1:
            new = piece * chance.choice([2, 2, 2, 50])
        elif change == 2:
            new = chance.choice(_PIECES)
        elif change == 3:
            new = chance.choice(_NUMBERS)
        elif change == 4:
            other = chance.choice(others)
            begin, stop = _piece(chance, other)
            new = other[begin:stop]
        elif change == 5:
            begin, stop = _piece(chance, text)
            new = text[begin:stop]
        else:
            text, new = (text[:start], "") if chance.random() < 0.2 else (text, piece[::-1])
        text = text[:start] + new + text[end:]
    return text


def _piece(chance: random.Random, text: str) -> tuple[int, int]:
    """A token, a line or some bytes of a text."""
    at = chance.randint(0, max(len(text) - 1, 0))
    if chance.random() < 0.3:
        return text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
    match = _TOKEN.match(text, at)
    if match is not None and chance.random() < 0.8:
        return match.span()
    return at, min(len(text), at + chance.randint(1, 12))


def source_failure(language: Input, text: str, rules: Sequence[Rule]) -> str:
    """What went wrong with one source and these rules: "traceback", "lost", or ""."""
    name = "mutated.ptx" if language is Input.PTX else "mutated.cu"
    inputs = Inputs([InputFile(name, language, text.encode("utf-8", "surrogatepass"))])
    result = check(inputs, Settings(), rules)
    (item,) = result.inputs
    word = _ENTRY if language is Input.PTX else _KERNEL
    if word.search(_CODE.sub(" ", text)) and not item.kernels and not item.problems:
        return "lost"
    return _failure(result)


def _source(language: Input, text: str) -> str:
    return source_failure(language, text, tuple(load_rules().values()))


def _failure(result: RunResult) -> str:
    for item in result.inputs:
        for problem in item.problems:
            if "internal error" in problem.message:
                print(problem.message, (problem.trace or "")[-1500:], sep="\n", file=sys.stderr)
                return "traceback"
    return ""


def _config(text: str, *, commands: bool = False) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "compile_commands.json" if commands else "warplint.toml")
        Path(path).write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            if commands:
                project = Project(CommandLine(Configuration(compile_commands=path), isolated=True))
            else:
                read_configuration(path)
                project = Project(CommandLine(file=path))
            rules = load_rules()
            source = InputFile(os.path.join(folder, "k.cu"), Input.CUDA, _SOUND.encode())
            result = check_inputs(
                Inputs([source]), lambda name: project.profile(name, rules), arch=90
            )
        except UsageError:
            return ""
        return _failure(result)


def _baseline(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "known.json")
        Path(path).write_bytes(text.encode("utf-8", "surrogatepass"))
        with contextlib.suppress(UsageError):
            read_baseline(path)
        return ""


def _log(text: str) -> str:
    read_log(text)
    return ""


def _binary(text: str) -> str:
    with contextlib.suppress(BinaryError):
        read_binary(text.encode("latin-1", "ignore"))
    return ""


def _ignore(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("k.cu", "sub/a/k1.cu", "deep/x.cuh", ".git/HEAD"):
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_SOUND, encoding="utf-8")
        Path(folder, ".gitignore").write_bytes(text.encode("utf-8", "surrogatepass"))
        collect_inputs([folder])
    return ""


def _git(text: str) -> str:
    name, _, held = text.partition("\0")
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent, "repository")
        shutil.copytree(_repository(), folder)
        state = name if name in _STATE else _STATE[len(text) % len(_STATE)]
        (folder / state).write_bytes(held.encode("latin-1", "ignore"))
        before = os.getcwd()
        os.chdir(folder)
        try:
            inputs = Inputs([InputFile("k.cu", Input.CUDA)])
            rules = (load_rules()["SHM001"],)
            for changes in (lambda: changes_since("main"), staged_changes):
                with contextlib.suppress(UsageError):
                    changed = changes()
                    with changed.reading():
                        result = check(inputs, Settings(), rules)
                    changed.only(result, inputs)
        finally:
            os.chdir(before)
    return ""


_KINDS: dict[str, Callable[[str], str]] = {
    "cuda": lambda text: _source(Input.CUDA, text),
    "ptx": lambda text: _source(Input.PTX, text),
    "config": _config,
    "suppressions": lambda text: _source(Input.CUDA, text),
    "commands": lambda text: _config(text, commands=True),
    "baseline": _baseline,
    "log": _log,
    "binary": _binary,
    "ignore": _ignore,
    "git": _git,
}


def tried(kind: str, text: str, limit: float) -> str:
    """What went wrong with one input: "traceback", "hang", "lost"; "" where nothing did."""
    return ended(partial(_KINDS[kind], text), limit)


def ended(action: Callable[[], str], limit: float) -> str:
    """What an action tells, or how else it ended: "traceback", or "hang" beyond the limit."""
    signal.signal(signal.SIGVTALRM, _alarm)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        return action()
    except TooSlow:
        return "hang"
    except Exception:
        traceback.print_exc(limit=-6)
        return "traceback"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def rounds(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Each round's kind and input."""
    chance = random.Random(options.seed)
    known = seeds()
    kinds = options.only or [*["cuda"] * 4, *["ptx"] * 4, *known]
    for _ in range(options.count):
        kind = chance.choice(kinds)
        yield kind, mutated(chance, chance.choice(known[kind]), known[kind])


def keep(folder: Path, name: str, text: str) -> None:
    """Write an input that is worth looking at, or worth beginning with, to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))


def campaign_parser(description: str, kinds: Iterable[str]) -> argparse.ArgumentParser:
    """The options that every campaign over these kinds has."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--count", type=int, default=1_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--limit", type=float, default=10.0, metavar="SECONDS")
    parser.add_argument("--only", action="append", choices=[*kinds], default=[])
    parser.add_argument("--keep", type=Path, metavar="DIR")
    return parser


def failures(counts: Mapping[str, int]) -> int:
    """How many inputs went wrong."""
    return counts["traceback"] + counts["hang"] + counts["lost"]


def summed_up(count: int, counts: Mapping[str, int], kinds: Iterable[str]) -> int:
    """Print what a campaign did and found; the exit code."""
    print(", ".join(f"{kind} {counts[kind]}" for kind in kinds))
    print(
        f"{count} inputs: {counts['traceback']} tracebacks, {counts['hang']} hangs, "
        f"{counts['lost']} kernels lost silently"
    )
    return int(failures(counts) > 0)


def main() -> int:
    """Run the rounds and print what they found."""
    options = campaign_parser(__doc__, _KINDS).parse_args()
    counts: collections.Counter[str] = collections.Counter()
    for number, (kind, text) in enumerate(rounds(options)):
        counts[kind] += 1
        failure = tried(kind, text, options.limit)
        if not failure:
            continue
        counts[failure] += 1
        print(f"round {number} of seed {options.seed}: {failure} in {kind}", flush=True)
        if options.keep is not None:
            keep(options.keep, f"{options.seed}-{number}-{failure}.{kind}", text)
    return summed_up(options.count, counts, _KINDS)


if __name__ == "__main__":
    sys.exit(main())
