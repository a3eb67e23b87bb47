"""What makes two findings the same defect although the text around them moved.

In: a finding. Out: its rule, its kernel, and the code it points at without blanks and comments.
Lines, columns and numbers in the message play no part: code may move, be indented anew or be
broken into lines. Two findings of one kernel that look alike have one identity; who compares runs
counts them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .finding import Finding

COMMENT = re.compile(r"//(?:\\\r?\n|[^\r\n])*|/\*.*?\*/", re.DOTALL)
_LONGEST = 200  # characters of code that are kept as they are


class Identity(NamedTuple):
    """The defect that a finding speaks of."""

    rule: str
    kernel: str
    code: str


def identity(finding: Finding) -> Identity:
    """The identity of a finding."""
    return Identity(
        finding.rule.code, "".join(finding.kernel.split()), normalised(finding.span.text)
    )


def normalised(code: str) -> str:
    """Code without blanks and comments; of long code the beginning and a hash of the whole."""
    bare = "".join(COMMENT.sub(" ", code).split())
    if len(bare) <= _LONGEST:
        return bare
    from hashlib import sha256

    return bare[:_LONGEST] + "#" + sha256(bare.encode("utf-8", "surrogatepass")).hexdigest()[:16]
