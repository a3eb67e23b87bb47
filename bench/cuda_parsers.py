"""The CUDA front end beside tree-sitter-cuda and pycparser: speed and completeness.

    python bench/cuda_parsers.py DIR... [--sample N] [--seed N]

Needs `pip install tree-sitter tree-sitter-cuda`, which the product does not. All three read the
same files, without headers and without a toolkit:

    warplint     the file as it is; a kernel is whole when no statement of it is opaque
    tree-sitter  the file as it is; a kernel is whole when there is no error in its node
    pycparser    C99 only, so it is helped: it gets each kernel alone, comments and directives
                 removed, CUDA's words defined away, the names of CUDA's and stdint's types
                 declared, and the lines of the kernels are counted, not those of the file

Kernels are `__global__` definitions counted by regular expression on text without comments,
literals and `#if 0`; `lost` are those that a parser did not find or made nothing of. KLOC/s are
thousands of lines per second of one core, text to tree; the garbage collector is on for all.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuda_front_end import SUFFIXES, counted_definitions, without_noise
from pycparser import CParser

from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.reader import read_source
from warplint.analyzer.source.text import SourceText

_VECTORS = "char uchar short ushort int uint long ulong longlong ulonglong float double half"
_OTHERS = """
    dim3 size_t ssize_t ptrdiff_t bool half __half __half2 __nv_bfloat16 __nv_bfloat162
    uint uchar ushort ulong cudaTextureObject_t cudaSurfaceObject_t cudaStream_t
"""
_TYPES = [
    *(f"{name}{count}" for name in _VECTORS.split() for count in range(1, 5)),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *_OTHERS.split(),
]
_PRELUDE = "".join(f"typedef int {name};\n" for name in _TYPES) + "#line 1\n"
_WORDS = re.compile(
    r"\b(?:__global__|__device__|__host__|__shared__|__constant__|__forceinline__|__noinline__"
    r"|__restrict__|__restrict|__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\))"
    r'|\bextern\s+"C"'
)
_DIRECTIVES = re.compile(r"^[ \t]*#(?:[^\n\\]|\\[\s\S])*", re.MULTILINE)


@dataclass(slots=True)
class Row:
    """The figures of one parser."""

    name: str
    lines: int = 0
    seconds: float = 0.0
    kernels: int = 0
    whole: int = 0
    partial: int = 0

    def add(self, kernels: int, whole: int, partial: int) -> None:
        """The kernels of a file; more than the count finds are not rewarded."""
        whole = min(whole, kernels)
        self.kernels += kernels
        self.whole += whole
        self.partial += min(partial, kernels - whole)

    def line(self) -> str:
        share = 100 / max(self.kernels, 1)
        lost = self.kernels - self.whole - self.partial
        return (
            f"{self.name:12} {self.lines / 1000 / max(self.seconds, 1e-9):8.1f} "
            f"{share * self.whole:8.2f} {share * self.partial:8.2f} {share * lost:8.2f}"
        )


def ours(text: str, row: Row, expected: int) -> None:
    source = SourceText("alone.cu", text)
    started = time.process_time()
    unit = parse_cuda(source)
    row.seconds += time.process_time() - started
    row.lines += text.count("\n")
    whole = partial = 0
    for function in unit.functions:
        if "__global__" not in function.decl.funcspec or function.body is None:
            continue
        lost = unit.opaque[function]
        nothing = any(each.coord.start <= function.body.coord.start for each in lost)
        whole += not lost
        partial += bool(lost) and not nothing
    row.add(expected, whole, partial)


def tree_sitter(parser: Any, text: str, row: Row, expected: int) -> None:
    data = text.encode(errors="replace")
    started = time.process_time()
    tree = parser.parse(data)
    row.seconds += time.process_time() - started
    row.lines += text.count("\n")
    whole = partial = 0
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        if node.type != "function_definition":
            stack += node.children
            continue
        body = node.child_by_field_name("body")
        stop = body.start_byte if body is not None else node.end_byte
        if b"__global__" in data[node.start_byte : stop]:
            whole += not node.has_error
            partial += node.has_error
        elif node.has_error:
            stack += node.children
    row.add(expected, whole, partial)


def pycparser(text: str, row: Row, expected: int) -> None:
    text = _DIRECTIVES.sub("", without_literals(text))
    whole = 0
    for match in re.finditer(r"\b__global__\b", text):
        piece = definition_at(text, match.start())
        if piece is None:
            continue
        plain = _PRELUDE + _WORDS.sub(" ", piece)
        started = time.process_time()
        try:
            CParser().parse(plain)
            whole += 1
        except Exception:  # it raises its own error, and others on what is not C
            pass
        row.seconds += time.process_time() - started
        row.lines += piece.count("\n") + _PRELUDE.count("\n")
    row.add(expected, whole, 0)


def without_literals(text: str) -> str:
    """Comments, macros and `#if 0` blanked; literals, which go with them, become a number."""
    return re.sub(
        r"(?<=[(,=])([ ]{2,})(?=[,);])", lambda match: "0" + match[1][1:], without_noise(text)
    )


def definition_at(text: str, start: int) -> str | None:
    """The text from `start` to the end of the body; None for a declaration."""
    depth = 0
    for match in re.finditer(r"[{};()]", text[start:]):
        character = match[0]
        if character == ";" and not depth:
            return None
        if character in "{(":
            depth += 1
        elif character in "})":
            depth -= 1
            if not depth and character == "}":
                return text[start : start + match.end()]
    return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, default=0, help="this many files of each folder")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        import tree_sitter as binding
        import tree_sitter_cuda
    except ImportError:
        print("pip install tree-sitter tree-sitter-cuda")
        return 2
    theirs = binding.Parser(binding.Language(tree_sitter_cuda.language()))
    rows = [Row("warplint"), Row("tree-sitter"), Row("pycparser")]
    files = 0
    for folder in arguments.folders:
        paths = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())
        if arguments.sample and len(paths) > arguments.sample:
            paths = sorted(random.Random(arguments.seed).sample(paths, arguments.sample))
        for path in paths:
            source, _ = read_source(path)
            if source is None:
                continue
            expected = len(counted_definitions(source.text))
            files += 1
            ours(source.text, rows[0], expected)
            tree_sitter(theirs, source.text, rows[1], expected)
            pycparser(source.text, rows[2], expected)
    print(f"{files} files, {rows[0].lines} lines, {rows[0].kernels} kernels")
    print(f"{'parser':12} {'KLOC/s':>8} {'whole %':>8} {'part %':>8} {'lost %':>8}")
    for row in rows:
        print(row.line())
    return 0


if __name__ == "__main__":
    sys.exit(main())
