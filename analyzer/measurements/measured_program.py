"""All reports of one program together: who ran, what was reported of them, where the time went.

In: reports. Out: `MeasuredProgram`, which answers by kernel and line. Times are those of all
launches that were profiled; within a kernel, lines share its time by the samples taken at them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from ..source.records import dataclass
from .profile_report import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .profile_report import MeasuredLaunch, MeasuredLine, ProfileReport
    from .sanitizer_report import Hazard, SanitizerReport


@dataclass(frozen=True)
class MeasuredProgram:
    """Everything that sanitizer and profiler measured of one program."""

    sanitizer: tuple[SanitizerReport, ...] = ()
    profiles: tuple[ProfileReport, ...] = field(default=())

    @cached_property
    def launches(self) -> dict[str, list[MeasuredLaunch]]:
        """The profiled launches of each kernel."""
        found: dict[str, list[MeasuredLaunch]] = defaultdict(list)
        for profile in self.profiles:
            for launch in profile.launches:
                found[launch.kernel].append(launch)
        return dict(found)

    @cached_property
    def lines(self) -> dict[tuple[str, str], dict[int, MeasuredLine]]:
        """The lines of each kernel and file."""
        found: dict[tuple[str, str], dict[int, MeasuredLine]] = defaultdict(dict)
        for profile in self.profiles:
            for line in profile.lines:
                found[line.kernel, line.file][line.line] = line
        return dict(found)

    @cached_property
    def kernels(self) -> frozenset[str]:
        """The kernels that are known to have run."""
        profiled = {kernel for kernel, _ in self.lines} | set(self.launches)
        return frozenset(profiled | {each.kernel for each in self.hazards})

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools of compute-sanitizer that are known to have run."""
        return frozenset().union(*(report.tools for report in self.sanitizer))

    @cached_property
    def hazards(self) -> tuple[Hazard, ...]:
        """What the tools reported, one after the other."""
        return tuple(each for report in self.sanitizer for each in report.hazards)

    @cached_property
    def _times(self) -> dict[str, float]:
        """Microseconds of each kernel; where no times are known, the samples in it."""
        times = {
            kernel: sum(launch.time or 0.0 for launch in launches)
            for kernel, launches in self.launches.items()
        }
        return times if any(times.values()) else dict(self._samples)

    @cached_property
    def _samples(self) -> dict[str, float]:
        found: dict[str, float] = defaultdict(float)
        for (kernel, _), lines in self.lines.items():
            found[kernel] += sum(line.counters.get(SAMPLES, 0.0) for line in lines.values())
        return dict(found)

    def share(self, lines: Iterable[MeasuredLine]) -> float | None:
        """Which part of all measured time some lines take; None where none was measured."""
        whole, part = sum(self._times.values()), 0.0
        if not whole:
            return None
        for line in lines:
            samples = self._samples.get(line.kernel, 0.0)
            if samples:
                of_kernel = self._times.get(line.kernel, 0.0)
                part += of_kernel * line.counters.get(SAMPLES, 0.0) / samples
        return part / whole
