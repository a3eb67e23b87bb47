"""Parts of regular expressions that every Python 3.11 and later matches alike.

In: what is repeated, a part of a pattern. Out: what repeats it and gives nothing back. Not
`(?:...)*+`: where a repetition fails in its midst, Python before 3.11.5 goes on from there, so that
`(?:a\\d*+,)*+ac` does not match `a1,ac` (python/cpython#106052). One character, as in `[ab]*+`, is
repeated rightly by all.
"""

from __future__ import annotations

_TOGETHER = 256  # repetitions; each takes memory until its group ends


def possessive(body: str, least: int = 0) -> str:
    """What repeats a part as often as it goes, at least so many times (0 or 1), for good."""
    often = "+" if least else "*"
    return rf"(?>(?:(?>(?:{body}){{1,{_TOGETHER}}})){often})"
