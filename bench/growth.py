"""How time and memory grow with the size of an input, construct by construct.

    python bench/growth.py [--most BYTES] [--steps N] [--only TEXT]... [--limit SECONDS]

For each generator of `growth_inputs.py`, `growth_attacks.py` and `growth_modern.py` the file is
made at doubling sizes up to `--most` and checked with every rule in a process of its own, under
limits of time and memory. Printed: processor seconds and peak megabytes at each size, and the
exponent: the slope of log time over log size between the sizes that took longer than 0.3 s, the
start of the process left out. A row is marked where the exponent is above 1.3, and where a limit is
passed: 10 s, 512 MB, an internal error, or a process that dies.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import signal
import sys
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

import growth_attacks
import growth_inputs
import growth_modern

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.findings.rule import Input
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable

EXPONENT, SECONDS, MEGABYTES = 1.3, 10.0, 512
_SHORTEST = 0.3  # seconds: below them the exponent says nothing
_FAILED = 7


@dataclass(frozen=True, slots=True)
class Point:
    """One check: the size of the input, and what it took."""

    size: int
    seconds: float
    megabytes: int
    failure: str  # "" where it ended well

    def __str__(self) -> str:
        return f"{self.size // 1000}k {self.seconds:.1f}s {self.megabytes}M{self.failure}"


def main() -> int:
    """Print a row for each generator; 1 where one passes a limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=400_000, metavar="BYTES")
    parser.add_argument("--steps", type=int, default=4, metavar="N")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--limit", type=float, default=40.0, metavar="SECONDS")
    options = parser.parse_args()
    _warm_up()
    bad = 0
    rows: list[tuple[float, list[Point]]] = []
    for name, language, make in _generators():
        if options.only and not any(text in name for text in options.only):
            continue
        points = _points(make, language, options)
        exponent = _exponent(points)
        marks = [*_marks(points, exponent)]
        bad += bool(marks)
        rows.append((exponent, points))
        shown = "  ".join(map(str, points))
        print(f"{name:30} {exponent:5.2f}  {shown}  {' '.join(marks)}", flush=True)
    print(f"{_largest(rows)}; {bad} beyond a limit")
    return int(bad > 0)


def _generators() -> list[tuple[str, Input, Callable[[int], str]]]:
    cuda = growth_inputs.CUDA | growth_attacks.CUDA | growth_modern.CUDA
    ptx = growth_inputs.PTX_INPUTS | growth_attacks.PTX_INPUTS | growth_modern.PTX_INPUTS
    return [
        *((f"cuda: {name}", Input.CUDA, make) for name, make in cuda.items()),
        *((f"ptx: {name}", Input.PTX, make) for name, make in ptx.items()),
    ]


def _warm_up() -> None:
    """Import here what a check needs, so that no measurement does."""
    rules = tuple(load_rules().values())
    for name, language, make in _generators():
        if name.endswith(": shared accesses"):
            check(Inputs([InputFile(name, language, make(3).encode())]), Settings(), rules)


def _points(
    make: Callable[[int], str], language: Input, options: argparse.Namespace
) -> list[Point]:
    points: list[Point] = []
    for step in reversed(range(options.steps)):
        text = _of_size(make, options.most >> step)
        points.append(_measured(text, language, options.limit))
        if points[-1].failure:
            break
    return points


def _of_size(make: Callable[[int], str], size: int) -> str:
    """The longest text of a generator that is not longer than this."""
    low, high = 1, 2
    while len(make(high)) <= size:
        low, high = high, 2 * high
    while high - low > max(1, low // 64):
        middle = (low + high) // 2
        low, high = (middle, high) if len(make(middle)) <= size else (low, middle)
    return make(low)


def _measured(text: str, language: Input, limit: float) -> Point:
    child = os.fork()
    if not child:
        _checked(text, language, limit)
    _, status, usage = os.wait4(child, 0)
    failure = ""
    if os.WIFSIGNALED(status):
        failure = f" {signal.Signals(os.WTERMSIG(status)).name}"
    elif os.WEXITSTATUS(status) == _FAILED:
        failure = " internal error"
    elif os.WEXITSTATUS(status):
        failure = f" exit {os.WEXITSTATUS(status)}"
    return Point(len(text), usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, failure)


def _checked(text: str, language: Input, limit: float) -> None:
    """Check a text in this process, and end it."""
    seconds = math.ceil(limit)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000))
    code = 1
    try:
        name = "grown.ptx" if language is Input.PTX else "grown.cu"
        inputs = Inputs([InputFile(name, language, text.encode())])
        result = check(inputs, Settings(), tuple(load_rules().values()))
        errors = [
            problem.message
            for item in result.inputs
            for problem in item.problems
            if "internal error" in problem.message
        ]
        for message in errors[:3]:
            print(f"    {message[:150]}", flush=True)
        code = _FAILED if errors else 0
    except BaseException:
        traceback.print_exc(limit=-5)
    finally:
        sys.stdout.flush()
        os._exit(code)


def _exponent(points: list[Point]) -> float:
    """The slope of the logarithms, by least squares."""
    pairs = [
        (math.log(point.size), math.log(point.seconds))
        for point in points
        if point.seconds > _SHORTEST
    ]
    if len(pairs) < 2:
        return 0.0
    x, y = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    spread = sum((a - x) ** 2 for a, _ in pairs)
    return sum((a - x) * (b - y) for a, b in pairs) / spread if spread else 0.0


def _largest(rows: list[tuple[float, list[Point]]]) -> str:
    """The largest of each figure over all generators."""
    every = [point for _, points in rows for point in points]
    slow = sum(points[-1].seconds > SECONDS for _, points in rows)
    return (
        f"{len(rows)} generators: exponent {max((row[0] for row in rows), default=0.0):.2f}, "
        f"{max((point.seconds for point in every), default=0.0):.1f} s, "
        f"{max((point.megabytes for point in every), default=0)} MB at most, "
        f"{slow} above {SECONDS:.0f} s"
    )


def _marks(points: list[Point], exponent: float) -> list[str]:
    last = points[-1]
    return [
        *(["EXPONENT"] if exponent > EXPONENT else []),
        *(["TIME"] if last.seconds > SECONDS else []),
        *(["MEMORY"] if max(point.megabytes for point in points) > MEGABYTES else []),
        *(["FAILURE"] if last.failure else []),
    ]


if __name__ == "__main__":
    sys.exit(main())
