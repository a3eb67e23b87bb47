"""Whether what a change was predicted to gain is what it gained on hardware.

`python bench/gains.py TIMES.csv SOURCE.cu [TIMES.csv SOURCE.cu ...]`: each source has kernels
`NAME_before` and `NAME_after`, and prints lines `NAME,microseconds before,after,...` when it runs
on a GPU, as `bench/gains/pairs.cu` does (`pairs.csv` is what it printed on an H100). Printed is
what the finding that gains most in NAME_before was predicted to save, what was measured, and
Kendall's tau-b between the two orders.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from itertools import combinations
from math import sqrt
from pathlib import Path

from start_up import WARPLINT

BEFORE = "_before"
NOISE = 0.02  # of the time: two runs of one version differ by less


def top_findings(source: Path) -> dict[str, tuple[float, str]]:
    """By name, what the finding in NAME_before that gains most saves of the time, and its rule."""
    command = [WARPLINT, "check", "--isolated", "--no-cache", "--format", "json", source]
    report = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
    found: dict[str, tuple[float, str]] = {}
    for finding in report["findings"]:
        name = (finding["kernel"] or "").partition("<")[0]
        if finding["gain"] is not None and name.endswith(BEFORE):
            gain = (finding["gain"]["time"], finding["rule"])
            name = name.removesuffix(BEFORE)
            found[name] = max(gain, found.get(name, gain))
    return found


def times(table: Path) -> dict[str, tuple[float, float]]:
    """By name, microseconds before and after."""
    with table.open(encoding="utf-8", newline="") as lines:
        return {row[0]: (float(row[1]), float(row[2])) for row in csv.reader(lines)}


def tau(pairs: list[tuple[float, float]]) -> float:
    """Kendall's tau-b of two orders."""
    score, first, second = 0, 0, 0
    for (a, b), (c, d) in combinations(pairs, 2):
        one, two = (a > c) - (a < c), (b > d) - (b < d)
        score += one * two
        first += abs(one)
        second += abs(two)
    return score / (sqrt(first * second) or 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", help="tables of times, each with its source")
    files = parser.parse_args().files
    pairs: list[tuple[float, float]] = []
    print("| Kernel | finding | before, µs | after, µs | predicted | measured |")
    print("|---|---|---|---|---|---|")
    for table, source in zip(files[::2], files[1::2], strict=True):
        found = top_findings(source)
        for name, (before, after) in times(table).items():
            gained = 1 - after / before
            code, predicted = "none", "-"
            if name in found:
                saved, code = found[name]
                predicted = f"{100 * saved:.0f} %"
                pairs.append((saved, gained))
            row = f"| {name} | {code} | {before:.1f} | {after:.1f} | {predicted} "
            print(f"{row}| {100 * gained:.0f} % |")
    slower = sum(gained < -NOISE for _, gained in pairs)
    print(f"\ntau-b {tau(pairs):.2f} over {len(pairs)} pairs with a finding; slower: {slower}")


if __name__ == "__main__":
    main()
