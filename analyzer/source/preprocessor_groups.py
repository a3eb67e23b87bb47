"""The `#if` groups of a file, and which branch of one to keep.

In: the tokens of a file. Out: for each `#if` its branches with their sizes, and for each
condition of a plain if/else the number of tokens that hang on it in the whole file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict, deque
from functools import lru_cache
from typing import TYPE_CHECKING

from .records import dataclass
from .tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .tokens import Tokens

DIRECTIVE = re.compile(r"#(?:[ \t#]|/\*.*?\*/|\\\r?\n)*(\w*)")
CONDITIONALS = frozenset(["if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"])
OPENING = ("if", "ifdef", "ifndef")
DIRECTIVE_WORDS = CONDITIONALS | {
    "define", "undef", "include", "include_next", "pragma", "error", "warning", "line", "embed",
    "import", "ident", "sccs", "assert", "unassert",
}  # fmt: skip
_NUMBER = re.compile(r"#[ \t]*define[ \t]+(\w+)[ \t]+\(?\d[\w.]*\)?[ \t]*(?:/[/*].*)?$").match
_FUNCTION = re.compile(r"#[ \t]*define[ \t]+(\w+)\(").match
_WORD = re.compile(r"[A-Za-z_]\w*")
_SHORTEST = 4  # letters of a word that can be recognised although one of them is wrong


@dataclass(slots=True)
class Branch:
    """One arm of an `#if`: its directive's index, its word, and its size in tokens."""

    index: int
    word: str
    size: int = 0


@dataclass(slots=True)
class Group:
    """An `#if` and everything up to its `#endif`."""

    branches: list[Branch]
    chosen: int = -1
    parent_active: bool = True
    decided: bool = False  # whether what is known settles which branch is kept


def directives_of(group: Group, end: int) -> list[int]:
    """The indices of an `#if` group's directives, that of the `#endif` last; `end` is that of the
    file's end.
    """
    last = group.branches[-1]
    indices = [*(branch.index for branch in group.branches), last.index + last.size]
    return [index for index in indices if index < end]


@lru_cache(maxsize=4_000)
def directive_word(text: str) -> str:
    """The word after the `#` of a preprocessor directive, one wrong letter forgiven; empty for the
    null directive.
    """
    match = DIRECTIVE.match(text)
    word = match[1] if match else ""
    return word if word in DIRECTIVE_WORDS else _meant(word)


@lru_cache(maxsize=1000)
def _meant(word: str) -> str:
    """The directive that `word` is but for one letter too many, too few or another one."""
    near = [
        each
        for each in sorted(DIRECTIVE_WORDS)
        if len(each) >= _SHORTEST and _one_apart(word, each)
    ]
    return near[0] if len(near) == 1 else word


def _one_apart(one: str, two: str) -> bool:
    """Whether one letter inserted, removed, replaced or moved by one makes `two` of `one`."""
    pairs = enumerate(zip(one, two, strict=False))
    start = next((i for i, (a, b) in pairs if a != b), min(len(one), len(two)))
    rest, other = one[start:], two[start:]
    return (
        rest[1:] == other
        or rest == other[1:]
        or (rest[1:] == other[1:] and rest != other)
        or (rest[2:] == other[2:] and rest[:2] == other[:2][::-1])
    )


def conditional_groups(
    lines: list[int], words: Mapping[int, str], end: int
) -> tuple[dict[int, Group], list[int]]:
    """The `#if` groups by the index of their `#if`, and the directives without a partner."""
    groups: dict[int, Group] = {}
    stack: list[Group] = []
    lonely: list[int] = []
    for index in lines:
        word = words[index]
        if word not in CONDITIONALS:
            continue
        if word in OPENING:
            group = groups[index] = Group([Branch(index, word)])
            stack.append(group)
            continue
        if not stack:
            lonely.append(index)
            continue
        last = stack[-1].branches[-1]
        last.size = index - last.index
        if word == "endif":
            stack.pop()
        else:
            stack[-1].branches.append(Branch(index, word))
    for group in stack:
        group.branches[-1].size = end - group.branches[-1].index
        lonely.append(group.branches[0].index)
    return groups, lonely


@lru_cache(maxsize=4_000)
def condition_key(text: str) -> tuple[str, bool]:
    """The condition of an `#if` directive without its negation, and whether it had none."""
    word = directive_word(text)
    rest = " ".join(tokenize(text, 0, text.find(word) + len(word), directives=False)[0].texts)
    if word in ("ifdef", "ifndef"):
        return f"defined ( {rest} )", word == "ifdef"
    positive = not rest.startswith("! ")
    rest = rest if positive else rest[2:]
    if rest.startswith("defined ") and "(" not in rest and rest.count(" ") == 1:
        rest = f"defined ( {rest.split()[1]} )"
    return rest, positive


def include_guard(tokens: Tokens, groups: Mapping[int, Group]) -> str:
    """The include guard: the macro that, once defined, leaves nothing of a file; "" for none."""
    group = groups.get(0)
    if group is None or len(group.branches) > 1 or group.branches[0].size != len(tokens) - 1:
        return ""
    key, positive = condition_key(tokens.texts[0])
    words = key.split()
    return words[2] if not positive and len(words) == 4 and words[0] == "defined" else ""


def gives_default(tokens: Tokens, index: int) -> bool:
    """Whether `#ifndef X` at `index` is there to define X, for those who did not."""
    if tokens.kinds[index + 1 : index + 2] != ["DIRECTIVE"]:
        return False
    asked, _ = condition_key(tokens.texts[index])
    text = tokens.texts[index + 1]
    words = tokenize(text, 0, directives=False)[0].texts
    return directive_word(text) == "define" and asked.split()[2:3] == words[2:3]


def likeliest(
    candidates: list[Branch], texts: list[str], holds: Callable[[str], bool | None]
) -> Branch:
    """The branch to keep of those that nothing at hand rules out, the last of which is kept where
    the others are not: by the answers that the same questions get elsewhere in the file (`holds`;
    None where they are not asked), and the largest of what these leave.
    """
    left: list[Branch] = []
    for branch in candidates[:-1]:
        asked = branch.word not in ("elifdef", "elifndef")
        key, positive = condition_key(texts[branch.index]) if asked else ("", True)
        answer = holds(key)
        if answer is None or answer == positive:
            left.append(branch)
        if answer is not None and answer == positive:
            break
    else:
        left.append(candidates[-1])
    return max(reversed(left), key=lambda branch: branch.size)


def sizes_by_condition(groups: Iterable[Group], texts: list[str]) -> dict[str, list[int]]:
    """For each condition of a plain `#if`/`#else`: the tokens kept when it holds, and when it does
    not; all are kept by the arm that needs no stand-in.
    """
    sizes: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for group in groups:
        branches = group.branches
        if len(branches) > 2 or (len(branches) == 2 and branches[1].word != "else"):
            continue
        key, positive = condition_key(texts[branches[0].index])
        kept = _kept_tokens(branches, texts)
        sizes[key][0 if positive else 1] += kept[0]
        sizes[key][1 if positive else 0] += kept[1]
    return dict(sizes)


def _kept_tokens(branches: list[Branch], texts: list[str]) -> tuple[int, int]:
    """The tokens that the first arm keeps, and the second one if there is one."""
    first, *others = branches
    if not others:
        return first.size, 0
    (second,) = others
    both = first.size + second.size
    if _stands_in_for(first, second, texts):
        return 0, both
    return (both, 0) if _stands_in_for(second, first, texts) else (first.size, second.size)


def _stands_in_for(arm: Branch, other: Branch, texts: list[str]) -> bool:
    """Whether an arm defines as a macro what the other uses and has from elsewhere, as of
    `#define atomicAdd(x, y) ...` for devices without it.
    """
    made = _functions_defined_in(arm, texts)
    if not made:
        return False
    made -= _functions_defined_in(other, texts)
    used = (_WORD.findall(text) for text in _texts_of(other, texts))
    return not made.isdisjoint(word for words in used for word in words)


def _functions_defined_in(arm: Branch, texts: list[str]) -> set[str]:
    found = (_FUNCTION(text) for text in _texts_of(arm, texts) if text[:1] == "#")
    return {match[1] for match in found if match is not None}


def _texts_of(arm: Branch, texts: list[str]) -> list[str]:
    return texts[arm.index + 1 : arm.index + arm.size]


def choices_of_numbers(groups: Iterable[Group], lines: Iterable[int], texts: list[str]) -> set[str]:
    """The `#if` conditions that a flag of the build decides, for one of two numbers for one name.

    `#ifdef SMALL` with `#define SIZE 64` and `#else` with `#define SIZE 256` is one, unless there
    are kernels for those who set the flag alone.
    """
    kept = [(group, key) for group in groups if (key := _flag(group, texts))]
    kernels = [index for index, text in enumerate(texts) if text == "__global__"] if kept else []
    needed = {key for group, key in kept if _stands_in(kernels, group.branches[0])}
    chosen = _chosen_by([group for group, _ in kept], lines, texts)
    return {key for group, key in kept if id(group) in chosen} - needed


def _flag(group: Group, texts: list[str]) -> str:
    """The condition of a group that asks whether something is defined; "" of others."""
    key, positive = condition_key(texts[group.branches[0].index])
    return key if positive and key.startswith("defined") else ""


def _stands_in(indices: list[int], branch: Branch) -> bool:
    """Whether one of some indices, in order, lies in a branch."""
    at = bisect_left(indices, branch.index)
    return at < len(indices) and indices[at] < branch.index + branch.size


def _chosen_by(groups: list[Group], lines: Iterable[int], texts: list[str]) -> set[int]:
    """The ids of the groups of two arms that each define one name as a number.

    Two neighbouring definitions of a name can be in different arms of one group only: the innermost
    around both. So each definition is looked at once, however deep it stands.
    """
    found: set[int] = set()
    last: dict[str, int] = {}  # by name, where it was defined before
    open: list[Group] = []
    begins: list[int] = []
    waiting = deque(groups)
    for index in lines:
        match = _NUMBER(texts[index])
        while waiting and waiting[0].branches[0].index < index:
            _close_before(waiting[0].branches[0].index, open, begins)
            open.append(waiting.popleft())
            begins.append(open[-1].branches[0].index)
        if match is None:
            continue
        _close_before(index, open, begins)
        before = last.get(match[1])
        last[match[1]] = index
        depth = 0 if before is None else bisect_left(begins, before)
        if before is not None and depth and _parts(open[depth - 1], before, index, texts):
            found.add(id(open[depth - 1]))
    return found


def _parts(group: Group, before: int, index: int, texts: list[str]) -> bool:
    """Whether its `#else`, and nothing else of it, stands between two of its lines."""
    arms = group.branches
    if len(arms) != 2 or directive_word(texts[arms[1].index]) != "else":
        return False
    return before < arms[1].index <= index


def _close_before(index: int, open: list[Group], begins: list[int]) -> None:
    """Take off the groups that end before an index."""
    while open and open[-1].branches[-1].index + open[-1].branches[-1].size <= index:
        open.pop()
        begins.pop()
