"""How fast and how large the PTX front end is, on given files and as they grow.

    python bench/ptx_front_end.py FILE.ptx...          instructions per second, MB/s, peak memory
    python bench/ptx_front_end.py --grow FILE.ptx...   also from 0.1 to 25 MB: functions repeated

Every measurement runs in a process of its own, so that its peak memory is its own. Times are CPU
times of the best of three runs (of one above 5 MB). "to IR" is parsing and lowering together.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

SIZES = (0.1, 0.3, 1.0, 3.0, 10.0, 25.0)
HEADER = f"{'input':<28} {'MB':>6} {'instr':>8} {'parse/s':>9} {'to IR/s':>9} "
HEADER += f"{'MB/s':>6} {'to IR s':>8} {'peak MB':>8}"


def measure(text: str) -> dict[str, float]:
    """Times and memory of reading one text, in this process."""
    from warplint.analyzer.ptx.lowering.module import lower_ptx
    from warplint.analyzer.ptx.syntax.parse import parse_ptx
    from warplint.analyzer.ptx.syntax.statement_patterns import lark_parser
    from warplint.analyzer.ptx.syntax.tree import Instruction
    from warplint.analyzer.source.collection import collection_paused
    from warplint.analyzer.source.text import SourceText

    lark_parser()
    best_parse = best_lower = float("inf")
    for _ in range(3 if len(text) < 5_000_000 else 1):
        source = SourceText("bench.ptx", text)
        with collection_paused():
            start = time.process_time()
            module = parse_ptx(source)
            parsed = time.process_time()
            kernels = lower_ptx(module).kernels
            end = time.process_time()
        best_parse = min(best_parse, parsed - start)
        best_lower = min(best_lower, end - parsed)
        count = sum(
            isinstance(statement, Instruction)
            for function in module.functions
            for statement in function.body or ()
        )
        del module, kernels
    return {
        "size": len(text) / 1e6,
        "instructions": count,
        "parse": best_parse,
        "lower": best_lower,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def repeated(text: str, size: float) -> str:
    """The text's functions under new names, over and over, up to `size` megabytes."""
    first = re.search(r"^(?:\.\w+\s+)*\.(?:entry|func)\b", text, re.MULTILINE)
    last = text.rfind("\n}")
    if first is None or last < 0:
        return text
    head, body, tail = text[: first.start()], text[first.start() : last + 3], text[last + 3 :]
    names = re.findall(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)", body)
    name = re.compile("|".join(rf"\b{re.escape(one)}(?=_param|\b)" for one in sorted(set(names))))
    parts = [head]
    length = len(head)
    number = 0
    while length < size * 1e6:
        part = name.sub(rf"\g<0>_{number}", body)
        missing = int(size * 1e6) - length
        if len(part) > missing and number:
            end = part.find("\n}\n", missing)
            part = part[: end + 3] if end > 0 else part
        parts.append(part)
        length += len(part)
        number += 1
    return "".join([*parts, tail])


def report(label: str, text: str) -> None:
    """Measure in a fresh process and print one row."""
    command = [sys.executable, __file__, "--measure"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    count, parse, lower = found["instructions"], found["parse"], found["lower"]
    total = parse + lower
    print(
        f"{label:<28} {found['size']:>6.2f} {count:>8} {count / parse:>9.0f} "
        f"{count / total:>9.0f} {found['size'] / total:>6.2f} {total:>8.2f} {found['peak']:>8.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--grow", action="store_true")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(sys.stdin.read())))
        return
    print(HEADER)
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in arguments.files]
    for path, text in zip(arguments.files, texts, strict=True):
        report(path.name[:28], text)
    if arguments.grow and texts:
        largest = max(texts, key=len)
        for size in SIZES:
            report(f"grown to {size} MB", repeated(largest, size))


if __name__ == "__main__":
    main()
