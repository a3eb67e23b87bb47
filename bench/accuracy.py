"""Measured figures: kept once, with their origin, and written where they are read.

    python bench/accuracy.py                      writes docs/accuracy.md and the README's tables
    python bench/accuracy.py measure --all --data FOLDER [--except NAME]... [--resume]
                                                  measures every record that can be, first
    python bench/accuracy.py measure NAME... [--data FOLDER] [--at WORD=FOLDER]
                                                  measures these first

`records/NAME.json` holds one table: its title and section, what was compared (`about`), the
columns and rows, the command that prints them, the date and commit at which it did, and what is
known to be `wrong` with it. `reads` is a pattern for the lines of the command's output that are
rows, `cells` makes the row of a match's groups; a record with `tests` and no `reads` holds when
they pass. `timed` figures hang on how busy the machine is, which is kept, and those that need it
`idle` are not measured on a busy one; `programs` have to be installed; a command that `ends_with_1`
has measured all the same. A record with `study` cannot be measured by a machine alone: it says why
it stands.

Words in capitals in a command are folders of FOLDER: `data.toml` says which, and how to fill them.
What is missing is named, and leaves its record as it is; the page says of which commit it is.
`--resume` leaves out what was measured of this program already, at this commit or at one between
which and this one only documents, tests or `bench/` changed; `--except` what takes too long.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from measuring import Data, Measurement, measure_all

HERE = Path(__file__).parent
ROOT = HERE.parent
RECORDS = HERE / "records"
LAST_RUN = HERE / "last_run.json"
PAGE = ROOT / "docs" / "accuracy.md"
README = ROOT / "README.md"
PROGRAM = ("analyzer", "rules", "grammars")

SECTIONS = {
    "hardware": "Hardware",
    "resources": "Registers and other resources",
    "gains": "Gains and fixes",
    "suites": "Labelled suites",
    "races": "Races that maintainers fixed",
    "precision": "Precision",
    "coverage": "Coverage",
    "speed": "Speed",
    "robustness": "Robustness",
}
INTRODUCTION = """\
<!-- Written by bench/accuracy.py from bench/records/: change it there. -->

# What was measured

The first part is measured by one command, at one commit; the second holds studies that a machine
cannot repeat alone: something was timed on a GPU, read for the first time, or left out of training.
Every table has its command, day and commit, and what is known to be wrong with it. Words in
capitals in a command are folders with data that are not part of the repository; `bench/data.toml`
says how to get them. Programs that were used while a model or rule was written are said to be.
"""
MEASURED = "## Measured by one command\n"
STUDIES = """\
## Studies

Figures that stand until somebody repeats the work behind them.
"""
_BLOCK = re.compile(
    r"(?P<begin><!-- record: (?P<name>\w+), written by bench/accuracy\.py -->\n).*?"
    r"(?P<end><!-- end of record -->)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Record:
    """One table of measured figures."""

    title: str
    section: str
    about: str
    columns: list[str]
    rows: list[list[str]]
    command: str
    date: str
    commit: str
    reads: str = ""
    cells: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    ends_with_1: bool = False
    timed: bool = False
    idle: bool = False
    seconds: int = 0  # that the command took
    load: str = ""  # of the machine when a timed command began
    study: str = ""
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """The last run over all records."""

    date: str
    commit: str
    left: dict[str, str]  # by record: why it was not measured
    same: list[str]  # commits of records at which the program was the same, this one among them


def records() -> dict[str, Record]:
    """Every record by its name."""
    paths = sorted(RECORDS.glob("*.json"))
    return {path.stem: _read(path) for path in paths}


def _read(path: Path) -> Record:
    values = json.loads(path.read_text(encoding="utf-8"))
    keys = ("cells", "tests", "programs", "wrong")
    lists = {key: tuple(values[key]) for key in keys if key in values}
    return Record(**{**values, **lists})


def last_run() -> Run:
    """What the last run over all records left."""
    return Run(**json.loads(LAST_RUN.read_text(encoding="utf-8")))


def page(known: dict[str, Record], run: Run) -> str:
    """The accuracy page."""
    lines = [INTRODUCTION, MEASURED, _told(known, run)]
    for key, title in SECTIONS.items():
        own = {name: each for name, each in known.items() if each.section == key and not each.study}
        lines += [f"### {title}\n"] if own else []
        for name, each in own.items():
            lines += _part(each, "####", _left(name, each, run))
    lines += [STUDIES]
    for key in SECTIONS:
        for each in known.values():
            if each.section == key and each.study:
                lines += _part(each, "###", each.study)
    return "\n".join(lines).rstrip("\n") + "\n"


def _told(known: dict[str, Record], run: Run) -> str:
    own = [name for name, each in known.items() if not each.study]
    count = sum(known[name].commit in run.same for name in own)
    text = (
        f"`python bench/accuracy.py measure --all --data FOLDER`, {run.date}, commit\n"
        f"`{run.commit}`: {count} of {len(own)} tables are of the program at this commit"
    )
    rest = "; those that were not say so, and of which commit they are" if count < len(own) else ""
    return f"{text}{rest}.\n"


def _left(name: str, record: Record, run: Run) -> str:
    if record.commit in run.same:
        return ""
    reason = f" ({run.left[name]})" if name in run.left else ""
    return f"Not measured at `{run.commit}`{reason}: the figures are those of `{record.commit}`."


def _part(record: Record, heading: str, remark: str) -> list[str]:
    parts = [
        f"{heading} {record.title}\n",
        f"{record.about}\n",
        table(record),
        f"{_origin(record)}\n",
    ]
    parts += [f"{remark}\n"] if remark else []
    wrong = "".join(f"- {fault}\n" for fault in record.wrong)
    return [*parts, f"Known to be wrong:\n\n{wrong}"]


def _origin(record: Record) -> str:
    origin = f"`{record.command}`, {record.date}, commit `{record.commit}`"
    if record.timed and record.load:
        origin += f", on a machine with a load of {record.load} when it began"
    if record.tests:
        origin += "; held by " + ", ".join(f"`{each}`" for each in record.tests)
    return f"{origin}."


def table(record: Record) -> str:
    """The rows as Markdown."""
    rows = [_row(cells) for cells in [record.columns, *record.rows]]
    return "".join([rows[0], "|---" * len(record.columns) + "|\n", *rows[1:]])


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n"


def readme(text: str, known: dict[str, Record]) -> str:
    """The README with the tables of the records that it names."""
    return _BLOCK.sub(partial(_block, known), text)


def _block(known: dict[str, Record], found: re.Match[str]) -> str:
    return f"{found['begin']}{table(known[found['name']])}{found['end']}"


def store(name: str, record: Record) -> None:
    """Write a record; what is empty is left out."""
    values = {key: value for key, value in asdict(record).items() if value}
    _write(RECORDS / f"{name}.json", values)


def _write(path: Path, values: object) -> None:
    text = json.dumps(values, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def commit_of_tree() -> str:
    """The commit that is checked out; there must be nothing on top of it in the program."""
    git = partial(subprocess.run, cwd=ROOT, check=True, capture_output=True, text=True)
    if git(["git", "status", "--porcelain", "--", *PROGRAM]).stdout:
        raise SystemExit("commit the program first: figures belong to a commit")
    return git(["git", "rev-parse", "--short=8", "HEAD"]).stdout.strip()


def same_program(known: dict[str, Record], commit: str) -> list[str]:
    """The commits of records at which the program was what it is at this one."""
    commits = sorted({record.commit for record in known.values() if not record.study} | {commit})
    return [each for each in commits if each == commit or _is_same(each, commit)]


def _is_same(one: str, other: str) -> bool:
    command = ["git", "diff", "--quiet", one, other, "--", *PROGRAM]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def main() -> int:
    options = _parser().parse_args()
    known = records()
    failed: dict[str, str] = {}
    if options.what[:1] == ["measure"]:
        failed = _measure(known, options)
    elif options.what:
        raise SystemExit("the only command is `measure`")
    PAGE.write_text(page(known, last_run()), encoding="utf-8")
    README.write_text(readme(README.read_text(encoding="utf-8"), known), encoding="utf-8")
    return int(bool(failed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="*", help="`measure` and the names of records")
    parser.add_argument("--all", action="store_true", help="every record that is not a study")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="what data.toml describes")
    parser.add_argument("--at", action="append", default=[], metavar="WORD=FOLDER")
    parser.add_argument("--except", action="append", default=[], metavar="NAME", dest="without")
    parser.add_argument("--resume", action="store_true", help="not what this program has already")
    return parser


def _measure(known: dict[str, Record], options: argparse.Namespace) -> dict[str, str]:
    """Measure the records that were asked for, and keep what was not; gives what failed."""
    commit = commit_of_tree()
    names = names_of(known, options, same_program(known, commit))
    data = Data(options.data, dict(each.split("=", 1) for each in options.at))
    missing, failed = measure_all(known, names, Measurement(data, commit), store)
    if options.all:
        left = dict.fromkeys(options.without, "it takes long")
        left |= {name: f"missing: {data.told(reason)}" for name, reason in missing.items()}
        left |= dict.fromkeys(failed, "its command failed")
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        same = same_program(known, commit)
        _write(LAST_RUN, asdict(Run(today, commit, dict(sorted(left.items())), same)))
    return failed


def names_of(known: dict[str, Record], options: argparse.Namespace, same: list[str]) -> list[str]:
    """The records that a command line asks for; `same` are the commits of this program."""
    asked = options.what[1:]
    wrong = [name for name in [*asked, *options.without] if name not in known]
    wrong += [name for name in asked if name in known and known[name].study]
    if wrong:
        raise SystemExit(f"not a record that can be measured: {', '.join(wrong)}")
    if options.all:
        asked = [name for name, record in known.items() if not record.study]
    return [
        name
        for name in asked
        if name not in options.without and not (options.resume and known[name].commit in same)
    ]


if __name__ == "__main__":
    sys.exit(main())
