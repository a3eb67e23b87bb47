"""Fleets: by one process, by several, and by workers that die."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import dask
import pytest

from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.fleet.campaign import run_campaign
from warplint.analyzer.fleet.cluster import Cluster, cluster
from warplint.analyzer.fleet.subjects import Subject
from warplint.analyzer.fleet.survey import How, Survey, failed
from warplint.analyzer.fleet.tables import COLUMNS, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def parquet(tables: Tables) -> list[bytes]:
    return [Path(tables.parquet(table)).read_bytes() for table in COLUMNS]


def subjects_of(folders: Sequence[Path]) -> list[Subject]:
    return [Subject(str(folder), is_folder=True) for folder in folders]


class Fake:
    """Workers that only say what they were given."""

    def __init__(self, fails: Sequence[str] = ()) -> None:
        self.given: list[str] = []
        self._fails = fails

    def surveys(
        self, subjects: Sequence[Subject], how: How, keep: Callable[[Subject, Survey], None]
    ) -> None:
        for subject in subjects:
            self.given.append(subject.name)
            row = failed(subject, "").repository | {"status": "checked"}
            keep(subject, failed(subject, "no") if subject.name in self._fails else Survey(row))


def test_a_run_goes_on_where_it_was_and_tries_again_what_failed(tmp_path: Path) -> None:
    subjects = [Subject(f"https://example.com/{name}") for name in "abc"]
    tables = Tables(str(tmp_path))
    first = Fake(fails=[subjects[1].name])
    outcome = run_campaign(subjects, How(), tables, workers=first)
    assert (outcome.checked, outcome.known, outcome.failed) == (2, 0, (subjects[1].name,))
    second = Fake()
    outcome = run_campaign(subjects, How(), tables, workers=second)
    assert second.given == [subjects[1].name]
    assert (outcome.checked, outcome.known, outcome.failed) == (1, 2, ())


def test_what_takes_longest_is_begun_first(tmp_path: Path, folders: list[Path]) -> None:
    (folders[3] / "large.cu").write_text("// \n" * 10_000)
    tables = Tables(str(tmp_path / "out"))
    tables.prepare()
    (tmp_path / "out" / "costs.jsonl").write_text(
        f'{{"name": "{folders[5]}", "fetch": 0.0, "check": 1e6}}\n'
    )
    fake = Fake()
    run_campaign(subjects_of(folders), How(), tables, workers=fake)
    assert fake.given[:2] == [str(folders[5]), str(folders[3])]


def test_processes_and_one_process_write_the_same(tmp_path: Path, folders: list[Path]) -> None:
    subjects = [*subjects_of(folders), Subject(f"file://{tmp_path}/gone")]
    found = []
    for jobs in (1, 2):
        tables = Tables(str(tmp_path / f"out{jobs}"))
        outcome = run_campaign(subjects, How(), tables, jobs=jobs)
        assert (outcome.checked, outcome.failed) == (6, (f"file://{tmp_path}/gone",))
        found.append(parquet(tables))
    assert found[0] == found[1]


def test_workers_that_are_killed_cost_nothing(tmp_path: Path, folders: list[Path]) -> None:
    subjects = subjects_of(folders)
    alone, together = Tables(str(tmp_path / "alone")), Tables(str(tmp_path / "together"))
    run_campaign(subjects, How(), alone)
    with cluster("local:2") as workers:
        ended = threading.Event()
        killed = _killing(workers, ended)
        try:
            outcome = run_campaign(subjects, How(), together, workers=workers)
        finally:
            ended.set()
        assert killed()
    assert (outcome.checked, outcome.failed) == (len(folders), ())
    assert parquet(alone) == parquet(together)


def test_workers_that_are_given_up_are_replaced(tmp_path: Path, folders: list[Path]) -> None:
    """Dask gives up a worker that is not back in time, as on a machine that is busy."""
    tables = Tables(str(tmp_path / "out"))
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 ms"}),
        cluster("local:1") as workers,
    ):
        (process,) = workers.processes()
        os.kill(process, signal.SIGKILL)
        outcome = run_campaign(subjects_of(folders[:1]), How(), tables, workers=workers)
    assert (outcome.checked, outcome.failed) == (1, ())


def _killing(workers: Cluster, ended: threading.Event) -> Callable[[], int]:
    """Kill a worker now and then until the work has ended; how many were."""
    killed: list[int] = []

    def kill() -> None:
        while not ended.is_set() and len(killed) < 3:
            for process in workers.processes():
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                break
            time.sleep(0.7)

    thread = threading.Thread(target=kill)
    thread.start()

    def count() -> int:
        thread.join()
        return len(killed)

    return count


@pytest.mark.parametrize("where", ["local:0", "local:x", "http://example.com", "tcp://", "8"])
def test_no_cluster(where: str) -> None:
    with pytest.raises(UsageError), cluster(where):
        pass
