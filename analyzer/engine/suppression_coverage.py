"""Which suppressions of a run can be called unused.

In: what was found in each input. Out: for an input, whether nothing was left out that could use a
comment in it. A finding may stand in a file and show only where another one includes it: the
includer has the launch, the types, the macros. So the file must have been read completely, and so
must the sources around it that include it (`includers.py`): one that this run does not name may be
what the comment is for. A header can be included from anywhere; its comments are judged when this
run saw a launch of each of its kernels.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from .includers import including_sources
from .inputs import is_header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .file_check import FileCheck


class SuppressionCoverage:
    """What one run read, to say which suppressions can be called unused."""

    def __init__(self, checks: Sequence[FileCheck]) -> None:
        real = cache(os.path.realpath)
        self._read = {real(item.file.path) for item in checks if item.status == "full"}
        self._launched = {(real(path), at) for item in checks for path, at in item.launched}

    def is_whole(self, item: FileCheck) -> bool:
        """Whether nothing was left out that could use a suppression in this input."""
        path = os.path.realpath(item.file.path)
        if path not in self._read:
            return False
        if is_header(path):
            kernels = {(os.path.realpath(each), at) for _, (each, at) in item.guessed}
            if not item.kernels or not kernels <= self._launched:
                return False
        return including_sources(path) <= self._read
