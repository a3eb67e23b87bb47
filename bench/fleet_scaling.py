"""How a fleet scales: measured costs of repositories, replayed on other numbers of workers.

    python bench/fleet_scaling.py [--overhead SECONDS] [--copies N] COSTS.jsonl

In: `costs.jsonl` of a fleet. Out: for 1 to 1,000 workers how long the run would take, what part of
their time they work, and how many repositories an hour are done; and from how many workers on the
longest repository alone decides. The model is list scheduling, longest first, as the fleet does it
(Graham, "Bounds on multiprocessing timing anomalies", 1969: at most 4/3 of the best), with a
scheduler that hands out one piece of work at a time, `--overhead` seconds each. `--copies` makes a
larger fleet of the same costs. Not modelled: networks and disks that workers share.
"""

from __future__ import annotations

import argparse
import heapq
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WORKERS = (1, 2, 10, 20, 50, 100, 200, 500, 1000)
_OVERHEAD = 0.005  # seconds, as measured on one machine


@dataclass(frozen=True, slots=True)
class Replay:
    """One run with so many workers."""

    workers: int
    seconds: float
    work: float

    @property
    def efficiency(self) -> float:
        """The part of the workers' time that is work."""
        return self.work / (self.seconds * self.workers)


def replay(costs: Sequence[float], workers: int, overhead: float = _OVERHEAD) -> Replay:
    """The longest first, each to the worker that is free first, handed out one after the other."""
    free = [0.0] * workers
    handed, end = 0.0, 0.0
    for cost in sorted(costs, reverse=True):
        handed = max(handed, free[0]) + overhead
        done = handed + cost
        heapq.heapreplace(free, done)
        end = max(end, done)
    return Replay(workers, end, sum(costs))


def useful_workers(costs: Sequence[float]) -> int:
    """The number of workers from which on the longest piece of work alone decides."""
    return max(1, -(-int(sum(costs) * 1000) // int(max(costs) * 1000 or 1)))


def read_costs(path: Path) -> list[float]:
    """The last cost of each repository."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return list({row["name"]: row["fetch"] + row["check"] for row in rows}.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("costs", type=Path)
    parser.add_argument("--overhead", type=float, default=_OVERHEAD)
    parser.add_argument("--copies", type=int, default=1)
    given = parser.parse_args()
    costs = read_costs(given.costs) * given.copies
    print(f"{len(costs)} repositories, {sum(costs):.0f} s of work, the longest {max(costs):.0f} s")
    print("workers   seconds  efficiency  repositories an hour")
    for workers in WORKERS:
        run = replay(costs, workers, given.overhead)
        rate = 3600 * len(costs) / run.seconds
        print(f"{workers:7}  {run.seconds:8.0f}  {run.efficiency:9.0%}   {rate:10.0f}")
    print(f"from {useful_workers(costs)} workers on the longest repository decides")


if __name__ == "__main__":
    main()
