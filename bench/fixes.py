"""What `warplint check --fix` does to other people's files.

    python bench/fixes.py FILE... [--unsafe] [--nvcc nvcc] [--select RULES] [--block X,Y,Z]

Each file's folder is copied, the copy is fixed, and checked again. For each file: findings that
offer an edit; of these, how many are gone after the fix; findings that are there and were not; how
much of the file is read before and after; whether it changes when fixed once more; and, where
`nvcc` is given, whether it compiles before and after (`-c -std=c++17 -arch=sm_90`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

WARPLINT = Path(sys.executable).parent / "warplint"
ROWS = ("offered", "gone", "left", "new", "same status", "idempotent", "nvcc before", "nvcc after")


def main() -> None:
    """Print a row for each file, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--nvcc")
    parser.add_argument("--select", default="SHM001,SUP001")
    parser.add_argument("--block", help="judge every kernel by this shape")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    print(*ROWS, "file", sep="\t")
    for path in options.files:
        row = measure(path.resolve(), options)
        total.update({name: int(value) for name, value in row.items()})
        print(*(int(row[name]) for name in ROWS), path, sep="\t", flush=True)
    print(*(total[name] for name in ROWS), f"{len(options.files)} files", sep="\t")


def measure(path: Path, options: argparse.Namespace) -> dict[str, int]:
    """One file in a copy of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / path.parent.name
        shutil.copytree(path.parent, work, symlinks=True)
        compiled = compiles(work / path.name, options.nvcc)
        before = check(work, path.name, options)
        fix = ("--fix", *(("--unsafe-fixes",) if options.unsafe else ()))
        check(work, path.name, options, *fix)
        after = check(work, path.name, options)
        text = (work / path.name).read_bytes()
        check(work, path.name, options, *fix)
        offered = [item for item in before["findings"] if offers(item, unsafe=options.unsafe)]
        old, new = (Counter(map(key, each["findings"])) for each in (before, after))
        wanted = Counter(map(key, offered))
        left = sum((wanted & new).values())
        return {
            "offered": len(offered),
            "gone": len(offered) - left,
            "left": left,
            "new": sum((new - old).values()),
            "same status": before["inputs"][0]["status"] == after["inputs"][0]["status"],
            "idempotent": text == (work / path.name).read_bytes(),
            "nvcc before": compiled,
            "nvcc after": compiles(work / path.name, options.nvcc),
        }


def offers(finding: dict[str, Any], *, unsafe: bool) -> bool:
    allowed = ("safe", "unsafe") if unsafe else ("safe",)
    return any(fix["edits"] and fix["applicability"] in allowed for fix in finding["fixes"])


def key(finding: dict[str, Any]) -> tuple[Any, ...]:
    # The padding stands in the line of the declaration, so lines stay and columns may not.
    return finding["rule"], finding["kernel"], finding["line"], finding["label"].split(",")[-1]


def check(work: Path, name: str, options: argparse.Namespace, *more: str) -> dict[str, Any]:
    command = [WARPLINT, "check", name, "--isolated", "--format", "json", *more]
    command += ["--block", options.block] if options.block else []
    done = subprocess.run(
        [*command, "--select", options.select], cwd=work, capture_output=True, check=False
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def compiles(path: Path, nvcc: str | None) -> bool:
    if nvcc is None:
        return False
    command = [nvcc, "-c", "-std=c++17", "-arch=sm_90", "-o", "/dev/null", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    main()
