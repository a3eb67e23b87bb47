"""Damage between functions: brackets without a partner, and kernels that nothing was made of.

In: the tokens of a translation unit and which of them are the file's own. Out: the first `(`, `)`,
`[`, `]` or `template <` outside of function bodies without a partner: what stands around it may not
have been read. Braces limit the damage: what is open when one closes has no partner. Inside of
bodies each statement is read for itself, and says what was lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...source.tokens import Tokens
    from .outline import DeclarationOutline, Outline

_CLOSING = {")": "(", "]": "["}
_OPENING, _ENDING = frozenset("([{"), frozenset(")]}")
_BEFORE_BODY = frozenset(["_RPAR", "CV", "_NOEXCEPT"])
_LONGEST_HEAD = 2_000  # tokens
_ENDS_OF_HEADS = frozenset([";", "{", "}"])


def lonely_bracket(tokens: Tokens, is_own: Callable[[int], bool]) -> int | None:
    """The index of the first bracket of the file without a partner."""
    found = [index for index in _lonely(tokens, is_own) if is_own(index)]
    return min(found, default=None)


def _lonely(tokens: Tokens, is_own: Callable[[int], bool]) -> list[int]:
    kinds, texts = tokens.kinds, tokens.texts
    found: list[int] = []
    stack: list[int] = []
    braces: list[int] = []
    bodies = 0  # function bodies among the open braces
    is_body: set[int] = set()
    headed = 0  # up to here the heads of templates are known
    for index, text in enumerate(texts):
        if text == "{":
            stack.append(index)
            braces.append(index)
            if index and kinds[index - 1] in _BEFORE_BODY:
                is_body.add(index)
                bodies += 1
        elif text == "}":
            if not braces:
                continue
            own = braces.pop()
            bodies -= own in is_body
            while stack[-1] != own:
                found.append(stack.pop())
            stack.pop()
        elif bodies:
            continue
        elif text in ("(", "["):
            stack.append(index)
        elif text in _CLOSING:
            if stack and texts[stack[-1]] == _CLOSING[text]:
                stack.pop()
            else:
                found.append(index)
        elif text == "template" and index >= headed and is_own(index):
            if texts[index + 1 : index + 2] != ["<"]:
                continue
            end = _end_of_head(texts, index)
            headed = len(texts) if end is None else end  # only the first one that is open counts
            found += [index + 1] if end is None else []
    return found + [index for index in stack if texts[index] != "{"]


def _end_of_head(texts: list[str], template: int) -> int | None:
    """Where the parameters of a template end; None where its head ends before them. What a
    parameter is without an argument may have brackets: `T zero = T{}`, `bool small = (N < 16)`;
    so may arguments in its type: `enable_if_t<is_vector<T>{}, int>`.
    """
    depth = inside = 0
    has_default = False
    for at in range(template + 1, min(len(texts), template + 1 + _LONGEST_HEAD)):
        text = texts[at]
        is_value = has_default or depth > 1 or inside > 0
        if text in _ENDS_OF_HEADS and (text == ";" or not is_value):
            return None
        has_default |= text == "="
        inside += (text in _OPENING) - (text in _ENDING)
        if inside < 0:
            return None
        depth += 0 if inside else {"<": 1, ">": -1, ">>": -2, ">>>": -3}.get(text, 0)
        if depth <= 0:
            return at
    return None


def lost_kernel(texts: list[str], outline: Outline, is_own: Callable[[int], bool]) -> int | None:
    """The index of the first `__global__` that no function and no declaration begins with."""
    classes = outline.classes
    ranges = [(each.start, each.stop) for each in outline.functions]
    ranges += [_declared(texts, each) for each in outline.declarations]
    ranges += [(each.start, each.stop) for one in classes for each in one.declarations]
    ranges += [(each.start, each.stop) for one in classes for each in one.functions]
    ends = dict(sorted(ranges))
    marks = {index for index, text in enumerate(texts) if text == "__global__"}
    stop = 0
    for index in sorted(marks | ends.keys()):
        stop = max(stop, ends.get(index, 0))
        if index in marks and index >= stop and is_own(index):
            return index
    return None


def _declared(texts: list[str], piece: DeclarationOutline) -> tuple[int, int]:
    """What a declaration covers: no kernel with a body, as in `__global__ void k() {} p = 1;`, nor
    one whose parameters do not end.
    """
    if "__global__" not in texts[piece.start : piece.stop]:
        return piece.start, piece.stop
    depth, kernel = 0, piece.stop
    for index in range(piece.start, piece.stop):
        text = texts[index]
        if text == "__global__":
            kernel = min(kernel, index)
        elif text == "{" and depth <= 0 and kernel < index:
            return piece.start, kernel
        depth += {"(": 1, ")": -1}.get(text, 0)
    return piece.start, kernel if depth > 0 else piece.stop
