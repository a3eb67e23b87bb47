"""How much of a folder's CUDA code the front end reads, and how fast.

    python bench/cuda_front_end.py DIR... [--sample N] [--reasons N] [--verbose]

For each folder: the `__global__` definitions found against a count by regular expression on text
without comments, literals and `#if 0` (column `#if`: others under a condition that does not hold,
such as the second of two definitions); their bodies read fully, partly, not at all; the share of
statements that are opaque; thousands of lines per second of processor time, included files
counted; peak memory; the most frequent reasons.
"""

from __future__ import annotations

import argparse
import collections
import random
import re
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from warplint.analyzer.cuda.units.parse import ParseOptions, TranslationUnit, parse_cuda
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from warplint.analyzer.cuda.syntax import nodes

SUFFIXES = {".cu", ".cuh"}
_NOISE = re.compile(
    r'//(?:[^\n\\]|\\[\s\S])*|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/|R"(\w*)\([\s\S]*?\)\1"'
    r'|"(?:[^"\\\n]++|\\[\s\S])*+"|\'(?:[^\'\\\n]++|\\.)*+\''
)
_IF_0 = re.compile(r"^[ \t]*#[ \t]*if[ \t]+(?:0|false)\b", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b.*$", re.MULTILINE)
_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*(?:define|pragma|error|warning)\b(?:[^\n\\]|\\[\s\S])*", re.MULTILINE
)


def without_noise(text: str) -> str:
    """`text` with comments, literals, macro definitions and `#if 0` blocks blanked."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    text = _DEFINE.sub(blank, _NOISE.sub(blank, text))
    while match := _IF_0.search(text):
        depth, end = 0, len(text)
        for directive in _DIRECTIVE.finditer(text, match.start()):
            if directive[1] in ("if", "ifdef", "ifndef"):
                depth += 1
            elif directive[1] == "endif":
                depth -= 1
            if not depth or (depth == 1 and directive[1] in ("else", "elif")):
                end = directive.end()
                break
        text = text[: match.start()] + re.sub(r"[^\n]", " ", text[match.start() : end]) + text[end:]
    return text


def counted_definitions(text: str) -> list[int]:
    """`__global__ ... ( ... ) {`: the parameter list followed by a brace, not by a semicolon."""
    text = without_noise(text)
    found = []
    for match in re.finditer(r"\b__global__\b", text):
        at, depth, closed = match.end(), 0, False
        while at < len(text):
            character = text[at]
            depth += (character == "(") - (character == ")")
            closed = closed or character == ")"
            if not depth and character in ";{":
                if character == "{" and closed:
                    found.append(match.start())
                break
            at += 1
    return found


class Tally:
    """The figures of one folder."""

    def __init__(self) -> None:
        self.files = self.lines = self.own = self.expected = self.found = self.dropped = 0
        self.full = self.partial = self.none = self.statements = self.opaque = 0
        self.seconds = 0.0
        self.reasons: collections.Counter[str] = collections.Counter()
        self.missed: list[tuple[str, int, int]] = []

    def add(self, path: Path, options: ParseOptions, verbose: bool) -> None:
        source, _ = read_source(path)
        if source is None:
            return
        self.files += 1
        started = time.process_time()
        unit = parse_cuda(source, options)
        self.seconds += time.process_time() - started
        self.lines += sum(
            text.text.count("\n") for text in {id(t): t for t in unit.sources}.values()
        )
        self.own += source.text.count("\n")
        self.statements += unit.statements
        found = self._kernels(unit, path, verbose)
        counted = counted_definitions(source.text)
        gone = [(s.start, s.end) for s in unit.dropped if s.source is source]
        kept = [at for at in counted if not any(start <= at < end for start, end in gone)]
        self.dropped += len(counted) - len(kept)
        expected = len(kept)
        self.expected += expected
        self.found += min(found, expected)
        if found < expected:
            self.missed.append((str(path), found, expected))

    def _kernels(self, unit: TranslationUnit, path: Path, verbose: bool) -> int:
        found = 0
        for function in unit.functions:
            words = function.decl.funcspec
            if function.coord.source is not unit.source:
                continue
            lost = unit.opaque[function]
            self.opaque += len(lost)
            if "__global__" not in words:
                if lost and verbose:
                    self._tell("function", path, function, lost)
                continue
            found += 1
            if not lost:
                self.full += 1
                continue
            whole = any(statement.coord.start <= function.body.coord.start for statement in lost)
            self.none += whole
            self.partial += not whole
            for statement in lost:
                self.reasons[statement.reason] += 1
            if verbose:
                self._tell("kernel", path, function, lost)
        return found

    def _tell(
        self, what: str, path: Path, function: nodes.Function, lost: list[nodes.Opaque]
    ) -> None:
        for statement in lost:
            text = " ".join(statement.text.split())[:150]
            line = statement.coord.line
            print(f"  {what} {path}:{line} {function.decl.name}: {statement.reason}: {text}")

    def row(self, name: str) -> str:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        kernels = max(self.full + self.partial + self.none, 1)
        return (
            f"{name[-28:]:28} {self.files:6} {self.own:8} {self.lines:8} {self.expected:7} "
            f"{self.dropped:5} "
            f"{100 * self.found / max(self.expected, 1):8.2f} {100 * self.full / kernels:8.2f} "
            f"{100 * self.partial / kernels:8.2f} {100 * self.none / kernels:7.2f} "
            f"{100 * self.opaque / max(self.statements, 1):9.3f} "
            f"{self.lines / 1000 / max(self.seconds, 1e-9):8.1f} {memory:5.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=0, help="this many files of each folder")
    parser.add_argument("--reasons", type=int, default=8)
    parser.add_argument("--verbose", action="store_true", help="print every opaque statement")
    arguments = parser.parse_args()
    print(
        f"{'folder':28} {'files':>6} {'lines':>8} {'included':>8} {'kernels':>7} {'#if':>5} "
        f"{'found %':>8} {'full %':>8} {'part %':>8} {'none %':>7} {'opaque %':>9} {'KLOC/s':>8} "
        f"{'MB':>5}"
    )
    for folder in arguments.folders:
        tally = Tally()
        paths = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())
        if arguments.sample and len(paths) > arguments.sample:
            paths = sorted(random.Random(1).sample(paths, arguments.sample))
        for path in paths:
            tally.add(path, ParseOptions(), arguments.verbose)
        print(tally.row(folder.name))
        for path, found, expected in tally.missed[:8]:
            print(f"    found {found} of {expected} in {path}")
        for reason, count in tally.reasons.most_common(arguments.reasons):
            print(f"    {count:5} x {reason}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
