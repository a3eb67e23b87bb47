"""How long the analyses of a kernel take, by its size, on given files and folders.

    python bench/analysis_time.py PATH...                 every .cu and .ptx file below the paths
    python bench/analysis_time.py --sample 300 PATH...    300 of them, picked by --seed

Reading is not counted: what is timed is every default rule, with the facts it asks for, applied to
one kernel, in CPU time. It prints the time per IR operation by size of kernel, how it grows from
the median kernel to the largest, the slowest kernels with the rule that was the first to ask for
what is slow, and every kernel over the limit.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import facts_of
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.reading import read_input
from warplint.analyzer.findings.rule import Input, Subject
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from warplint.analyzer.findings.rule import Rule
    from warplint.analyzer.ir.kernel import Kernel, Module

LANGUAGES = {".cu": Input.CUDA, ".ptx": Input.PTX}
CLASSES = (30, 100, 300, 1_000, 3_000, 10_000)


class Timing(NamedTuple):
    """One kernel; `rules` are seconds by rule, in the order they were applied."""

    name: str
    size: int  # operations
    seconds: float
    rules: tuple[tuple[float, str], ...]

    @property
    def per_operation(self) -> float:
        """Microseconds for each operation."""
        return self.seconds / max(self.size, 1) * 1e6


def timed(kernel: Kernel, module: Module, rules: Sequence[Rule]) -> Timing:
    """Apply the rules to one kernel."""
    facts = facts_of(kernel, module, Settings())
    spent: list[tuple[float, str]] = []
    for rule in rules:
        start = time.process_time()
        list(rule.check(facts) if rule.check else ())
        spent.append((time.process_time() - start, rule.code))
    name = f"{module.source.path}:{kernel.span.line} {kernel.label}"
    size = sum(len(block.operations) for block in kernel.blocks)
    return Timing(name, size, sum(seconds for seconds, _ in spent), tuple(spent))


def timings(files: Sequence[Path]) -> Iterator[Timing]:
    """Every kernel of the files."""
    rules = [
        rule for rule in load_rules().values() if rule.default and rule.subject is Subject.KERNEL
    ]
    for path in files:
        language = LANGUAGES[path.suffix]
        module = read_input(InputFile(str(path), language), Settings()).module
        readers = [rule for rule in rules if language in rule.inputs]
        for kernel in module.kernels if module else ():
            yield timed(kernel, module, readers)


def report(found: list[Timing], limit: float) -> None:
    """Print everything."""
    found.sort(key=lambda one: one.size)
    print(
        f"{'operations':>12} {'kernels':>8} {'median us/op':>13} {'worst us/op':>12} {'worst s':>8}"
    )
    for low, high in zip((0, *CLASSES), (*CLASSES, 10**9), strict=True):
        part = [one for one in found if low <= one.size < high]
        if part:
            rates = [one.per_operation for one in part]
            slowest = max(one.seconds for one in part)
            row = f"{f'{low}-':>12} {len(part):>8} {median(rates):>13.1f} {max(rates):>12.1f}"
            print(f"{row} {slowest:>8.2f}")
    near = len(found) // 20
    middle = median(one.per_operation for one in found[9 * near : 11 * near + 1])
    largest = found[-max(near // 5, 1) :]
    print(f"kernels of median size ({found[len(found) // 2].size} operations): {middle:.1f} us/op")
    for one in largest[-5:]:
        print(f"  {one.size} operations: {one.per_operation:.1f} us/op  {one.name}")
    rate = median(one.per_operation for one in largest)
    print(f"the largest {len(largest)}: {rate:.1f} us/op, {rate / middle:.2f} times the median's")
    print("the slowest:")
    for one in sorted(found, key=lambda one: one.seconds, reverse=True)[:12]:
        seconds, rule = max(one.rules)
        print(f"  {one.seconds:.2f} s, {one.size} operations, {rule} {seconds:.2f} s  {one.name}")
    over = [one for one in found if one.seconds > limit]
    print(f"{len(found)} kernels, {len(over)} over {limit} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, help="at most so many files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for one kernel")
    arguments = parser.parse_args()
    files = [
        file
        for path in arguments.paths
        for file in ([path] if path.is_file() else sorted(path.rglob("*")))
        if file.suffix in LANGUAGES and file.is_file()
    ]
    if arguments.sample is not None and len(files) > arguments.sample:
        files = random.Random(arguments.seed).sample(files, arguments.sample)
    found = list(timings(files))
    if found:
        report(found, arguments.limit)


if __name__ == "__main__":
    main()
