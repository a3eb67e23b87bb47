"""Runs that are asked to end: Ctrl-C and SIGTERM.

In: signals. Out: `Stopped`, raised where the main thread happens to be, so that whoever has
processes or half-made results clears up. What was found so far is still reported, for which there
is `_TIME`; then `Stopped` is raised once more. A second signal right after the first is the same
request (`timeout` sends two, a terminal asks the whole group); a later one is impatience.
"""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_TIME = 0.8  # seconds from the signal to the end: what takes longer is given up
_SAME = 0.4  # seconds in which a second signal says nothing new


class Stopped(BaseException):  # no error: nobody may take it for one
    """The run was asked to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = number

    @property
    def code(self) -> int:
        """The exit code, as shells have it."""
        return 128 + self.signal


class _Request:
    """The signal that was received, and when."""

    number = 0
    at = 0.0


def heed_signals() -> None:
    """Raise `Stopped` for Ctrl-C and SIGTERM, unless they are ignored on purpose."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _stop)


def check_stopped() -> None:
    """Raise for a signal whose `Stopped` got lost: nothing can be raised out of a finaliser."""
    if _Request.number:
        raise Stopped(_Request.number)


def _stop(number: int, _: FrameType | None) -> None:
    now = time.monotonic()
    if _Request.number and number != _alarm() and now - _Request.at < _SAME:
        return
    if not _Request.number:
        _Request.number, _Request.at = number, now
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _stop)
            signal.setitimer(signal.ITIMER_REAL, _TIME)
    raise Stopped(_Request.number)


def _alarm() -> int:
    return signal.SIGALRM if hasattr(signal, "SIGALRM") else 0
