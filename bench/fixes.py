"""What `warplint check --fix` does to other people's files.

    python bench/fixes.py FILE... [--unsafe] [--nvcc "nvcc -I..."] [--select RULES] [--block X,Y,Z]
                                  [--around N] [--draw N] [--show]

Folders stand for the .cu files in them; `--draw` takes N of those in which a check of the whole
folder offers an edit, the same ones at every call.
Each file's folder is copied, the copy is fixed, and checked again; N folders above it are there as
links, for what it includes. For each file: findings that offer an edit; of these, how many are gone
after the fix; findings that are there and were not; how much of the file is read before and after;
whether it changes when fixed once more; and, where `nvcc` is given, whether it compiles before and
after (`-c -std=c++17 -arch=sm_90`). A second table has the findings of each rule: offered and gone.
`--show` prints the findings that are left or new.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from draws import add_draw, cuda_files

WARPLINT = Path(sys.executable).parent / "warplint"
ROWS = ("offered", "gone", "left", "new", "same status", "idempotent", "nvcc before", "nvcc after")
LONGEST = 600  # seconds for one run; a file that takes longer is reported and left out

Key = tuple[Any, ...]


def main() -> None:
    """Print a row for each file, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--nvcc", help="the compiler and its options")
    parser.add_argument("--select", help="these rules instead of those that are on")
    parser.add_argument("--block", help="judge every kernel by this shape")
    parser.add_argument("--around", type=int, default=2, help="folders above that are kept")
    add_draw(parser)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    places = options.files
    if options.draw:
        places = [file for place in places for file in offering(place, options)]
    files = cuda_files(places, options.draw)
    total: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    print(*ROWS, "file", sep="\t")
    for path in files:
        try:
            row, wanted, left = measure(path.resolve(), options)
        except subprocess.TimeoutExpired:
            print(f"not finished in {LONGEST} s", path, sep="\t", flush=True)
            continue
        total.update({name: int(value) for name, value in row.items()})
        offered.update(by_rule(wanted))
        gone.update(by_rule(wanted - left))
        print(*(int(row[name]) for name in ROWS), path, sep="\t", flush=True)
    print(*(total[name] for name in ROWS), f"{len(files)} files", sep="\t")
    for rule in sorted(offered):
        print(rule, offered[rule], gone[rule], sep="\t")


def offering(folder: Path, options: argparse.Namespace) -> list[Path]:
    """The sources of a folder in which an edit is offered."""
    findings = check(folder, ".", options)["findings"]
    named = {item["path"] for item in findings if offers(item, item["path"], options.unsafe)}
    return sorted(folder / name for name in named if name.endswith(".cu"))


def measure(
    path: Path, options: argparse.Namespace
) -> tuple[dict[str, int], Counter[Key], Counter[Key]]:
    """One file in a copy of its folder: its row, what was offered, and what of it is left."""
    with tempfile.TemporaryDirectory() as folder:
        work = copied(path, Path(folder), options.around)
        before = check(work, path.name, options)
        items = [item for item in before["findings"] if offers(item, path.name, options.unsafe)]
        wanted, old = keys(work, items), keys(work, before["findings"])
        if not wanted:
            return dict.fromkeys(ROWS, 0) | {"same status": 1, "idempotent": 1}, wanted, Counter()
        compiled = compiles(work / path.name, options.nvcc)
        fix = ("--fix", *(("--unsafe-fixes",) if options.unsafe else ()))
        check(work, path.name, options, *fix)
        after = check(work, path.name, options)
        text = (work / path.name).read_bytes()
        new = keys(work, after["findings"])
        check(work, path.name, options, *fix)
        left, appeared = wanted & (new - (old - wanted)), new - old  # others look like them
        if options.show:
            for name, found in (("left", left), ("new", appeared)):
                for each in found.elements():
                    print("    ", name, *each, sep="  ")
        return (
            {
                "offered": wanted.total(),
                "gone": wanted.total() - left.total(),
                "left": left.total(),
                "new": appeared.total(),
                "same status": before["inputs"][0]["status"] == after["inputs"][0]["status"],
                "idempotent": text == (work / path.name).read_bytes(),
                "nvcc before": compiled,
                "nvcc after": compiled and compiles(work / path.name, options.nvcc),
            },
            wanted,
            left,
        )


def copied(path: Path, folder: Path, around: int) -> Path:
    """A copy of the file's folder, where its surroundings are links to the real ones."""
    here, above = folder, list(reversed(path.parents))
    for parent in above[max(1, len(above) - 1 - around) : -1]:
        for each in parent.iterdir():
            if each not in above:
                (here / each.name).symlink_to(each)
        here = here / above[above.index(parent) + 1].name
        here.mkdir()
    if here == folder:
        here = folder / path.parent.name
        here.mkdir()
    shutil.copytree(path.parent, here, symlinks=True, dirs_exist_ok=True)
    return here


def offers(finding: dict[str, Any], name: str, unsafe: bool) -> bool:
    """Whether it has an edit of the file itself; headers that are not named are left alone."""
    allowed = ("safe", "unsafe") if unsafe else ("safe",)
    return finding["path"] == name and any(
        fix["edits"] and fix["applicability"] in allowed for fix in finding["fixes"]
    )


def keys(work: Path, findings: list[dict[str, Any]]) -> Counter[Key]:
    """The findings by what they speak of: text that is put in moves lines and columns."""
    texts: dict[str, list[str]] = {}
    found: Counter[Key] = Counter()
    for item in findings:
        path = item["path"]
        if path not in texts:
            text = (work / path).read_bytes().decode("utf-8", "replace")
            texts[path] = text.splitlines()
        code = texts[path][item["line"] - 1 : item["end_line"]]
        code[-1] = code[-1][: item["end_column"] - 1]
        code[0] = code[0][item["column"] - 1 :]
        found[item["rule"], item["kernel"], "".join("".join(code).split())] += 1
    return found


def by_rule(found: Counter[Key]) -> Counter[str]:
    """How many of each rule."""
    return Counter(each[0] for each in found.elements())


def check(work: Path, name: str, options: argparse.Namespace, *more: str) -> dict[str, Any]:
    command = [WARPLINT, "check", name, "--isolated", "--format", "json", *more]
    command += ["--block", options.block] if options.block else []
    command += ["--select", options.select] if options.select else []
    done = subprocess.run(command, cwd=work, capture_output=True, check=False, timeout=LONGEST)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def compiles(path: Path, nvcc: str | None) -> bool:
    if nvcc is None:
        return False
    command = [*shlex.split(nvcc), "-c", "-std=c++17", "-arch=sm_90", "-o", "/dev/null", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    main()
