"""The files of a run that a change can have a finding in.

In: the files of a run, the paths of what is read for each, and what changed. Out: the files worth
checking. A finding speaks of lines of what was read for its file, and of launches in other files;
where none of these changed, no line that it could speak of did. A file that includes one of those
is checked with it: what is assumed of a kernel in a header is dropped where another file launches
it. Files that could not be read, which has to be reported, and those that came through a pipe are
among them.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .changes import Changes
    from .check import Work


def touched_works(
    works: Sequence[Work], reads: Sequence[Sequence[str]], changes: Changes
) -> list[Work]:
    """The files of a run in which a change can have a finding, in their order."""
    real = cache(os.path.realpath)
    named = {real(work.file.path) for work in works}

    @cache
    def changed(path: str) -> bool:
        return changes.may_touch(path, is_input=real(path) in named)

    def is_touched(work: Work, paths: Sequence[str]) -> bool:
        if work.file.data is not None or not paths:
            return True
        return any(map(changed, {*paths, *(item.launch.span.path for item in work.elsewhere)}))

    resting = [{real(path) for path in paths} for paths in reads]
    touched = {
        number
        for number, (work, paths) in enumerate(zip(works, reads, strict=True))
        if is_touched(work, paths)
    }
    waiting = {real(works[number].file.path) for number in touched}
    while waiting:
        more = {n for n, paths in enumerate(resting) if n not in touched and paths & waiting}
        touched |= more
        waiting = {real(works[number].file.path) for number in more}
    return [works[number] for number in sorted(touched)]
