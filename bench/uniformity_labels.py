"""How many branches labelled by hand get the level that the source shows.

    python bench/uniformity_labels.py FOLDER [--all]

FOLDER holds a checkout per repository, `owner+name`; bench/uniformity_labels.toml names the
branches: repository, commit, path, line, kernel, level and the reason for it. A branch is found by
kernel and line; a block is given where the label rests on one that the file does not show, include
folders where it rests on a header. Printed are the branches on which label and analysis differ:
"too uniform" is an error, "too careful" is not known well enough. There are two sets: `branch`, 100
that the analysis was mended by, and `held_out`, 122 of other files that it was not.
"""

from __future__ import annotations

import argparse
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.warp_evaluation.uniformity import Uniformity
from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ir.operations import Branch, Switch
from warplint.analyzer.source.reader import read_source

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Module

LABELS = Path(__file__).with_suffix(".toml")
LEVELS = {str(level): level for level in Uniformity}


@dataclass(frozen=True)
class Label:
    """One branch and its level by hand."""

    repository: str
    path: str
    line: int
    kernel: str
    level: str
    reason: str
    block: tuple[int, ...] = ()
    include: tuple[str, ...] = ()


class Modules:
    """Files, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules: dict[Path, Module | None] = {}

    def of(self, label: Label) -> Module | None:
        """The module of a label's file."""
        root = self._folder / label.repository.replace("/", "+")
        path = root / label.path
        if path not in self._modules:
            source, _ = read_source(path)
            options = CudaOptions(include_paths=tuple(root / name for name in label.include))
            self._modules[path] = None if source is None else read_cuda(source, options)
        return self._modules[path]


def level(label: Label, module: Module) -> Uniformity | None:
    """The least uniform level that the analysis gives the branch, over instances and launches."""
    block = (label.block[0], label.block[1], label.block[2]) if label.block else None
    found: list[Uniformity] = []
    for kernel in module.kernels:
        if kernel.name != label.kernel:
            continue
        facts = KernelFacts(kernel, module, AnalysisOptions(block=block))
        for item in kernel.blocks:
            last = item.terminator
            span = last.location.span
            decides = isinstance(last, Branch | Switch) and span.line == label.line
            if decides and span.path.endswith(label.path):
                found += [launch.uniformity.of_branch(item) for launch in facts.launches]
    return max(found, default=None)


def main() -> None:
    """Print the table of agreement and the branches that differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="print every branch")
    arguments = parser.parse_args()
    data = tomllib.loads(LABELS.read_text(encoding="utf-8"))
    modules = Modules(arguments.folder)
    for name in ("branch", "held_out"):
        outcomes = compared(data[name], modules, show_all=arguments.all)
        counts = [f"{count} {outcome}," for outcome, count in outcomes.most_common()]
        print(f"{name}, {sum(outcomes.values())} branches:", *counts)


def compared(entries: list[dict[str, Any]], modules: Modules, *, show_all: bool) -> Counter[str]:
    """How often each outcome comes up; branches that differ are printed."""
    outcomes: Counter[str] = Counter()
    for entry in entries:
        lists = {name: tuple(entry.get(name, ())) for name in ("block", "include")}
        label = Label(**{**entry, **lists})
        module = modules.of(label)
        found = None if module is None else level(label, module)
        outcome = compare(label, found)
        outcomes[outcome] += 1
        if show_all or outcome != "equal":
            where = f"{label.repository} {label.path}:{label.line} {label.kernel}"
            print(f"{outcome}: {where}\n    {label.level} ({label.reason}), found {found}")
    return outcomes


def compare(label: Label, found: Uniformity | None) -> str:
    """Whether the analysis agrees with a label."""
    wanted = LEVELS[label.level]
    if found is None:
        return "settled at compile time" if wanted is Uniformity.GRID else "not found"
    if found == wanted:
        return "equal"
    return "too uniform" if found < wanted else "too careful"


if __name__ == "__main__":
    main()
