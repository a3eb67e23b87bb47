"""What was read and judged once, against what is reported now.

    python bench/readings.py REPOSITORIES [--only NAME] [--show]

`readings.csv` has a line for each finding that somebody read against its source: repository,
commit, path, line, rule, severity and kernel say which finding it was; `right` (yes, no, or
unclear) whether what it says is so; `worth` (the same) whether the owner of the code would act on
it, or be glad to know; `drawn` (yes, no) whether chance chose it, of all that was shown; `cause`
what made a wrong one wrong. REPOSITORIES holds a git directory for each, `owner+name`; every
repository is checked at the commit at which it was read. A finding is one that was read if rule,
path, line and kernel are the same, the arguments of a template left out.

Printed are, by severity and by rule: how many were read, the right ones that are still reported,
the wrong ones that are still reported, the share of right ones in what is still reported, how much
of that is worth it, and the errors and warnings that nobody read. Then the kernels of each
repository, their accesses, and the share that could be judged. `--show` names right ones that are
gone, wrong ones that are left, and what nobody read. Ends with 2 where a repository is missing.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from checkouts import MissingError, git_directory, require, work_tree
from start_up import WARPLINT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LABELS = Path(__file__).with_suffix(".csv")
COLUMNS = ("repository", "commit", "path", "line", "rule", "severity", "kernel", "right", "worth",
           "drawn", "cause")  # fmt: skip
ANSWERS = ("yes", "no", "unclear")
SHOWN = ("error", "warning")  # severities that a terminal shows one by one
LONGEST = 3600  # seconds for one repository
_ARGUMENTS = re.compile(r"<.*", re.DOTALL)


class Place(NamedTuple):
    """What makes two findings the same."""

    rule: str
    path: str
    line: int
    kernel: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A finding that was read, and how it was judged."""

    repository: str
    commit: str
    place: Place
    severity: str
    right: str
    worth: str
    drawn: str
    cause: str


class Report(NamedTuple):
    """What one repository gives now."""

    found: Counter[Place]
    severities: dict[Place, str]
    kernels: int
    accesses: int
    judged: int


@dataclass(slots=True)
class Tally:
    """What became of the readings of a rule or of a severity."""

    read: int = 0
    right: int = 0
    right_found: int = 0
    wrong: int = 0
    wrong_found: int = 0
    judged: int = 0  # still reported, and somebody said whether it is worth it
    worth: int = 0
    unread: int = 0

    def add(self, reading: Reading, *, found: bool) -> None:
        self.read += 1
        self.right += reading.right == "yes"
        self.right_found += found and reading.right == "yes"
        self.wrong += reading.right == "no"
        self.wrong_found += found and reading.right == "no"
        self.judged += found and reading.worth in ("yes", "no")
        self.worth += found and reading.worth == "yes"

    def row(self, name: str) -> str:
        said = self.right_found + self.wrong_found
        share = f"{100 * self.right_found / said:.0f} %" if said else "-"
        return (
            f"| {name} | {self.read} | {self.right_found} of {self.right} "
            f"| {self.wrong_found} of {self.wrong} | {share} "
            f"| {self.worth} of {self.judged} | {self.unread} |"
        )


def readings(path: Path) -> list[Reading]:
    """The lines of the table."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [_reading(row) for row in csv.DictReader(lines, strict=True)]


def _reading(row: dict[str, str]) -> Reading:
    place = Place(row["rule"], row["path"], int(row["line"]), plain(row["kernel"]))
    rest = (row[name] for name in ("severity", "right", "worth", "drawn", "cause"))
    return Reading(row["repository"], row["commit"], place, *rest)


def plain(kernel: str | None) -> str:
    """The name of a kernel without its scopes and the arguments of its template."""
    return _ARGUMENTS.sub("", kernel or "").rpartition("::")[2].strip()


def matched(read: Sequence[Reading], found: Counter[Place]) -> tuple[list[bool], Counter[Place]]:
    """For each reading whether it is still reported, and what nobody read."""
    left = Counter(found)
    still = []
    for reading in read:
        still.append(left[reading.place] > 0)
        left[reading.place] -= 1
    return still, +left


def report_of(data: dict[str, Any]) -> Report:
    """What the JSON of a run says."""
    found: Counter[Place] = Counter()
    severities: dict[Place, str] = {}
    for each in data["findings"]:
        place = Place(each["rule"], each["path"], each["line"], plain(each["kernel"]))
        found[place] += 1
        severities[place] = each["severity"]
    seen = data["summary"]["coverage"]
    judged = seen["accesses"] - seen["accesses_not_analysed"]
    return Report(found, severities, seen["kernels"], seen["accesses"], judged)


def checked(directory: Path, commit: str) -> Report:
    """Check a repository as it was at a commit."""
    with tempfile.TemporaryDirectory() as folder:
        tree = work_tree(directory, commit, Path(folder) / "tree")
        command = [WARPLINT, "check", ".", "--isolated", "--no-cache", "--format", "json"]
        done = subprocess.run(command, cwd=tree, capture_output=True, check=False, timeout=LONGEST)
    if not done.stdout.startswith(b"{"):  # no report at all, whatever the exit code
        raise SystemExit(f"{directory} was not checked: {done.stderr.decode(errors='replace')}")
    return report_of(json.loads(done.stdout))


def tallies(
    read: Sequence[Reading],
    report: Report,
    by_rule: dict[str, Tally],
    by_severity: dict[str, Tally],
) -> Iterator[str]:
    """Count one repository; gives what is not as it was judged."""
    still, unread = matched(read, report.found)
    for reading, found in zip(read, still, strict=True):
        for tally in (
            by_rule[reading.place.rule],
            by_severity[reading.severity],
            by_severity["all"],
        ):
            tally.add(reading, found=found)
        if reading.right == ("no" if found else "yes"):
            kind = "still said" if found else "not found any more"
            yield f"{kind}: {_shown(reading.repository, reading.place)} {reading.cause}".rstrip()
    for place, count in unread.items():
        severity = report.severities[place]
        if severity in SHOWN:
            for tally in (by_rule[place.rule], by_severity[severity], by_severity["all"]):
                tally.unread += count
            yield f"unread: {_shown(read[0].repository, place)}"


def _shown(repository: str, place: Place) -> str:
    return f"{repository} {place.path}:{place.line} {place.rule} {place.kernel}".strip()


def grouped(read: Iterable[Reading]) -> dict[tuple[str, str], list[Reading]]:
    """The readings of each repository at a commit."""
    groups: dict[tuple[str, str], list[Reading]] = defaultdict(list)
    for reading in read:
        groups[reading.repository, reading.commit].append(reading)
    return groups


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", type=Path, help="the folder of the git directories")
    parser.add_argument("--only", default="", help="repositories with this in their name")
    parser.add_argument("--show", action="store_true", help="name what is not as it was judged")
    options = parser.parse_args()
    groups = grouped(each for each in readings(LABELS) if options.only in each.repository)
    places = {}
    try:
        for repository, commit in groups:
            places[repository, commit] = git_directory(options.repositories, repository)
            require(places[repository, commit], repository, commit)
    except MissingError as error:
        print(f"missing: {error}", file=sys.stderr)
        return 2
    by_rule: dict[str, Tally] = defaultdict(Tally)
    by_severity: dict[str, Tally] = defaultdict(Tally)
    reports: dict[str, Report] = {}
    for (repository, commit), read in groups.items():
        report = reports[repository] = checked(places[repository, commit], commit)
        for line in tallies(read, report, by_rule, by_severity):
            if options.show:
                print(line, flush=True)
    _print(by_rule, by_severity)
    _print_coverage(reports)
    return 0


def _print(by_rule: dict[str, Tally], by_severity: dict[str, Tally]) -> None:
    heads = "read | right, still found | wrong, still said | right of these | worth it | unread"
    for name, table in (("severity", by_severity), ("rule", by_rule)):
        print(f"| {name} | {heads} |")
        keys = sorted(table, key=lambda key: (key == "all", key))
        print(*(table[key].row(key) for key in keys), sep="\n")


def _print_coverage(reports: dict[str, Report]) -> None:
    print("| repository | kernels | accesses | judged |")
    for name, report in sorted(reports.items()):
        print(_coverage_row(name, report.kernels, report.accesses, report.judged))
    sums = (
        sum(column)
        for column in zip(
            *((r.kernels, r.accesses, r.judged) for r in reports.values()), strict=True
        )
    )
    print(_coverage_row("all repositories", *sums))


def _coverage_row(name: str, kernels: int = 0, accesses: int = 0, judged: int = 0) -> str:
    share = f"{100 * judged / accesses:.0f} %" if accesses else "-"
    return f"| {name} | {kernels:,} | {accesses:,} | {share} |"


if __name__ == "__main__":
    sys.exit(main())
