"""Where a text launches kernels: `<<<`, and `<< <`, as formatters tear it that do not know it.

In: text or the tokens of a file. Out: whether a launch begins there. Not handled: functions of the
runtime that launch.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TORN = r"<<\s*<"
_IN_TEXT, _IN_BYTES = re.compile(_TORN), re.compile(_TORN.encode())


def shows_launch(text: str | bytes) -> bool:
    """Whether a launch may stand in a text."""
    found = _IN_TEXT.search(text) if isinstance(text, str) else _IN_BYTES.search(text)
    return found is not None


def begins_launch(texts: Sequence[str], at: int) -> bool:
    """Whether a launch begins at a token."""
    return texts[at] == "<<<" or (texts[at] == "<<" and texts[at + 1 : at + 2] == ["<"])
