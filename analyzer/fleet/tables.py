"""The tables of a fleet on disk: one folder of rows for each repository, and Parquet of all.

In: surveys. Out, in the folder of the fleet: `parts/<key>/*.jsonl` for each repository, which is
there as a whole or not at all, so that a run can go on where one ended; `costs.jsonl`, what each
took; and `repositories.parquet`, `files.parquet` and `findings.parquet`, made of the parts in the
order of the list: the same bytes for the same rows, whoever made them and when.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

from ..config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .subjects import Subject
    from .survey import Row, Survey

_TEXT, _NUMBER, _SHARE, _TRUTH = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"

#: The columns of each table.
COLUMNS: dict[str, dict[str, str]] = {
    "repositories": {
        "repository": _TEXT, "place": _TEXT, "revision": _TEXT, "commit": _TEXT, "status": _TEXT,
        "why": _TEXT, "files": _NUMBER, "kernels": _NUMBER, "lines": _NUMBER, "bytes": _NUMBER,
        "version": _TEXT, "arch": _TEXT,
    },
    "files": {
        "repository": _TEXT, "commit": _TEXT, "path": _TEXT, "status": _TEXT, "kernels": _NUMBER,
        "accesses": _NUMBER, "unanalysed": _NUMBER, "lines": _NUMBER, "bytes": _NUMBER,
        "problems": _TEXT,
    },
    "findings": {
        "repository": _TEXT, "commit": _TEXT, "number": _NUMBER, "rule": _TEXT, "severity": _TEXT,
        "certainty": _TEXT, "path": _TEXT, "line": _NUMBER, "column": _NUMBER, "kernel": _TEXT,
        "array": _TEXT, "gain": _SHARE, "share": _SHARE, "resource": _TEXT, "confidence": _TEXT,
        "fixable": _TRUTH, "message": _TEXT,
    },
}  # fmt: skip

_COSTS = "costs.jsonl"


class Tables:
    """What is known of a fleet in one folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._parts = os.path.join(folder, "parts")

    def prepare(self) -> None:
        """Make the folder."""
        try:
            os.makedirs(self._parts, exist_ok=True)
            for name in os.listdir(self._parts):
                if "." in name:  # of a run that was ended while it wrote
                    shutil.rmtree(os.path.join(self._parts, name), ignore_errors=True)
        except OSError as error:
            raise UsageError(f"cannot write `{self.folder}`: {error.strerror or error}") from error

    def is_done(self, subject: Subject) -> bool:
        """Whether a repository was checked; one that failed is worth another try."""
        try:
            with open(self._path(subject, "repositories"), encoding="utf-8") as file:
                return bool(json.load(file)["status"] == "checked")
        except (OSError, ValueError, KeyError):
            return False

    def keep(self, subject: Subject, survey: Survey) -> None:
        """Write the rows of a repository in place of those of an earlier try."""
        folder = os.path.join(self._parts, subject.key)
        fresh = f"{folder}.{os.getpid()}"
        rows = {
            "repositories": [survey.repository],
            "files": survey.files,
            "findings": survey.findings,
        }
        os.makedirs(fresh, exist_ok=True)
        for table, each in rows.items():
            with open(os.path.join(fresh, f"{table}.jsonl"), "wb") as file:
                file.writelines(map(_line, each))
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(fresh, folder)
        if survey.cost:
            with open(os.path.join(self.folder, _COSTS), "ab") as file:
                file.write(_line(survey.cost))

    def costs(self) -> dict[str, float]:
        """Seconds that each repository took last, by its name."""
        found: dict[str, float] = {}
        try:
            with open(os.path.join(self.folder, _COSTS), encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    found[row["name"]] = float(row["fetch"]) + float(row["check"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # they only decide what is begun first
        return found

    def write_parquet(self, subjects: Sequence[Subject]) -> None:
        """The tables of these repositories, in their order."""
        for table, columns in COLUMNS.items():
            known = [self._path(subject, table) for subject in subjects]
            paths = [path for path in known if os.path.isfile(path) and os.path.getsize(path)]
            target = self.parquet(table)
            write_table(paths, columns, f"{target}.{os.getpid()}")
            os.replace(f"{target}.{os.getpid()}", target)

    def parquet(self, table: str) -> str:
        """The path of a table of all repositories."""
        return os.path.join(self.folder, f"{table}.parquet")

    def _path(self, subject: Subject, table: str) -> str:
        return os.path.join(self._parts, subject.key, f"{table}.jsonl")


def write_table(paths: Sequence[str], columns: dict[str, str], target: str) -> None:
    """Write a table of a fleet as Parquet: the rows in some files, in their order."""
    database = connected()
    listed = ", ".join(f'"{name}"' for name in columns)
    typed = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
    database.execute(f"CREATE TABLE rows ({typed})")
    for path in paths:
        database.execute(
            f"INSERT INTO rows SELECT {listed} FROM read_json(?, format='newline_delimited', "
            "columns=?, maximum_object_size=67108864)",
            [path, columns],
        )
    database.execute(f"COPY rows TO {quoted(target)} (FORMAT parquet, COMPRESSION zstd)")
    database.close()


def connected() -> Any:
    """An empty DuckDB in memory for a fleet's tables; one thread, so that rows stay in order."""
    try:
        import duckdb
    except ImportError as error:
        raise UsageError(
            "tables need DuckDB", "install `warplint[fleet]`: pip install 'warplint[fleet]'"
        ) from error
    return duckdb.connect(":memory:", config={"threads": 1})


def quoted(text: str) -> str:
    """A text as a string of SQL, for questions to a fleet's tables."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def _line(row: Row) -> bytes:
    """One row; what is no Unicode in the name of a file becomes a question mark."""
    return f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "replace")
