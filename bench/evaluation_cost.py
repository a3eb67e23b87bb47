"""What evaluating accesses adds to the time of `check`.

    python bench/evaluation_cost.py PATH...                 every .cu and .ptx file below the paths
    python bench/evaluation_cost.py --sample 100 PATH...    100 of them, picked by --seed

CPU time of reading the files and of every default rule that needs no degrees and sectors, and what
the rules that do, those of bank conflicts and coalescing, take beyond that: they come last, so that
what others ask for too is not counted as theirs. Launches, reports and results that are kept come
on top of both. It prints the kernels that evaluation costs most.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.file_check import facts_of
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.reading import read_input
from warplint.analyzer.findings.rule import Input, Subject
from warplint.rules import load_rules

LANGUAGES = {".cu": Input.CUDA, ".ptx": Input.PTX}
#: The rules that ask what banks and sectors make of an access, or evaluate its lanes themselves.
EVALUATING = frozenset(
    {"SHM001", "SHM002", "GLB001", "GLB002", "GLB003", "GLB004", "GLB005", "GLB009", "DIV001"}
)


def measure(files: list[Path]) -> tuple[float, list[tuple[float, str]]]:
    """Seconds without evaluation, and those of evaluation for each kernel."""
    rules = [r for r in load_rules().values() if r.default and r.subject is Subject.KERNEL]
    rules.sort(key=lambda rule: rule.code in EVALUATING)
    plain = 0.0
    kernels: list[tuple[float, str]] = []
    for path in files:
        start = time.process_time()
        language = LANGUAGES[path.suffix]
        module = read_input(InputFile(str(path), language), Settings()).module
        plain += time.process_time() - start
        for kernel in module.kernels if module else ():
            assert module is not None
            evaluating = 0.0
            facts = facts_of(kernel, module, Settings())
            for rule in rules:
                if language in rule.inputs and rule.check is not None:
                    start = time.process_time()
                    list(rule.check(facts))
                    spent = time.process_time() - start
                    if rule.code in EVALUATING:
                        evaluating += spent
                    else:
                        plain += spent
            kernels.append((evaluating, f"{path}:{kernel.span.line} {kernel.name}"))
    return plain, kernels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--sample", type=int, help="at most so many files")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    files = [
        file
        for path in arguments.paths
        for file in ([path] if path.is_file() else sorted(path.rglob("*")))
        if file.suffix in LANGUAGES and file.is_file()
    ]
    if arguments.sample is not None and len(files) > arguments.sample:
        files = random.Random(arguments.seed).sample(files, arguments.sample)
    plain, kernels = measure(files)
    evaluating = sum(seconds for seconds, _ in kernels)
    share = 100 * evaluating / plain if plain else 0.0
    for seconds, name in sorted(kernels, reverse=True)[:5]:
        print(f"  {seconds:.2f} s  {name}")
    print(f"{len(files)} files, {len(kernels)} kernels")
    print(f"without evaluation {plain:.2f} s, evaluation {evaluating:.2f} s: {share:.0f} % more")


if __name__ == "__main__":
    main()
