"""Errors of our own: an exception in one stage becomes a problem of one input.

A rule that fails on one kernel must not cost the other kernels or the other rules. `attempt` runs
one stage and turns whatever it raises, a full stack or memory included, into a `Problem` that
names the stage and the kernel. Only an interrupt passes through, and the end of the work that a
kernel may cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..analyses.launch.allowance import OutOfWorkError
from ..source.problem import Damage, Problem
from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..source.text import Span

Result = TypeVar("Result")

_FRAMES = 60  # of a trace: the innermost


@dataclass(frozen=True, slots=True)
class Stage:
    """What is being done, for the message when it fails: "rule SHM001", "reading"."""

    name: str
    path: str
    damage: Damage
    kernel: str | None = None
    span: Span | None = None


def attempt(action: Callable[[], Result], stage: Stage | Callable[[], Stage]) -> Result | Problem:
    """What `action` returns, or, where it raises, a problem of the input in its place; what may be
    done thousands of times says only then which stage it is.
    """
    try:
        return action()
    except OutOfWorkError:  # what that costs is told by whoever allowed the work
        raise
    except Exception as error:
        return _problem(error, stage if isinstance(stage, Stage) else stage())


def attempt_all(action: Callable[[], Iterable[Result]], stage: Stage) -> list[Result] | Problem:
    """All that `action` yields, or, where it raises, a problem of the input in its place."""
    return attempt(lambda: list(action()), stage)


def _problem(error: Exception, stage: Stage) -> Problem:
    where = f" on kernel {stage.kernel}" if stage.kernel else ""
    return Problem(
        stage.path,
        f"internal error in {stage.name}{where}: {_describe(error)}",
        "this is a bug of warplint: please report it with the input; --debug shows the trace",
        stage.damage,
        span=stage.span,
        kernel=stage.kernel,
        trace=_trace(error),
    )


def _describe(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, MemoryError):
        return "out of memory"
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _trace(error: Exception) -> str:
    import traceback

    try:
        return "".join(traceback.format_exception(error, limit=-_FRAMES))
    except (RecursionError, MemoryError):
        return ""
