"""What one damaged token or byte costs the CUDA front end.

    python bench/fuzz_cuda_front_end.py DIR... [--count N] [--seed N] [--files N] [--largest BYTES]

Each round takes a file, deletes, doubles, swaps, replaces or inserts one token (half of the rounds)
or one byte (the other half), and parses the result. Counted: exceptions, parses of more than 5 s,
and functions harmed.

A function of the file is *touched* when the mutation lies between its first character (template
head included) and its last, or replaces a character next to them. Any other function is *harmed*
when the mutated file has no function of the same name, scope and specifiers that is read as fully:
it was lost, joined with another, or a statement of it cannot be read any more. It is *changed* when
it is harmed or its tree is another one: the tree is printed with every class, name, constant and
operator, without positions, and nothing is normalised. A constant renamed in its `#define` changes
every function that uses it, rightly, and harms none.

The rounds fall into classes, each with its own row:
    body         inside a function, and no `{ } " ' # \\ @ / * ( ) [ ] ;` or line end was added,
                 removed or replaced
    structure    inside a function, and one of those was
    declaration  between functions: types, macros' uses, variables, on which others may rest
    directive    in a `#define`, `#if`, `#include` ... line: other functions rest on it
`body` and `structure` together are the damage that must stay where it is. The other two may change
what the rest of the file means: `int` renamed in `typedef float T;` is no damage to
`(T)(x)` but another program.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import random
import re
import signal
import sys
import time
from bisect import bisect_right
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from warplint.analyzer.cuda.units.parse import TranslationUnit, parse_cuda
from warplint.analyzer.source.reader import decode_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from warplint.analyzer.cuda.syntax import nodes

SUFFIXES = {".cu", ".cuh"}
LIMIT = 5.0  # seconds of the processor for one parse
CLASSES = ("body", "structure", "declaration", "directive")
_TOKEN = re.compile(
    rb'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[A-Za-z_]\w*|\.?\d[\w.]*'
    rb"|<<<|>>>|<<=|>>=|\.\.\.|::|->|\+\+|--|<<|>>|[<>=!+\-*/%&|^]=|&&|\|\||[^\s\w]",
    re.DOTALL,
)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
_STRUCTURE = set(b"{}()[];\"'#\\@/*\n\r")


class TooSlow(BaseException):
    """Raised by the alarm; nothing in a parser catches it."""


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


def print_of(function: nodes.Function) -> str:
    """A digest of a function's tree: everything but the positions."""
    parts: list[str] = []
    stack: list[Any] = [function]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        parts.append(f"({type(node).__name__}")
        parts += [f" {getattr(node, name)!r}" for name in node.attr_names]
        stack.append(")")
        for name, child in reversed(node.children()):
            stack += [child, f" {name.split('[')[0]}="]
    extra = (function.template, function.attributes, function.initializers)
    heads = [_plain(item) for item in extra]
    return hashlib.sha1(repr((parts, heads, function.suffixes)).encode()).hexdigest()


def _plain(item: Any) -> Any:
    if isinstance(item, list):
        return [_plain(each) for each in item]
    if isinstance(item, c_ast.Node):
        attributes = [repr(getattr(item, name)) for name in item.attr_names]
        return [type(item).__name__, attributes, [_plain(child) for _, child in item.children()]]
    return item


@dataclass(frozen=True, slots=True)
class Found:
    """A function of the file itself: what it is, its tree, and the statements not read."""

    key: tuple[Any, ...]
    tree: str
    lost: int
    start: int
    end: int


def functions_of(unit: TranslationUnit) -> Iterator[Found]:
    """The functions of the file itself, in order."""
    for function in unit.functions:
        if function.coord.source is unit.source:
            key = (function.scope, function.decl.name, tuple(function.decl.funcspec))
            lost = len(unit.opaque[function])
            yield Found(key, print_of(function), lost, function.coord.start, function.coord.end)


@dataclass(slots=True)
class Mutation:
    """`data[start:end]` becomes `new`."""

    kind: str
    start: int
    end: int
    new: bytes

    def applied_to(self, data: bytes) -> bytes:
        return data[: self.start] + self.new + data[self.end :]

    def structural(self, data: bytes) -> bool:
        return not _STRUCTURE.isdisjoint(data[self.start : self.end] + self.new)

    def __str__(self) -> str:
        return f"{self.kind} at byte {self.start}..{self.end} -> {self.new[:40]!r}"


@dataclass(slots=True)
class Subject:
    """A file and what the front end makes of it."""

    path: Path
    data: bytes
    tokens: list[tuple[int, int]]
    directives: list[tuple[int, int]]
    functions: list[Found]  # places in bytes


@dataclass(slots=True)
class Row:
    """The figures of one class of rounds."""

    rounds: int = 0
    others: int = 0
    harmed: int = 0
    changed: int = 0
    rounds_with_harm: int = 0

    def line(self, name: str) -> str:
        share = 100 * (1 - self.harmed / max(self.others, 1))
        same = 100 * (1 - self.changed / max(self.others, 1))
        clean = 100 * (1 - self.rounds_with_harm / max(self.rounds, 1))
        return (
            f"{name:18} {self.rounds:7} {self.others:9} {self.harmed:8} {share:10.3f} {same:11.3f} "
            f"{clean:10.2f}"
        )

    def add(self, other: Row) -> None:
        self.rounds += other.rounds
        self.others += other.others
        self.harmed += other.harmed
        self.changed += other.changed
        self.rounds_with_harm += other.rounds_with_harm


def load(path: Path) -> Subject | None:
    """The file, parsed once; None when it has not two functions of CUDA in it."""
    data = path.read_bytes()
    source, _ = decode_source(str(path), data)
    if source is None:
        return None
    unit = parse_cuda(source)
    functions = list(functions_of(unit))
    if len(functions) < 2:
        return None
    if len(source.text) != len(data):  # code points to bytes
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        shift = len(data) - len(source.text.encode())  # a byte order mark
        text = source.text
        functions = [
            replace(
                each,
                start=shift + len(text[: each.start].encode()),
                end=shift + len(text[: each.end].encode()),
            )
            for each in functions
        ]
    return Subject(
        path,
        data,
        [match.span() for match in _TOKEN.finditer(data) if match[0][:2] not in (b"//", b"/*")],
        [match.span() for match in _DIRECTIVE.finditer(data)],
        functions,
    )


def token_mutation(subject: Subject, dice: random.Random) -> Mutation:
    """One token deleted, doubled, swapped with the next, replaced by or preceded by another."""
    data, tokens = subject.data, subject.tokens
    index = dice.randrange(len(tokens) - 1)
    start, end = tokens[index]
    word = data[start:end]
    one, two = dice.choice(tokens)
    kind = dice.choice(["delete", "double", "swap", "replace", "insert"])
    if kind == "delete":
        return Mutation("token delete", start, end, b"")
    if kind == "double":
        return Mutation("token double", end, end, b" " + word)
    if kind == "swap":
        after, stop = tokens[index + 1]
        return Mutation("token swap", start, stop, data[after:stop] + data[end:after] + word)
    if kind == "replace":
        return Mutation("token replace", start, end, data[one:two])
    return Mutation("token insert", start, start, data[one:two] + b" ")


def byte_mutation(subject: Subject, dice: random.Random) -> Mutation:
    """One byte deleted, replaced or inserted; three of four new bytes are printable."""
    at = dice.randrange(len(subject.data))
    new = bytes([dice.randrange(32, 127) if dice.random() < 0.75 else dice.randrange(256)])
    kind = dice.choice(["delete", "replace", "insert"])
    if kind == "delete":
        return Mutation("byte delete", at, at + 1, b"")
    return Mutation(f"byte {kind}", at, at + (kind == "replace"), new)


def class_of(subject: Subject, mutation: Mutation) -> str:
    """The row a round belongs to."""
    place = bisect_right(subject.directives, (mutation.start, len(subject.data))) - 1
    if place >= 0 and mutation.start <= subject.directives[place][1]:
        return "directive"
    if any(f.start <= mutation.start and mutation.end <= f.end for f in subject.functions):
        return "structure" if mutation.structural(subject.data) else "body"
    return "declaration"


class Fuzzer:
    """The rounds and what came of them."""

    def __init__(self, subjects: list[Subject], verbose: bool) -> None:
        self.subjects = subjects
        self.verbose = verbose
        self.rows = {name: Row() for name in CLASSES}
        self.exceptions = self.hangs = self.refused = 0
        self.slowest = 0.0
        self.weights: list[int] = []

    def round(self, seed: int) -> None:
        """One mutation, made from its seed alone."""
        dice = random.Random(seed)
        subject = dice.choice(self.subjects)
        make = token_mutation if dice.random() < 0.5 else byte_mutation
        mutation = make(subject, dice)
        where = f"seed {seed}: {subject.path}: {mutation}"
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        try:
            source, _ = decode_source(str(subject.path), mutation.applied_to(subject.data))
            unit = parse_cuda(source) if source is not None else None
        except TooSlow:
            self.hangs += 1
            print(f"HANG {where}")
            return
        except Exception as error:  # whatever it is, it is a defect
            self.exceptions += 1
            print(f"EXCEPTION {where}: {type(error).__name__}: {error}")
            return
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.slowest = max(self.slowest, time.process_time() - started)
        self.refused += unit is None
        self._compare(subject, mutation, unit, where)

    def _compare(
        self, subject: Subject, mutation: Mutation, unit: TranslationUnit | None, where: str
    ) -> None:
        name = class_of(subject, mutation)
        row = self.rows[name]
        now: dict[tuple[Any, ...], list[Found]] = collections.defaultdict(list)
        for each in functions_of(unit) if unit else ():
            now[each.key].append(each)
        harmed = []
        for function in subject.functions:
            same = now[function.key]
            twin = next((f for f in same if f.tree == function.tree), None)
            if function.start <= mutation.end and mutation.start <= function.end:
                continue
            row.others += 1
            row.changed += twin is None
            twin = twin or next((f for f in same if f.lost <= function.lost), None)
            if twin is None:
                harmed.append(function.key[1])
            else:
                same.remove(twin)
        row.rounds += 1
        row.harmed += len(harmed)
        row.rounds_with_harm += bool(harmed)
        if harmed and (self.verbose or name == "body"):
            old = subject.data[mutation.start : mutation.end][:40]
            print(f"harm ({name}) {where} was {old!r}: {len(harmed)}, first {harmed[0]}")

    def table(self) -> Iterator[str]:
        yield f"{'class':18} {'rounds':>7} {'others':>9} {'harmed':>8} {'unharmed %':>10} " + (
            f"{'same tree %':>11} {'clean %':>10}"
        )
        damage, whole = Row(), Row()
        for name, row in self.rows.items():
            yield row.line(name)
            whole.add(row)
            if name in ("body", "structure"):
                damage.add(row)
        yield damage.line("body + structure")
        yield whole.line("all")
        yield (
            f"exceptions {self.exceptions}, over {LIMIT:g} s {self.hangs}, "
            f"slowest {self.slowest:.2f} s, files refused as binary {self.refused}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=2000, help="mutations")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; each adds one")
    parser.add_argument("--files", type=int, default=150, help="files to draw from")
    parser.add_argument("--largest", type=int, default=60_000, help="bytes of a file")
    parser.add_argument("--verbose", action="store_true", help="print every harm")
    arguments = parser.parse_args()
    paths = sorted(
        path
        for folder in arguments.folders
        for path in folder.rglob("*")
        if path.suffix in SUFFIXES and path.is_file() and path.stat().st_size <= arguments.largest
    )
    random.Random(arguments.seed).shuffle(paths)
    subjects: list[Subject] = []
    for path in paths:
        if len(subjects) == arguments.files:
            break
        subject = load(path)
        if subject is not None:
            subjects.append(subject)
    if not subjects:
        print("no file with two functions of CUDA")
        return 2
    signal.signal(signal.SIGPROF, _alarm)
    fuzzer = Fuzzer(subjects, arguments.verbose)
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        fuzzer.round(seed)
        sys.stdout.flush()
    print("\n".join(fuzzer.table()))
    return int(bool(fuzzer.exceptions or fuzzer.hangs))


if __name__ == "__main__":
    sys.exit(main())
