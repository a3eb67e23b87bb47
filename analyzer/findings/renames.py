"""Whether a finding is a known one whose kernel, arrays or variables have other names now.

In: two identities, and the text in which the newer one stands. Out: yes, if they differ in names
only, each old name became one new name and no two the same, the new names stand in the text and the
old ones do not any more. Not seen: a name that still means something else in the file; code that
was too long to be kept as it is. Both count as new.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .identity import COMMENT

if TYPE_CHECKING:
    from .identity import Identity

_NAME = re.compile(r"[A-Za-z_]\w*")


def renamed(old: Identity, new: Identity, text: str) -> bool:
    """Whether the newer identity of a finding is the older one under other names."""
    if old.rule != new.rule:
        return False
    before, after = _written(old), _written(new)
    if _NAME.sub("\0", before) != _NAME.sub("\0", after):
        return False
    pairs = set(zip(_NAME.findall(before), _NAME.findall(after), strict=True))
    if not len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs}):
        return False
    words = _words(text)
    changed = [(first, last) for first, last in pairs if first != last]
    return all(first not in words and last in words for first, last in changed)


def _written(identity: Identity) -> str:
    return f"{identity.kernel}\n{identity.code}"


@lru_cache(maxsize=8)
def _words(text: str) -> frozenset[str]:
    """The names in a text, outside of comments."""
    return frozenset(_NAME.findall(COMMENT.sub(" ", text)))
