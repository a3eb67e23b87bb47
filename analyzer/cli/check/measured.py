"""The reports of NVIDIA's tools that a command line names, as one measured program."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ...config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...measurements.measured_program import MeasuredProgram
    from ...measurements.profile_report import ProfileReport
    from .request import Request

Read = TypeVar("Read")


def measured_program(request: Request) -> MeasuredProgram | None:
    """The reports of NVIDIA's tools named to `check`; None where none is. A file that is no report
    is an error.
    """
    if not (request.sanitizer_reports or request.profiles):
        return None
    from ...measurements.measured_program import MeasuredProgram
    from ...measurements.sanitizer_report import read_sanitizer
    from ..shared.given_text import given_text

    return MeasuredProgram(
        _all_read(request.sanitizer_reports, lambda name: read_sanitizer(given_text(name).text)),
        _all_read(request.profiles, _profile),
    )


def _profile(name: str) -> ProfileReport:
    from ...measurements.profile_file import is_saved_profile, read_saved_profile
    from ...measurements.profile_report import read_profile
    from ..shared.given_text import given_text

    if is_saved_profile(name):
        return read_saved_profile(name)
    return read_profile(given_text(name).text)


def _all_read(names: Sequence[str], read: Callable[[str], Read]) -> tuple[Read, ...]:
    from ...measurements.sanitizer_report import ReportError

    found: list[Read] = []
    for name in names:
        try:
            found.append(read(name))
        except ReportError as error:
            raise UsageError(f"`{name}`: {error}", error.advice) from None
    return tuple(found)
