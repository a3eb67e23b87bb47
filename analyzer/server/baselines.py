"""Findings that are written down as known, from the editor.

In: the baseline file of a document, as its configuration names it, and findings. Out: the file with
them, or why it was not written. A file that does not exist is not made here: `warplint baseline`
writes one, with what a whole run finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import __version__
from ..config.errors import UsageError
from ..engine.baseline import read_baseline
from ..engine.edits import EditError, replace_file
from ..source.files import RECORDS, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings.finding import Finding


def add_to_baseline(path: str, findings: Iterable[Finding], reason: str) -> dict[str, Any]:
    """Write a baseline file anew with findings that a user accepted in the editor."""
    try:
        before = read_regular(path, RECORDS)
        baseline = read_baseline(path).with_more(findings, reason)
        replace_file(path, before, baseline.text(__version__).encode())
    except UsageError as error:
        return {"why": error.message}
    except (EditError, OSError) as error:
        return {"why": f"{path}: {error}"}
    return {"written": path}
