"""Whether the accesses that cost most on the hardware are those that warplint says cost most.

`python bench/cost_order.py ORACLE [--repositories FOLDER]`: for each measured launch, the lines
that access shared or global memory are ordered by their wavefronts or sectors, as counted and as
`kernel_cost.py` estimates them from the source. Printed are Kendall's tau-b over the pairs of lines
of each launch, and for how many launches the share of the costliest line is within ten points.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from h200_accuracy import KINDS, RATIOS, launch_of
from measured_sources import Reader, Sources, measured_launches

from warplint.analyzer.analyses.memory_traffic.compiled_place import compiled_place
from warplint.analyzer.hardware.throughput import Resource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.analyses.facts import LaunchFacts

RESOURCES = {"shared": Resource.WAVEFRONTS, "global": Resource.SECTORS}
NEAR = 0.1  # of all: how far the share of the costliest line may be off
CLOSE = 0.02  # measured costs that differ by less have no order

#: Costs by line: measured, estimated.
Costs = dict[tuple[str, str], list[float]]


def estimated(launch: LaunchFacts, names: set[str]) -> dict[tuple[str, str, str], float]:
    """By space, file name and line, of the innermost of these files that an access is in."""
    found: dict[tuple[str, str, str], float] = defaultdict(float)
    spaces = {resource: space for space, resource in RESOURCES.items()}
    for cost in launch.cost.costs:
        spans = [compiled_place(cost.access)]
        spans += [site.span for site in cost.access.location.call_chain()]
        for span in spans:
            name = Path(span.path).name
            if name in names:
                found[spaces[cost.resource], name, str(span.line)] += cost.units
                break
    return found


def launches(arguments: argparse.Namespace) -> Iterator[tuple[str, str, Costs]]:
    """Name, space, and the costs of each measured launch."""
    sources = Sources(arguments.oracle, arguments.repositories)
    reader = Reader(ptx=False)
    for measured in measured_launches(arguments.oracle):
        name = f"{measured.get('repo', '')} {measured['file']} {measured['kernel']}".strip()
        if arguments.only and arguments.only not in name:
            continue
        units = [unit for unit in sources.units(measured) if unit.is_file()]
        launch = launch_of(reader, units, measured, ptx=False) if units else None
        if launch is None:
            continue  # a repository that is not there, or an instance that was not found
        files = {measured["file"]: measured["lines"], **measured.get("other_files", {})}
        counted: dict[tuple[str, str, str], float] = defaultdict(float)
        for file, lines in files.items():
            for line, kinds in lines.items() if file is not None else ():
                for kind, values in kinds.items():
                    if kind in KINDS:
                        space = KINDS[kind][0]
                        counted[space, Path(file).name, line] += values.get(RATIOS[space][1], 0)
        ours = estimated(launch, {Path(file).name for file in files if file is not None})
        _beside(counted, ours)
        for space in RESOURCES:
            costs = {
                key[1:]: [units, ours.get(key, 0.0)]
                for key, units in counted.items()
                if key[0] == space and units
            }
            if costs:
                yield name, space, costs


def _beside(
    counted: dict[tuple[str, str, str], float], ours: dict[tuple[str, str, str], float]
) -> None:
    """Gives what the compiler has a line further on to that line: statements of several lines."""
    for space, file, line in list(counted.keys() - ours.keys()):
        for near in (int(line) - 1, int(line) + 1):
            key = (space, file, str(near))
            if key in ours and key not in counted:
                ours[space, file, line] = ours.pop(key)
                break


def pairs(costs: Costs) -> tuple[int, int, int, int]:
    """Pairs of lines in the same order, in the other, alike as measured, alike as estimated."""
    same = other = alike = ours_alike = 0
    for (first, one), (second, two) in combinations(costs.values(), 2):
        measured = 0 if abs(first - second) <= CLOSE * max(first, second) else first - second
        ours = 0 if abs(one - two) <= CLOSE * max(one, two) else one - two
        same += measured * ours > 0
        other += measured * ours < 0
        alike += measured == 0 and ours != 0
        ours_alike += ours == 0 and measured != 0
    return same, other, alike, ours_alike


def top_error(costs: Costs) -> float:
    """How far the share of the line that costs most is off."""
    totals = [sum(column) for column in zip(*costs.values(), strict=True)]
    measured, ours = max(costs.values(), key=lambda pair: pair[0])
    return abs(measured / totals[0] - (ours / totals[1] if totals[1] else 0.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle", type=Path)
    parser.add_argument("--repositories", type=Path, help="the folder of the repositories")
    parser.add_argument("--only", help="launches with this in their name")
    parser.add_argument("--differ", action="store_true", help="name what is off")
    arguments = parser.parse_args()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    errors: dict[str, list[float]] = defaultdict(list)
    for name, space, costs in launches(arguments):
        found = pairs(costs)
        error = top_error(costs)
        counts[space] = [a + b for a, b in zip(counts[space], found, strict=True)]
        errors[space].append(error)
        if arguments.differ and (found[1] or error > NEAR):
            lines = ", ".join(f"{key[1]}: {a:.0f}/{b:.0f}" for key, (a, b) in costs.items())
            print(f"{name} {space}: {found[1]} of {sum(found)} pairs, {error:.2f}; {lines}")
    print("| memory | launches | pairs | tau-b | share of the costliest line within 10 points |")
    print("|---|---|---|---|---|")
    for space, (same, other, alike, ours_alike) in counts.items():
        whole = sqrt((same + other + alike) * (same + other + ours_alike)) or 1
        near = sum(error <= NEAR for error in errors[space]) / len(errors[space])
        pairs_seen = same + other + alike + ours_alike
        print(
            f"| {space} | {len(errors[space])} | {pairs_seen} | {(same - other) / whole:.3f} "
            f"| {100 * near:.1f} % |"
        )


if __name__ == "__main__":
    main()
