"""Commands by which a user sees a finding on the machine, ready to be pasted.

`./app` stands for the program that launches the kernel; what follows `#` says which number to look
at. In: the tool and the number. Out: a line for a shell.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ..hardware.architectures import architecture

if TYPE_CHECKING:
    from ..analyses.facts import KernelFacts

_APP = "./app"


def sanitizer(tool: str, look_for: str = "") -> str:
    """The command of a finding for compute-sanitizer: `compute-sanitizer --tool racecheck
    ./app`.
    """
    return _with_note(f"compute-sanitizer --tool {tool} {_APP}", look_for)


def source_counters(*columns: str) -> str:
    """The ncu command of a finding, for columns of the source page, line by line."""
    return _with_note(
        f"ncu --section SourceCounters --page source {_APP}", " against ".join(columns)
    )


def counters(*metrics: str) -> str:
    """The ncu command of a finding, for hardware counters over a launch."""
    return f"ncu --metrics {','.join(metrics)} {_APP}"


def section(name: str, look_for: str) -> str:
    """The ncu command of a finding, for a table of the details page."""
    return _with_note(f"ncu --section {name} {_APP}", look_for)


def compiled(facts: KernelFacts, look_for: str, arch: int | None = None) -> str:
    """The ptxas or nvcc command of a finding, to print what a kernel takes."""
    name = architecture(facts.options.arch if arch is None else arch).name
    path = shlex.quote(facts.module.source.path)
    if facts.kernel.language == "ptx":
        return _with_note(f"ptxas -v -arch={name} -o /dev/null {path}", look_for)
    return _with_note(f"nvcc -arch={name} -Xptxas -v -c -o /dev/null {path}", look_for)


def _with_note(command: str, look_for: str) -> str:
    return f"{command}  # {look_for}" if look_for else command
