"""Results of files that did not change, kept in memory by a process that checks again and again.

In and out: as of `engine/result_cache.py`, with the same key and the same questions of the file
system asked anew. Kept are the values themselves, the last `_MOST` that were of use; also those of
texts without a file.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from ....rules.plugins import PluginCheck
from ...engine.result_cache import key_of
from ...source.file_probes import hold, recorded
from ...source.reader import LARGEST
from .recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...engine.check import Work
    from ...engine.file_check import FileCheck
    from ...source.file_probes import Probe

_MOST = 60  # each open file has up to three


class KeptResults:
    """The results of files that a process which checks again and again keeps in memory."""

    def __init__(self) -> None:
        self._kept = Recent[str, tuple["FileCheck", "frozenset[Probe]"]](_MOST)

    def check(self, work: Work, check: Callable[[Work], FileCheck]) -> FileCheck:
        """The kept result of a file, else what `check` says of it."""
        return self._result("check", work, check)

    def exports(self, work: Work, read: Callable[[Work], FileCheck]) -> FileCheck:
        """What a file says to others."""
        return self._result("exports", work, read)

    def reads(self, work: Work, read: Callable[[Work], FileCheck]) -> FileCheck:
        """Which files are read for a file."""
        return self._result("reads", work, read)

    def _result(self, what: str, work: Work, make: Callable[[Work], FileCheck]) -> FileCheck:
        if any(isinstance(rule.check, PluginCheck) for rule in work.profile.rules):
            return make(work)  # what rules of a user's own rest on is not known
        data = work.file.data
        key = key_of(work, what, "" if data is None else sha256(data).hexdigest())
        found = self._kept.get(key)
        if found is None or not hold(found[1], LARGEST):
            with recorded() as probes:
                found = make(work), frozenset(probes)
            self._kept.keep(key, found)
        return found[0]
