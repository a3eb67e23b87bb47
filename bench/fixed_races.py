"""How many races that maintainers found and fixed are found in the version before the fix.

    python bench/fixed_races.py FOLDER [--half HALF] [--pair TEXT] [--seconds N]

FOLDER holds git directories of the repositories with their history, `owner+name`. The pairs are in
bench/fixed_races.toml: the commit that mends the race, the file that has the kernel, and the lines
of the racing accesses, or of the barrier at fault, in the parent of that commit. Both trees are
taken out of git, whole, and the file is checked in each. A pair is found when a finding of the race
or barrier rules says one of these lines in the version before, and the version after has no finding
of the same rule at what became of that line. A check that takes more CPU time than allowed counts
as missed. Half of the pairs are never looked at ("held"). Ends with 2 if a repository is missing.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import resource
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import NamedTuple

from checkouts import MissingError, git_directory, work_tree

PAIRS = Path(__file__).with_suffix(".toml")
RULES = (
    *("SYN001", "SYN002", "SYN003", "SYN004", "SYN006", "SYN007", "SYN008", "SYN009", "SYN010"),
    *("SYN011", "SYN012", "WRP001", "WRP002", "WRP003"),
)


class Found(NamedTuple):
    """One finding: its rule, whether it is proven, and the lines of one file that it says."""

    rule: str
    definite: bool
    lines: frozenset[int]


def findings(tree: Path, pair: dict[str, object], seconds: int) -> list[Found] | None:
    """What is found in the file, by lines of the pair's; None when it takes too long."""
    command = [sys.executable, "-m", "warplint", "check", "--isolated", "--no-cache"]
    command += ["--show-possible", "--format", "json", str(pair["file"])]
    command += ["--select", ",".join(RULES)]
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds))
    ran = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, preexec_fn=limit, check=False
    )
    if ran.returncode < 0:
        return None
    place = str(pair.get("place", pair["file"]))
    report = json.loads(ran.stdout or b'{"findings": []}')
    return [_found(each, place) for each in report["findings"] if each["rule"] in RULES]


def _found(finding: dict[str, object], place: str) -> Found:
    """The lines of `place` at which a finding's accesses or barriers are."""
    flows = finding.get("flows") or ()
    assert isinstance(flows, list | tuple)
    said = [finding, *(step for flow in flows for step in flow["steps"])]
    for key in ("places", "related"):
        others = finding.get(key) or ()
        assert isinstance(others, list | tuple)
        said += others
    lines = frozenset(int(each["line"]) for each in said if str(each["path"]).endswith(place))
    return Found(str(finding["rule"]), finding["certainty"] == "definite", lines)


def moved(before: Path, after: Path) -> dict[int, int]:
    """What became of the lines of a file that are in both versions."""
    matcher = difflib.SequenceMatcher(None, _lines(before), _lines(after), autojunk=False)
    return {
        block.a + step + 1: block.b + step + 1
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    }


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return [line.strip() for line in text.splitlines()]


def judged(git: Path, pair: dict[str, object], seconds: int) -> str:
    """definite, possible, still there, missed, or too long."""
    numbers = pair["lines"]
    assert isinstance(numbers, list)
    with tempfile.TemporaryDirectory() as folder:
        trees = Path(folder, "before"), Path(folder, "after")
        for tree, commit in zip(trees, (f"{pair['after']}^", str(pair["after"])), strict=True):
            work_tree(git, commit, tree)
        before = findings(trees[0], pair, seconds)
        if before is None:
            return "too long"
        hits = [each for each in before if each.lines & set(numbers)]
        if not hits:
            return "missed"
        after = findings(trees[1], pair, seconds)
        if after is None:
            return "too long"
        place = str(pair.get("place", pair["file"]))
        lines = moved(trees[0] / place, trees[1] / place)
    gone = [hit for hit in hits if not _still_there(hit, set(numbers), lines, after)]
    if any(hit.definite for hit in gone):
        return "definite"
    return "possible" if gone else "still there"


def _still_there(hit: Found, numbers: set[int], lines: dict[int, int], after: list[Found]) -> bool:
    """Whether the fixed version has this finding, at least as surely, at all its lines."""
    places = {lines[number] for number in hit.lines & numbers if number in lines}
    return any(
        each.rule == hit.rule and each.definite >= hit.definite and places and places <= each.lines
        for each in after
    )


def main() -> int:
    """Print a line for each pair and one for each half."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", default="", help="only this half: known or held")
    parser.add_argument("--pair", default="", help="only pairs with this text in name or file")
    parser.add_argument("--seconds", type=int, default=120, help="CPU time that a check may take")
    arguments = parser.parse_args()
    pairs = {
        f"{pair['repository']} {pair['after']} {pair['file']}:{pair['lines'][0]}": pair
        for pair in tomllib.loads(PAIRS.read_text(encoding="utf-8"))["pair"]
        if arguments.half in pair["half"]
    }
    asked = {name: pair for name, pair in pairs.items() if arguments.pair in name}
    try:
        places = {
            pair["repository"]: git_directory(arguments.folder, pair["repository"])
            for pair in asked.values()
        }
    except MissingError as error:
        print(f"missing: {error}", file=sys.stderr)
        return 2
    counts: dict[str, Counter[str]] = {}
    for name, pair in asked.items():
        verdict = judged(places[pair["repository"]], pair, arguments.seconds)
        counts.setdefault(pair["half"], Counter())[verdict] += 1
        print(f"{verdict:12}{pair['half']:6}{name} {pair['reason']}", flush=True)
    for half, count in counts.items():
        definite = count["definite"]
        print(
            f"{half}: {count.total()} pairs, {definite} definite, "
            f"{definite + count['possible']} with possible ones, {count['still there']} still there"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
