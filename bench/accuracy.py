"""Measured figures: kept once, with their origin, and written where they are read.

    python bench/accuracy.py                      writes docs/accuracy.md and the README's tables
    python bench/accuracy.py measure NAME... --at MEASURED=FOLDER --at SUITES=FOLDER
                                                  runs the commands of these records first

`records/NAME.json` holds one table: its title and section, what was compared (`about`), the
columns and rows, the command that prints them, and the date and commit at which it did. Words in
capitals in a command are folders that are not part of this repository; `--at` says where they are.
`reads` is a pattern for the lines of the command's output that are rows, `cells` makes the row of a
match's groups: a record that has both is measured by `measure`, the others are written by hand from
what was read or timed elsewhere. `tests` name tests that hold the figures at every commit, `wrong`
says what is known to be wrong with what was measured.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
RECORDS = HERE / "records"
PAGE = ROOT / "docs" / "accuracy.md"
README = ROOT / "README.md"

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

Every figure has the command that prints it, the day, and the commit at which it did. Words in
capitals in a command are folders that you have to provide: programs with what hardware counted,
checkouts of public repositories, the PTX of a build. Figures with tests hold at every commit.
Programs that were used while a model or rule was written are said to be; what was measured on code
that nobody had opened before says so, too.
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
    wrong: tuple[str, ...] = ()


def records() -> dict[str, Record]:
    """Every record by its name."""
    paths = sorted(RECORDS.glob("*.json"))
    return {path.stem: _read(path) for path in paths}


def _read(path: Path) -> Record:
    values = json.loads(path.read_text(encoding="utf-8"))
    lists = {key: tuple(values[key]) for key in ("cells", "tests", "wrong") if key in values}
    return Record(**{**values, **lists})


def page(known: dict[str, Record]) -> str:
    """The accuracy page."""
    lines = [INTRODUCTION]
    for key, title in SECTIONS.items():
        lines += [f"## {title}\n"]
        lines += [part for each in known.values() if each.section == key for part in _part(each)]
    lines += ["## What is known to be wrong\n"]
    lines += [f"- **{each.title}.** {fault}" for each in known.values() for fault in each.wrong]
    return "\n".join(lines) + "\n"


def _part(record: Record) -> list[str]:
    origin = f"`{record.command}`, {record.date}, commit `{record.commit}`"
    if record.tests:
        origin += "; held by " + ", ".join(f"`{each}`" for each in record.tests)
    return [f"### {record.title}\n", f"{record.about}\n", table(record), f"{origin}.\n"]


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


def measured(record: Record, places: dict[str, str], commit: str) -> Record:
    """The record with what its command prints now."""
    words = [_placed(word, places) for word in shlex.split(record.command)]
    if words[0] == "python":
        words[0] = sys.executable
    output = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    rows = [
        [cell.format(*found.groups()) for cell in record.cells]
        for found in re.finditer(record.reads, output, re.MULTILINE)
    ]
    if not rows:
        raise SystemExit(f"{record.command}: no line of its output is a row")
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return replace(record, rows=rows, date=today, commit=commit)


def _placed(word: str, places: dict[str, str]) -> str:
    """`FOLDER/name` with the folder that is meant."""
    first, slash, rest = word.partition("/")
    return places.get(first, first) + slash + rest


def store(name: str, record: Record) -> None:
    """Write a record; what is empty is left out."""
    values = {key: value for key, value in asdict(record).items() if value}
    text = json.dumps(values, indent=2, ensure_ascii=False)
    (RECORDS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def commit_of_tree() -> str:
    """The commit that is checked out; there must be nothing on top of it in the program."""
    git = partial(subprocess.run, cwd=ROOT, check=True, capture_output=True, text=True)
    if git(["git", "status", "--porcelain", "--", "analyzer", "rules", "grammars"]).stdout:
        raise SystemExit("commit the program first: figures belong to a commit")
    return git(["git", "rev-parse", "--short=8", "HEAD"]).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="*", help="`measure` and the names of records")
    parser.add_argument("--at", action="append", default=[], metavar="WORD=FOLDER")
    options = parser.parse_args()
    known = records()
    if options.what[:1] == ["measure"]:
        commit = commit_of_tree()
        places = dict(each.split("=", 1) for each in options.at)
        for name in options.what[1:]:
            known[name] = measured(known[name], places, commit)
            store(name, known[name])
    elif options.what:
        parser.error("the only command is `measure`")
    PAGE.write_text(page(known), encoding="utf-8")
    README.write_text(readme(README.read_text(encoding="utf-8"), known), encoding="utf-8")


if __name__ == "__main__":
    main()
