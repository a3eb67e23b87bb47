"""`warplint fleet check LIST --out DIR`: every repository of a list, into tables."""

from __future__ import annotations

import os
import re

import click

from ...config.errors import UsageError
from ...config.limits import MOST_JOBS
from ..shared.headings import HeadedCommand
from ..shared.options import FILE, Parsed

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?", re.IGNORECASE)
_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def parse_size(text: str) -> int:
    """Bytes of `4G`, `512M`."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"`{text}` is no size", "write it as in 512M or 4G")
    return int(float(found[1]) * 1024 ** _UNITS[found[2].upper()])


@click.command("check", cls=HeadedCommand, short_help="Check the repositories of a list.")
@click.argument("listed", type=FILE, metavar="LIST")
@click.option("--out", "folder", type=FILE, required=True, metavar="DIR", help="Folder of tables.")
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    metavar="N",
    help="Processes of this machine. [default: one for each processor]",
)
@click.option(
    "--cluster",
    "where",
    metavar="ADDRESS",
    help="Let a Dask cluster do the work: tcp://HOST:PORT of its scheduler, or local:N.",
)
@click.option(
    "--memory",
    type=Parsed("size", parse_size),
    default=0,
    metavar="SIZE",
    help="End a check that takes more memory than this, as in 4G. [default: no limit]",
)
@click.option("--arch", metavar="ARCH", help="Target architecture, as in `warplint check`.")
@click.option(
    "--config",
    type=FILE,
    metavar="FILE",
    help="Configuration for all repositories. Their own are never read.",
)
def command(
    listed: str,
    *,
    folder: str,
    jobs: int | None,
    where: str | None,
    memory: int,
    arch: str | None,
    config: str | None,
) -> int:
    """Check the repositories of LIST: one address of a git repository or folder per line.

    `ADDRESS@REVISION` is a commit, branch or tag. What was found is in DIR as Parquet, a row for
    each repository, file and finding. A run that was ended goes on where it was; repositories that
    failed are rows that say why, and are tried again by the next run.
    """
    from ...config.architecture import parse_architecture
    from ...engine.processes.workers import processors
    from ...engine.result import ExitCode
    from ...fleet.campaign import run_campaign
    from ...fleet.subjects import read_subjects
    from ...fleet.survey import How
    from ...fleet.tables import Tables, connected
    from ...source.words import plural
    from ..shared.given_text import given_text
    from ..shared.output import write_report
    from ..shared.progress import progress

    subjects = read_subjects(given_text(listed).text, listed)
    if arch is not None:
        parse_architecture(arch)  # once, not in each repository
    options = ("--isolated",) if config is None else ("--config", os.path.abspath(config))
    how = How((*options, *(() if arch is None else ("--arch", arch))), memory)
    connected().close()  # what is missing is said now, not after hours
    tables = Tables(folder)
    shown = progress("repositories")
    if where is None:
        outcome = run_campaign(subjects, how, tables, jobs=jobs or processors(), progress=shown)
    else:
        from ...fleet.cluster import cluster

        with cluster(where, memory) as workers:
            outcome = run_campaign(subjects, how, tables, workers=workers, progress=shown)
    if outcome.stopped:
        return 128 + outcome.stopped
    lines = [f"checked {plural(outcome.checked, 'repository')}"]
    if outcome.known:
        lines[0] += f"; {outcome.known} were checked before"
    if outcome.failed:
        lines.append(f"not checked: {', '.join(outcome.failed)}")
    lines.append(f"tables in {folder}; `warplint fleet report {folder}` asks them")
    write_report("".join(f"{line}\n" for line in lines), None)
    return int(ExitCode.NOT_ANALYSABLE if outcome.failed else ExitCode.CLEAN)
