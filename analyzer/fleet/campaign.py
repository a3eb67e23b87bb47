"""A fleet checked: every repository of a list once, what takes longest first.

In: the subjects, how to check them, the folder of their tables, and who does the work: processes of
this machine, or a cluster. Out: the tables, and how many repositories were checked now, before, and
not at all. A run that is ended goes on where it was: what is done is not done again, what failed is
tried again.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ..engine.processes.workers import Task, shared_work
from ..source.records import dataclass
from .survey import failed, survey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .subjects import Subject
    from .survey import How, Survey
    from .tables import Tables

_UNKNOWN = 60.0  # seconds that a repository is taken to need of which nothing is known
_PER_BYTE = 1e-5  # seconds, of sources


class Workers(Protocol):
    """Whoever checks the repositories of a fleet, elsewhere."""

    def surveys(
        self, subjects: Sequence[Subject], how: How, keep: Callable[[Subject, Survey], None]
    ) -> None:
        """Check each one, the first first; `keep` is told of each as it is done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many repositories a run over a fleet checked, and which failed."""

    checked: int  # by this run
    known: int  # by a run before
    failed: tuple[str, ...]  # names of what could not be fetched or checked
    stopped: int = 0  # the signal that ended the run


def run_campaign(
    subjects: Sequence[Subject],
    how: How,
    tables: Tables,
    *,
    jobs: int = 1,
    workers: Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Check what was not checked yet, and write the tables of all."""
    tables.prepare()
    waiting = [subject for subject in subjects if not tables.is_done(subject)]
    costs = tables.costs()
    waiting.sort(key=lambda each: -_expected(each, costs))
    done: dict[str, bool] = {}

    def keep(subject: Subject, found: Survey) -> None:
        tables.keep(subject, found)
        done[subject.name] = found.is_done
        if progress is not None:
            progress(len(done), len(waiting))

    stopped = 0
    if workers is not None:
        workers.surveys(waiting, how, keep)
    else:
        stopped = _here(waiting, how, tables, jobs, progress)
        done = {each.name: tables.is_done(each) for each in waiting}
    if not stopped:
        tables.write_parquet(subjects)
    return Outcome(
        sum(done.values()),
        len(subjects) - len(waiting),
        tuple(each.name for each in subjects if not done.get(each.name, True)),
        stopped,
    )


def _here(
    waiting: Sequence[Subject],
    how: How,
    tables: Tables,
    jobs: int,
    progress: Callable[[int, int], None] | None,
) -> int:
    """By processes of this machine, each of which writes what it found; the signal of an end."""
    checking = partial(_surveyed, how=how, tables=tables)
    later = {subject: -place for place, subject in enumerate(waiting)}
    task = Task(checking, waiting, partial(_lost, tables=tables), later.__getitem__)
    return shared_work(task, jobs, progress).stopped


def _surveyed(subject: Subject, how: How, tables: Tables) -> bool:
    found = survey(subject, how)
    tables.keep(subject, found)
    return found.is_done


def _lost(subject: Subject, ended: str, tables: Tables) -> bool:
    tables.keep(subject, failed(subject, f"the process that checked it {ended}"))
    return False


def _expected(subject: Subject, costs: dict[str, float]) -> float:
    """Seconds that a repository will take: as last time, by its size, or as nobody knows."""
    if subject.name in costs:
        return costs[subject.name]
    if not subject.is_folder:
        return _UNKNOWN
    size = 0
    for folder, _, names in os.walk(subject.place):
        for name in names:
            if name.endswith((".cu", ".cuh", ".ptx")):
                try:
                    size += os.stat(os.path.join(folder, name)).st_size
                except OSError:
                    continue
    return size * _PER_BYTE
