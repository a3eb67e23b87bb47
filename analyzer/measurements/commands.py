"""The commands that measure a finding, ready to be pasted one after the other.

In: a finding, and how its program is started. Out: lines for a shell: NVIDIA's tool for that kernel
alone, and the check that reads its report. The program is to be built with `-lineinfo`.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from .kernel_names import plain_name
from .visibility import counters_of, is_occupancy, tool_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings.finding import Finding

_APP = "./app"  # as `verify` has it


def commands_for(finding: Finding, app: str) -> Iterator[str]:
    """The commands that measure a finding on a GPU; none where no measurement shows it."""
    if not finding.verify:
        return
    kernel, file = shlex.quote(plain_name(finding.kernel)), shlex.quote(finding.span.path)
    tool = tool_of(finding)
    if tool:
        only = f" --kernel-name kns={kernel}" if finding.kernel else ""
        yield f"compute-sanitizer --tool {tool}{only} --log-file {tool}.txt {app}"
        yield f"warplint check --sanitizer {tool}.txt {file}"
    elif counters_of(finding) is not None:
        yield (
            f"ncu --kernel-name {kernel} --section SourceCounters --import-source yes "
            f"--force-overwrite -o measured {app}"
        )
        yield f"warplint check --ncu measured.ncu-rep {file}"
    elif is_occupancy(finding):
        sections = "--section Occupancy --section LaunchStats --section SpeedOfLight"
        yield f"ncu --kernel-name {kernel} {sections} --csv --page raw {app} > raw.csv"
        yield f"warplint check --ncu raw.csv {file}"
    else:
        yield finding.verify.replace(_APP, app)
