"""What one command costs, in CPU time: `--version`, and `check` of a file anew and once more.

    python bench/start_up.py FILE... [--runs N]

User and system time of the whole process, the best of N runs: Python, imports, reading, rules,
report. "anew" is `check --no-cache` with parse tables and compiled modules in place; "again" is the
same file unchanged, so that the stored result is used. The last lines are the medians, and what
Python alone costs: how busy the machine is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

WARPLINT = Path(sys.executable).parent / "warplint"


def main() -> None:
    """Print milliseconds for each file, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WARPLINT_CACHE_DIR"] = folder
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        print("anew", "again", "file", sep="\t")
        rows = []
        for path in options.files:
            cost(WARPLINT, "check", str(path))  # makes what is kept
            row = [
                best(options.runs, WARPLINT, "check", str(path), *more)
                for more in (["--no-cache"], [])
            ]
            rows.append(row)
            print(*row, path, sep="\t", flush=True)
        print(best(options.runs, WARPLINT, "--version"), "--version", sep="\t")
        print(best(options.runs, sys.executable, "-c", "pass"), "Python alone", sep="\t")
        print(*(round(median(column)) for column in zip(*rows, strict=True)), "median", sep="\t")


def best(runs: int, *command: str | Path) -> int:
    """Milliseconds of the cheapest of some runs."""
    return min(cost(*command) for _ in range(runs))


def cost(*command: str | Path) -> int:
    """Milliseconds of one run, as the system counts them."""
    before = os.times()
    subprocess.run(command, capture_output=True, check=False)
    after = os.times()
    seconds = after.children_user + after.children_system
    return round(1000 * (seconds - before.children_user - before.children_system))


if __name__ == "__main__":
    main()
