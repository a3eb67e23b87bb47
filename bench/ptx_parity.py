"""How many of the findings in CUDA sources are made from their PTX, too.

    python bench/ptx_parity.py DIR|FILE.cu... [--arch sm_90] [--keep FOLDER] [--draw N] [--misses]

Each source is compiled with `nvcc -ptx -lineinfo` (which must be on the PATH; warplint itself needs
none), and checked together with its PTX, with the arguments that a comment `warplint-args:` names.
`--draw` takes N of the sources, the same ones at every call.
Of each definite finding in a kernel of a source, one of these is true:

- found: a definite finding of the rule (or of its pair, as SHM001 and SHM002 are) stands on a line
  of PTX that comes from one of its lines, by `.loc` and the calls that were inlined; or it is about
  the kernel, an array or a launch as a whole, and the kernel has one in PTX;
- possible: there is one, but only a possible one;
- elsewhere: the kernel has one of the rule, on other lines;
- source: the rule is about the source or the host code, and PTX is none of its inputs;
- gone: the compiler removed what it is about: no statement of PTX comes from any of its lines, none
  that accesses memory or synchronises if it is about these, or the kernel has no local memory left;
- missed: none of these.

The rate is what was found, of all but `source` and `gone`. `only` counts what is definite in PTX in
kernels that have no finding of the rule in the source, not even a possible one. `--misses` lists
these and the rest.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from draws import add_draw, cuda_files

from warplint.analyzer.config.launch import parse_block, parse_grid
from warplint.analyzer.config.macros import parse_define
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import check_file
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.launches_elsewhere import launches_between
from warplint.analyzer.engine.processes.deep_stack import deeply
from warplint.analyzer.findings.rule import Input
from warplint.analyzer.hardware.architectures import parse_capability
from warplint.analyzer.ptx.syntax.demangle import kernel_identity
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warplint.analyzer.findings.finding import Finding

Lines = set[tuple[str, int]]
Position = tuple[str, str, str]

KINDS = ("found", "possible", "elsewhere", "missed", "gone", "source", "only")
#: Rules that say one thing with and without known numbers, once and in a loop; and of threads that
#: take the other branch to the end of the kernel, or leave it, for which PTX has one form.
PAIRS = {
    "GLB002": "GLB001",
    "SHM002": "SHM001",
    "SYN003": "SYN002",
    "SYN004": "SYN001",
}
#: Rules about a kernel, an array or a launch, whose places say where it is declared.
WHOLE = re.compile("LOC|OCC|LNC|SHM003|SHM007|SHM008|SYN009")

#: Rules about accesses to memory and what synchronises threads, and such statements.
ACCESSES = re.compile("ASY|CON|GLB|MEM|SHM|SYN|WRP")
_ACCESS = re.compile(
    r"[\s{]*(?:@!?%?\w+\s+)?(?:ld|st|atom|red|bar|barrier|shfl|vote|match|membar|fence|cp|mbarrier|"
    r"ldmatrix|stmatrix|wmma|mma|wgmma|tex|suld|sust|prefetch|call|redux|activemask|elect)\."
)
_LOCAL = re.compile(r"^\s*\.local\s", re.MULTILINE)

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
_ARGUMENTS = re.compile(r"warplint-args: (.*)")


@dataclass(frozen=True)
class Pair:
    """A source, its PTX, and what was found in each."""

    source: Path
    ptx: Path
    found: Sequence[Finding]
    from_ptx: Sequence[Finding]


def main() -> int:
    """The figures for each rule."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the PTX for the next run")
    parser.add_argument("--misses", action="store_true")
    add_draw(parser)
    options = parser.parse_args()
    sources = cuda_files(options.paths, options.draw)
    table: dict[str, Counter[str]] = defaultdict(Counter)
    read = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            arguments = _arguments(source, options.arch)
            ptx = _compiled(source, folder, arguments)
            if ptx is None:
                continue
            read += 1
            for finding, kind in _compared(_checked(source, ptx, arguments)):
                table[finding.rule.code][kind] += 1
                if options.misses and kind not in {"found", "source"}:
                    where = f"{finding.span.path}:{finding.span.line}"
                    print(kind, where, finding.rule.code, finding.text, flush=True)
    _show(table)
    print(f"{read} of {len(sources)} sources compile: {_rate(table)}")
    return 0


def _arguments(source: Path, arch: str) -> argparse.Namespace:
    """What a comment in the source says of the run, as far as it matters here."""
    said = _ARGUMENTS.findall(source.read_text(encoding="utf-8", errors="replace"))
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", default=arch)
    parser.add_argument("--block", type=parse_block)
    parser.add_argument("--grid", type=parse_grid)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    return parser.parse_known_args(shlex.split(said[0]) if said else [])[0]


def _compiled(source: Path, folder: Path, arguments: argparse.Namespace) -> Path | None:
    """The PTX of a source, in a folder of its own; None where nvcc refuses."""
    name = re.sub(r"\W", "_", str(source.resolve()).strip("/"))[-100:]
    ptx = folder / name / f"{source.stem}.ptx"
    refused = ptx.with_suffix(".refused")
    if not ptx.exists() and not refused.exists():
        ptx.parent.mkdir(exist_ok=True)
        words = ["nvcc", "-ptx", "-lineinfo", f"-arch={arguments.arch}", "-std=c++17"]
        words += [f"-D{each}" for each in arguments.defines]
        done = subprocess.run([*words, "-o", ptx, source], capture_output=True, check=False)
        if done.returncode:
            refused.touch()
    return ptx if ptx.exists() else None


def _checked(source: Path, ptx: Path, arguments: argparse.Namespace) -> Pair:
    """What the rules that are on find in a source and in its PTX, each with the same launches."""
    settings = Settings(
        arch=parse_capability(arguments.arch),
        block=arguments.block,
        grid=arguments.grid,
        defines=dict(map(parse_define, arguments.defines)),
        show_possible=True,
    )
    rules = tuple(rule for rule in load_rules().values() if rule.default)
    files = [InputFile(str(source), Input.CUDA), InputFile(str(ptx), Input.PTX)]
    elsewhere = launches_between(files, settings)
    cuda, other = (
        deeply(partial(check_file, file, settings, rules, elsewhere.get(file.path, ())))
        for file in files
    )
    return Pair(source, ptx, cuda.findings, other.findings)


def _compared(pair: Pair) -> Iterator[tuple[Finding, str]]:
    """Each definite finding in a kernel of the source, and what became of it in PTX."""
    origins = Origins(pair.ptx)
    for finding in pair.found:
        if finding.doubts or not finding.kernel:
            continue
        is_read = Input.PTX in finding.rule.inputs
        yield finding, _kind(finding, pair, origins) if is_read else "source"
    known = {(_paired(each), _kernel(each)) for each in pair.found}
    for finding in pair.from_ptx:
        both = Input.CUDA in finding.rule.inputs and finding.kernel and not finding.doubts
        if both and (_paired(finding), _kernel(finding)) not in known:
            yield finding, "only"


def _kind(finding: Finding, pair: Pair, origins: Origins) -> str:
    code, kernel = finding.rule.code, _kernel(finding)
    alike = [each for each in pair.from_ptx if _paired(each) == _paired(finding)]
    alike = [each for each in alike if _kernel(each) == kernel]
    if not WHOLE.match(code):
        there = _lines(finding)
        met = [each for each in alike if there & _from(each, pair.ptx, origins)]
        left = origins.accesses if ACCESSES.match(code) else origins.all
        if not met and not there & left:
            return "gone"
        if not met:
            return "elsewhere" if _definite(alike) else "possible" if alike else "missed"
        alike = met
    elif not alike and code.startswith("LOC") and not origins.has_local:
        return "gone"
    return "found" if _definite(alike) else "possible" if alike else "missed"


def _definite(findings: Sequence[Finding]) -> bool:
    return any(not each.doubts for each in findings)


def _paired(finding: Finding) -> str:
    return PAIRS.get(finding.rule.code, finding.rule.code)


def _kernel(finding: Finding) -> str:
    """The name of a finding's kernel without what surrounds it or instantiates it."""
    plain = re.split(r"[<(]", finding.kernel)[0].rpartition("::")[2]
    return kernel_identity(plain).name if plain.startswith("_Z") else plain


def _lines(finding: Finding) -> Lines:
    """The lines that a finding of a source speaks of."""
    spans = [finding.span, *(each.span for each in (*finding.places, *finding.related))]
    return {(Path(span.path).name, span.line) for span in spans}


def _from(finding: Finding, ptx: Path, origins: Origins) -> Lines:
    """The lines of sources that those of a finding in PTX come from."""
    spans = [finding.span, *(each.span for each in (*finding.places, *finding.related))]
    own = [span.line for span in spans if Path(span.path) == ptx]
    return set().union(*(origins.of.get(line, set()) for line in own))


class Origins:
    """The lines of sources that PTX comes from: its own, and those of the calls around it."""

    def __init__(self, ptx: Path) -> None:
        self.of: dict[int, Lines] = {}  # by line of PTX
        self.all: Lines = set()
        self.accesses: Lines = set()  # of statements that access memory or synchronise
        text = ptx.read_text(encoding="utf-8", errors="replace")
        self.has_local = _LOCAL.search(text) is not None
        files = {number: Path(path).name for number, path in _FILE.findall(text)}
        calls: dict[Position, Position | None] = {}
        current: Lines = set()
        for number, line in enumerate(text.split("\n"), 1):
            if line.startswith((".visible", ".entry", ".func", "}")):
                current = set()
            if found := _LOC.match(line):
                here = (found[1], found[2], found[3])
                call = (found[4], found[5], found[6]) if found[4] else None
                calls.setdefault(here, call)
                chain = [here, *_chain(call, calls)]
                current = {(files.get(file, file), int(row)) for file, row, _ in chain}
            elif line.strip() and not line.lstrip().startswith(("//", ".", "$", "}")):
                self.of[number] = current
                self.all |= current
                if _ACCESS.match(line):
                    self.accesses |= current


def _chain(call: Position | None, calls: dict[Position, Position | None]) -> Iterator[Position]:
    for _ in range(32):
        if call is None:
            return
        yield call
        call = calls.get(call)


def _show(table: dict[str, Counter[str]]) -> None:
    print(f"{'rule':8}" + "".join(f"{kind:>10}" for kind in KINDS))
    for code in sorted(table):
        print(f"{code:8}" + "".join(f"{table[code][kind]:10}" for kind in KINDS))
    total = sum(table.values(), Counter())
    print(f"{'all':8}" + "".join(f"{total[kind]:10}" for kind in KINDS))


def _rate(table: dict[str, Counter[str]]) -> str:
    total = sum(table.values(), Counter())
    asked = sum(total[kind] for kind in KINDS[:4])
    return f"{total['found']} of {asked} found ({100 * total['found'] / max(asked, 1):.0f} %)"


if __name__ == "__main__":
    sys.exit(main())
