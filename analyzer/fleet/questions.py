"""What an organisation asks of its fleet.

In: the Parquet of one or more runs, the oldest first. Out: `Answer`s, each a table with a title:
how far the repositories were checked, which rules find most in which of them, how that changed
between the first and the last revision of each, and where most can be gained. Numbers are of
findings as `check` shows them by default. Not handled: the same repository under two addresses.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..config.errors import UsageError
from ..source.records import dataclass
from .tables import COLUMNS, Tables, connected, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 20  # rows of an answer

_REPOSITORIES = """
SELECT repository, status, coalesce(nullif("commit", ''), '-') AS commit, files, kernels, lines,
    coalesce(errors, 0) AS errors, coalesce(warnings, 0) AS warnings, coalesce(notes, 0) AS notes,
    round(100.0 * (coalesce(errors, 0) + coalesce(warnings, 0) + coalesce(notes, 0))
          / nullif(kernels, 0), 1) AS "per 100 kernels", why
FROM repositories LEFT JOIN (
    SELECT run, repository, count(*) FILTER (severity = 'error') AS errors,
        count(*) FILTER (severity = 'warning') AS warnings,
        count(*) FILTER (severity = 'note') AS notes
    FROM findings GROUP BY run, repository) USING (run, repository)
ORDER BY run, status DESC, errors DESC, warnings DESC, repository
"""
_RULES = """
SELECT rule, severity, count(*) AS findings, count(DISTINCT repository) AS repositories,
    mode(repository) AS "most in", round(avg(gain), 3) AS "mean gain"
FROM findings WHERE run = (SELECT max(run) FROM findings)
GROUP BY rule, severity ORDER BY findings DESC, rule, severity
"""
_TREND = """
WITH revisions AS (
    SELECT place, repository, run,
        row_number() OVER (PARTITION BY place ORDER BY run, listed) AS age,
        count(*) OVER (PARTITION BY place) AS revisions
    FROM repositories WHERE status = 'checked'),
ends AS (
    SELECT place, repository, run, age > 1 AS is_last FROM revisions
    WHERE revisions > 1 AND age IN (1, revisions)),
counts AS (
    SELECT place, rule, count(*) FILTER (NOT is_last) AS first, count(*) FILTER (is_last) AS last
    FROM ends JOIN findings USING (run, repository) GROUP BY place, rule)
SELECT place AS repository, rule, first, last, last - first AS change
FROM counts WHERE first <> last ORDER BY abs(last - first) DESC, place, rule
"""
_GAINS = """
SELECT repository, path || ':' || line AS place, kernel, rule, gain, share, resource, confidence
FROM findings WHERE gain IS NOT NULL AND run = (SELECT max(run) FROM findings)
ORDER BY gain DESC, share DESC, repository, number
"""

#: By the word that asks for it: the title, the question, and what an empty answer means.
QUESTIONS = {
    "repositories": ("Repositories", _REPOSITORIES, "no repository was checked"),
    "rules": ("Rules, by findings", _RULES, "nothing was found"),
    "trend": (
        "First and last revision",
        _TREND,
        "no repository has two revisions that differ in findings",
    ),
    "gains": ("Where most can be gained", _GAINS, "no finding has an estimate of what it costs"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A table that answers a question about a fleet; `left` rows are not in it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    nothing: str
    left: int = 0


def answers(folders: Sequence[str], asked: Sequence[str], most: int = _MOST) -> list[Answer]:
    """The answers to some of the `QUESTIONS` about a fleet; `most` rows each, 0 for all."""
    database = connected()
    for table in COLUMNS:
        parts = []
        for number, folder in enumerate(folders):
            path = Tables(folder).parquet(table)
            if not os.path.isfile(path):
                raise UsageError(
                    f"`{folder}` holds no tables of a fleet",
                    "run `warplint fleet LIST --out DIR` to its end first",
                )
            parts.append(
                f"SELECT {number} AS run, row_number() OVER () AS listed, * "
                f"FROM read_parquet({quoted(path)})"
            )
        database.execute(f"CREATE TABLE {table} AS {' UNION ALL '.join(parts)}")
    found = []
    for word in asked:
        title, question, nothing = QUESTIONS[word]
        done = database.execute(question)
        columns = tuple(each[0] for each in done.description)
        rows = done.fetchall()
        kept = rows if most == 0 else rows[:most]
        found.append(Answer(title, columns, tuple(kept), nothing, len(rows) - len(kept)))
    database.close()
    return found
