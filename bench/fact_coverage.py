"""How much is known of the accesses in the kernels of a folder of repositories.

    python bench/fact_coverage.py FOLDER [--only NAME] [--sample N] [--reasons N]

FOLDER holds one checkout per folder; each is read with every folder named `include`, `inc`,
`common` or `src` in it as -I, and with the folders from which alone its `#include` lines find what
they name, as its build would. For each: kernels, accesses in them, the share whose objects are all
known, the share that touches one object (what a pointer in memory leads to counts as one), and the
share whose offset has a known form; of those forms the share that is closed (over indices,
counters, parameters, uniform symbols), stepped (also over paths and loop rounds), loaded (also over
values that memory gave); then the reasons for what is not known, most frequent first, and the calls
that were not followed. What hangs on a name that no file of the checkout declares (cute without
CUTLASS, libcu++) is in a header that the checkout lacks: it is marked `absent`, and the shares
without it are printed, too. Files that include HIP's headers are left out.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from warplint.analyzer.analyses.dataflow.control_flow import ControlFlow
from warplint.analyzer.analyses.pointers.address_forms import AddressForms, Form
from warplint.analyzer.analyses.pointers.points_to import PointsTo
from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ir.operations import Call, MemoryAccess, OpaqueOperation, Operation
from warplint.analyzer.ir.types import Kind
from warplint.analyzer.ir.values import Unknown
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ir.kernel import Kernel
    from warplint.analyzer.ir.values import Value

SUFFIXES = {".cu", ".cuh"}
TEXTS = {".cu", ".cuh", ".h", ".hpp", ".hxx", ".inl", ".cpp", ".cc"}
INCLUDES = {"include", "inc", "common", "src"}
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_DECLARED = re.compile(
    r"(?:struct|class|union|using|define|namespace|enum|typename)[ \t]+(\w+)"
    r"|\b(?!return|else|throw|new|case|goto)[\w>]+[ \t&*]+(\w+)[ \t]*\("
)
_CALLED = re.compile(r"call of ([\w:]+)[^:\w]*: (?:its definition|method of)")
_UNDECLARED = re.compile(r"(\w+) is not declared in this file")
_NO_NAMES = frozenset({"auto", "lambda", "function"})
_ABSENT = "absent header:"


@dataclass(slots=True)
class Tally:
    """The figures of one repository."""

    kernels: int = 0
    accesses: int = 0
    objects: int = 0
    single: int = 0  # of these, accesses of one object
    forms: Counter[Form] = field(default_factory=Counter)
    no_object: Counter[str] = field(default_factory=Counter)
    no_form: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    absent_objects: int = 0
    absent_forms: int = 0
    absent: int = 0  # accesses with either

    def add(self, kernel: Kernel, declared: frozenset[str]) -> None:
        """Count one kernel of a checkout that declares these names."""
        self.kernels += 1
        flow, pointers = ControlFlow(kernel), PointsTo(kernel)
        forms = AddressForms(kernel, flow, pointers)
        for operation in kernel.operations():
            if isinstance(operation, Call):
                self.calls[f"call of {operation.callee}: {operation.reason}"] += 1
            elif isinstance(operation, OpaqueOperation):
                self.calls[f"statement: {operation.reason}"] += 1
            if not isinstance(operation, MemoryAccess):
                continue
            self.accesses += 1
            no_object = no_form = ""
            if forms.knows_object(operation):
                self.objects += 1
                self.single += pointers.object_of(operation) is not None
            else:
                no_object = marked(origin(operation.address, pointers), declared)
                self.no_object[no_object] += 1
            form = forms.offset(operation)
            self.forms[form] += 1
            if form is Form.UNKNOWN:
                no_form = marked(forms.offset_reason(operation), declared)
                self.no_form[no_form] += 1
            outside = [reason.startswith(_ABSENT) for reason in (no_object, no_form)]
            self.absent_objects += outside[0]
            self.absent_forms += outside[1]
            self.absent += any(outside)

    def merge(self, other: Tally) -> None:
        """Add another repository's figures."""
        self.kernels += other.kernels
        self.accesses += other.accesses
        self.objects += other.objects
        self.single += other.single
        self.absent += other.absent
        self.absent_objects += other.absent_objects
        self.absent_forms += other.absent_forms
        for mine, theirs in (
            (self.forms, other.forms),
            (self.no_object, other.no_object),
            (self.no_form, other.no_form),
            (self.calls, other.calls),
        ):
            mine.update(theirs)  # type: ignore[arg-type]

    @property
    def known_forms(self) -> int:
        """Accesses whose offset has a known form."""
        return self.accesses - self.forms[Form.UNKNOWN]

    def without_absent(self) -> str:
        """The shares without the accesses that hang on absent headers."""
        left = max(self.accesses - self.absent, 1)
        objects = self.objects - (self.absent - self.absent_objects)
        forms = self.known_forms - (self.absent - self.absent_forms)
        return (
            f"    without {self.absent} accesses that hang on absent headers: "
            f"object {100 * objects / left:.1f} %, form {100 * forms / left:.1f} %"
        )

    def row(self, name: str) -> str:
        """One line of the table."""
        known = self.known_forms
        shares = [self.objects, self.single, known, *(self.forms[form] for form in list(Form)[:3])]
        text = " ".join(f"{100 * share / max(self.accesses, 1):8.1f}" for share in shares)
        return f"{name[-34:]:34} {self.kernels:7} {self.accesses:8} {text}"


def marked(reason: str, declared: frozenset[str]) -> str:
    """A reason, marked where it names something that the checkout does not declare."""
    called = _CALLED.match(reason) or _UNDECLARED.match(reason)
    if called is None:
        return reason
    parts = called[1].split("::")
    owner = parts[-2] if "method of" in reason and len(parts) > 1 else parts[-1]
    known = {owner, parts[0]} <= declared | _NO_NAMES
    return reason if known else f"{_ABSENT} {reason}"


def declared_names(folder: Path) -> frozenset[str]:
    """Every name that a source file of a checkout seems to declare."""
    found: set[str] = set()
    for path in source_files(folder):
        text = path.read_text(encoding="utf-8", errors="replace")
        found.update(*(match for match in _DECLARED.findall(text)))
    return frozenset(found)


def source_files(folder: Path) -> list[Path]:
    """The files of a checkout that a translation unit may consist of."""
    return [path for path in sorted(folder.rglob("*")) if path.suffix in TEXTS and path.is_file()]


def include_paths(folder: Path) -> tuple[Path, ...]:
    """The folders of -I: those with a usual name, then those from which alone a name is found."""
    usual = [
        path
        for path in sorted(folder.rglob("*"))
        if path.name.lower() in INCLUDES and path.is_dir()
    ]
    by_name: dict[str, list[Path]] = {}
    files = source_files(folder)
    for path in files:
        by_name.setdefault(path.name, []).append(path)
    found: Counter[Path] = Counter()
    for path in files:
        for name in _INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
            if any((root / name).is_file() for root in (path.parent, *usual)):
                continue
            parts = Path(name).parts
            roots = {
                each.parents[len(parts) - 1]
                for each in by_name.get(parts[-1], ())
                if each.parts[-len(parts) :] == parts
            }
            found.update(roots if len(roots) == 1 else ())
    return (*usual, *(path for path, _ in found.most_common()))


def origin(address: Value, pointers: PointsTo) -> str:
    """Where an address whose object is not known comes from: the first such value behind it."""
    seen: set[Value] = set()
    work = [address]
    while work:
        value = work.pop(0)
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Unknown):
            if value.type.kind is not Kind.INTEGER:
                return value.reason
        elif isinstance(value, Operation):
            operands = [item for item in value.operands if _unclear(item, pointers)]
            bases = [item for item in operands if item.type.kind is not Kind.INTEGER]
            operands = bases or operands
            if operands and not isinstance(value, MemoryAccess | Call):
                work += operands
            elif _unclear(value, pointers):
                return _named(value)
    return "an integer used as an address"


def _unclear(value: Value, pointers: PointsTo) -> bool:
    return None in pointers.of(value) or isinstance(value, Unknown)


def _named(value: Operation) -> str:
    if isinstance(value, Call):
        return f"call of {value.callee}: {value.reason}"
    kind = getattr(value, "kind", None)
    name = getattr(value, "name", "") if kind is None else kind.value
    return f"{value.opcode.value} {name} of type {value.type}"


def kernels(folder: Path, sample: int) -> Iterator[Kernel]:
    """The first instance of every kernel of a repository, in its headers too."""
    includes = include_paths(folder)
    paths = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    if sample and len(paths) > sample:
        paths = sorted(random.Random(1).sample(paths, sample))
    paths.sort(key=lambda path: path.suffix != ".cu")  # a header counts as its includer reads it
    seen: set[tuple[str, int]] = set()
    for path in paths:
        source, _ = read_source(path)
        if source is None or "hip/hip_runtime" in source.text:
            continue
        for kernel in read_cuda(source, CudaOptions(include_paths=includes)).kernels:
            key = (os.path.realpath(kernel.span.path), kernel.span.start)
            if key not in seen:
                seen.add(key)
                yield kernel


def main() -> None:
    """Print the table and the reasons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="repositories whose name contains this")
    parser.add_argument("--sample", type=int, default=0, help="this many files of each repository")
    parser.add_argument("--reasons", type=int, default=5)
    arguments = parser.parse_args()
    heads = ("object %", "one %", "form %", "closed", "stepped", "loaded")
    print(f"{'repository':34} {'kernels':>7} {'accesses':>8}", *(f"{head:>8}" for head in heads))
    total = Tally()
    for folder in sorted(path for path in arguments.folder.iterdir() if path.is_dir()):
        if arguments.only not in folder.name:
            continue
        tally, declared = Tally(), declared_names(folder)
        for kernel in kernels(folder, arguments.sample):
            tally.add(kernel, declared)
        total.merge(tally)
        print(tally.row(folder.name))
        show(tally, arguments.reasons)
        sys.stdout.flush()
    print(total.row("all"))
    show(total, 4 * arguments.reasons)


def show(tally: Tally, most: int) -> None:
    """The reasons for what is not known."""
    if tally.absent:
        print(tally.without_absent())
    named = (("object", tally.no_object), ("form", tally.no_form), ("not followed", tally.calls))
    for what, reasons in named:
        for reason, count in reasons.most_common(most):
            print(f"    {what}: {count:6} x {' '.join(reason.split())[:110]}")


if __name__ == "__main__":
    main()
