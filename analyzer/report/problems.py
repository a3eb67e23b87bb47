"""Problems for people, on stderr: what, where, and what to do about it.

In: the problems of a run, or one usage error. Out: lines such as

    error: broken.cu:3:1: cannot read this function
      help: check the braces

A damaged file may have hundreds of problems; beyond a few the rest is counted. What one cause costs
many files is told at the first of them, with the names of some others. The JSON report has all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.problem import Damage, Problem
from ..source.words import plural
from .text.cells import printable, printable_line
from .text.palette import Palette, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: How many problems of one input are spelt out.
_SHOWN = 10
_NAMED = 3  # files that have the cause of another one's problem


def render_problems(problems: Iterable[Problem], palette: Palette, *, traces: bool = False) -> str:
    """All problems, in order; empty text when there are none."""
    by_path: dict[str, list[Problem]] = {}
    seen: set[tuple[str, str]] = set()
    alike: dict[tuple[str, Damage], dict[str, None]] = {}
    for problem in problems:
        # A file that several inputs include has its problems once for each of them.
        key = (_place(problem), problem.message)
        files = alike.setdefault((problem.cause, problem.damage), {}) if problem.cause else {}
        if (problem.span is None or key not in seen) and not files:
            by_path.setdefault(problem.path, []).append(problem)
        files.setdefault(problem.path if problem.span is None else problem.span.path)
        seen.add(key)
    lines: list[str] = []
    for path, group in by_path.items():
        # The worst first, so that a flood of remarks cannot hide an error.
        group.sort(key=lambda problem: -list(Damage).index(problem.damage))
        for problem in group[:_SHOWN]:
            lines.extend(_problem(problem, palette, traces=traces))
            others = [*alike.get((problem.cause, problem.damage), ())][1:]
            if others:
                lines.append(f"  {palette.paint('likewise', Role.NOTE)} in {_few(others)}")
        if len(group) > _SHOWN:
            rest = plural(len(group) - _SHOWN, "further problem")
            lines.append(f"{printable_line(path)}: {rest}; --format json lists them")
    return "".join(line + "\n" for line in lines)


def render_error(message: str, advice: str, palette: Palette, word: str = "error") -> str:
    """One error that belongs to no input, or a note of that kind."""
    return "".join(line + "\n" for line in _lines(word, "", message, advice, palette))


def _problem(problem: Problem, palette: Palette, *, traces: bool) -> Iterator[str]:
    word = "note" if problem.damage is Damage.NOTICE else "error"
    yield from _lines(word, _place(problem), problem.message, problem.advice, palette)
    if traces and problem.trace:
        yield problem.trace.rstrip()


def _place(problem: Problem) -> str:
    if problem.span is None:
        return printable_line(problem.path)
    return f"{printable_line(problem.span.path)}:{problem.span.line}:{problem.span.column}"


def _few(paths: list[str]) -> str:
    rest = len(paths) - _NAMED
    shown = ", ".join(map(printable_line, paths[:_NAMED]))
    return f"{shown} and {plural(rest, 'more file')}" if rest > 0 else shown


def _lines(word: str, place: str, message: str, advice: str, palette: Palette) -> Iterator[str]:
    role = Role.ERROR if word == "error" else Role.NOTE
    where = f"{place}: " if place else ""
    yield f"{palette.paint(word + ':', role)} {where}{printable(message)}"
    if advice:
        yield f"  {palette.paint('help:', Role.HELP)} {printable(advice)}"
