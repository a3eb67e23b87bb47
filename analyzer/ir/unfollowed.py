"""Why a call was not followed that no header would make clearer: words that users read.

Who lowers a call takes them from here, so that whoever counts what was not analysed names no remedy
that does not help. Reasons that a definition would remove are written where they are found.
"""

from __future__ import annotations

RECURSION = "recursion is not followed"
THROUGH_VALUE = "a call through a value"
TOO_DEEP = "calls are nested too deeply to be followed"
TOO_LARGE = (
    "the kernel, or its file, has too many operations for more calls to be followed "
    "(raise kernel-size)"
)

#: What nothing but other code changes.
FINAL = frozenset({RECURSION, THROUGH_VALUE})
#: What less code in one kernel changes.
LARGE = frozenset({TOO_DEEP, TOO_LARGE})
