"""One file as the preprocessor meets it: its tokens, its directives, what hangs on which condition.

In: a text. Out: all that follows from the text alone, whatever is defined, with places counted from
its beginning. Headers that many files of a run include are taken apart once: those met last are
kept, up to a number of characters; nobody changes what is kept, and groups are made for each use.
Among it are the names that a file asks for inside of function bodies alone: nothing but plain
questions (`#ifdef X`, `#ifndef X`, `#if X`, `#if !X`, `#if defined(X)`) around statements hang on
them. When nobody defines such a name, it is a switch for whoever builds the file, and left alone by
most. Elsewhere code that hangs on a name is often what makes the file: whole kernels, the types of
an architecture. Not handled: bodies whose braces come from macros; `#elif`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .preprocessor_groups import (
    CONDITIONALS,
    OPENING,
    choices_of_numbers,
    condition_key,
    conditional_groups,
    directive_word,
    include_guard,
    sizes_by_condition,
)
from .records import dataclass
from .tokens import Tokens, tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .preprocessor_groups import Group
    from .tokens import Unterminated

_QUESTION = re.compile(r"(?:defined \( ([A-Za-z]\w*) \)|([A-Za-z]\w*))$")
_NAME = re.compile(r"[A-Za-z_]\w*")
# Defined, if at all, by a compiler or a library, not by who builds the file.
_FOREIGN = re.compile(r"_|CUDA|CUB_|CCCL|NV_|NVCC|THRUST|WIN32|HIP|ROCM|USE_ROCM")
_DEFINING = frozenset({"__global__", "__device__", "__host__", "template", "namespace"})
_KEPT = 2_000_000  # characters; their tokens take about ten times as many bytes


@dataclass(frozen=True, slots=True)
class PartedFile:
    """What the text of one file alone tells the preprocessor: tokens, directives, `#if` groups."""

    tokens: Tokens
    broken: list[Unterminated]
    lines: list[int]  # the indices of directives
    words: Mapping[int, str]  # theirs, by the index
    sizes: Mapping[str, list[int]]
    guard: str
    switches: frozenset[str]
    choices: frozenset[str]

    def groups(self) -> tuple[dict[int, Group], list[int]]:
        """The conditional groups, and the directives without a partner."""
        return conditional_groups(self.lines, self.words, len(self.tokens))

    def tokens_at(self, base: int) -> Tokens:
        """The tokens with their places where the text begins at `base`."""
        tokens = self.tokens
        places = [place + base for place in tokens.places]
        return Tokens(tokens.kinds, tokens.texts, places)


class _Kept:
    """The texts met last."""

    def __init__(self) -> None:
        self._files: dict[str, PartedFile] = {}
        self._characters = 0

    def get(self, text: str) -> PartedFile:
        found = self._files.pop(text, None)
        if found is None:
            found = parted(text)
            self._characters += len(text)
        self._files[text] = found
        while self._characters > _KEPT:
            first = next(iter(self._files))
            self._characters -= len(first)
            del self._files[first]
        return found


_HEADERS = _Kept()


def parted(text: str) -> PartedFile:
    """The tokens, directives and `#if` groups of the file with this text."""
    tokens, broken = tokenize(text)
    lines = [i for i, kind in enumerate(tokens.kinds) if kind == "DIRECTIVE"]
    words = {i: directive_word(tokens.texts[i]) for i in lines}
    groups, _ = conditional_groups(lines, words, len(tokens))
    return PartedFile(
        tokens,
        broken,
        lines,
        words,
        sizes_by_condition(groups.values(), tokens.texts),
        include_guard(tokens, groups),
        names_asked_in_bodies(tokens, words, groups),
        frozenset(choices_of_numbers(groups.values(), lines, tokens.texts)),
    )


def parted_header(text: str) -> PartedFile:
    """The file with this text as `parted` has it, kept: other files of the run may include
    it, too.
    """
    return _HEADERS.get(text)


def names_asked_in_bodies(
    tokens: Tokens, words: Mapping[int, str], groups: Mapping[int, Group]
) -> frozenset[str]:
    """The macro names by which `#if` decides about statements alone, not defined in the file
    itself.
    """
    asked = {index: _plain_question(group, tokens) for index, group in groups.items()}
    defined = {
        name
        for index, word in words.items()
        if word == "define"
        for name in _NAME.findall(tokens.texts[index])[1:2]
    }
    candidates = {
        index: name
        for index, name in asked.items()
        if name is not None and name not in defined and not _FOREIGN.match(name)
    }
    if not candidates:
        return frozenset()
    inside = _groups_in_bodies(tokens, words, candidates)
    elsewhere = {
        name
        for index, group in groups.items()
        if index not in inside
        for branch in group.branches
        if branch.word != "else"
        for name in _NAME.findall(tokens.texts[branch.index])
    }
    return frozenset(candidates[index] for index in inside) - elsewhere


def _plain_question(group: Group, tokens: Tokens) -> str | None:
    """The one name that a group of one or two branches asks for."""
    branches = group.branches
    if len(branches) > 2 or (len(branches) == 2 and branches[1].word != "else"):
        return None
    match = _QUESTION.match(condition_key(tokens.texts[branches[0].index])[0])
    return (match[1] or match[2]) if match else None


def _groups_in_bodies(
    tokens: Tokens, words: Mapping[int, str], candidates: Mapping[int, str]
) -> set[int]:
    """Those that begin in a function body and define nothing themselves."""
    found: set[int] = set()
    open_braces: list[bool] = []  # whether each is, or stands in, a body
    saved: list[tuple[int, list[bool]]] = []  # the groups that are open, and the braces before
    last = max(candidates)
    previous = ""
    for index, text in enumerate(tokens.texts):
        word = words.get(index)
        if word in OPENING:
            saved.append((index, list(open_braces)))
            if index in candidates and open_braces and open_braces[-1]:
                found.add(index)
        elif word in CONDITIONALS and saved:
            # What follows is read as if the first branch had not been there.
            open_braces = list(saved[-1][1]) if word != "endif" else open_braces
            if word == "endif":
                saved.pop()
                if index > last and not saved:
                    break
        elif text == "{":
            open_braces.append(bool(open_braces and open_braces[-1]) or previous == ")")
        elif text == "}" and open_braces:
            open_braces.pop()
        elif text in _DEFINING:
            found.difference_update(begin for begin, _ in saved)
        if word is None:
            previous = text
    return found
