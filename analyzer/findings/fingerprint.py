"""`primaryLocationLineHash`: the fingerprint by which GitHub follows a finding through edits.

In: a file's text and line numbers. Out: for each line `<hash>:<n>`, equal to what GitHub's
`upload-sarif` action computes (github/codeql-action, src/fingerprints.ts): a polynomial hash with
modulus 37 in 64 bits over the 100 characters from the start of the line on, blanks and tabs left
out, CR and CR LF taken as LF, the end of the text fed as 65535 and then zeros; `n` counts the
lines so far that have the same hash. Characters are UTF-16 code units.

GitHub rolls the hash over the text; here a window is cut for each line, and hashed only for the
lines asked for: the windows of two lines are equal exactly when their hashes are, chance apart.
A byte order mark is not part of our text, so line 1 of a file with one hashes differently.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_WINDOW = 100
_MODULUS = 37
_MASK = (1 << 64) - 1
_END = "\uffff"
_NOT_BMP = re.compile("[\U00010000-\U0010ffff]")
_WITHOUT_BLANKS = str.maketrans("", "", " \t")


def line_hashes(text: str, lines: Collection[int]) -> dict[int, str]:
    """The fingerprint of each of `lines` (from 1) that the text has."""
    units = _code_units(text)
    padded = units + _END + "\0" * _WINDOW
    counts: Counter[str] = Counter()
    hashes: dict[int, str] = {}
    start = 0
    last = max(lines, default=0)
    for number, line in enumerate(units.split("\n"), start=1):
        if number > last:
            break
        window = padded[start : start + _WINDOW]
        counts[window] += 1
        if number in lines:
            hashes[number] = f"{_hash(window):x}:{counts[window]}"
        start += len(line) + 1
    return hashes


def _code_units(text: str) -> str:
    """The characters that count, one per UTF-16 code unit."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_WITHOUT_BLANKS)
    return _NOT_BMP.sub(_surrogates, text)


def _surrogates(match: re.Match[str]) -> str:
    offset = ord(match.group()) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def _hash(window: str) -> int:
    value = 0
    for unit in window:
        value = (value * _MODULUS + ord(unit)) & _MASK
    return value
