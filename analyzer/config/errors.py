"""The error of a user's own making: what is wrong with a setting, and what to write instead."""

from __future__ import annotations


class UsageError(Exception):
    """A command line or a setting that cannot be used; becomes exit code 2, never a trace."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


def did_you_mean(word: str, known: list[str]) -> str:
    """`did you mean X?` for the nearest known word, or an empty string."""
    import difflib

    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""
