"""Which `<` could open template arguments, and the `>` that would close them.

In: the kinds of a function's tokens, as lexed. Out: a dictionary from the index of `<` to the index
of its `>`. One pass; whether a candidate really opens template arguments is the resolver's
decision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEEPEST = 200  # open brackets; what is nested deeper is no program
_BEFORE = frozenset(["NAME", "NAMEDCAST", "_TEMPLATE", "OPERATORNAME", "_RSQB"])
_OPENING = frozenset(["LPAREN", "LBRACKET", "BRACE", "_LAUNCH"])
_PARTNER = {"_RPAR": "LPAREN", "_RSQB": "LBRACKET", "_RBRACE": "BRACE", "_LAUNCHEND": "_LAUNCH"}
_INTERESTING = _OPENING | _PARTNER.keys() | {"LESS", "GREATER", "_SEMI"}


def matching_angles(kinds: Sequence[str]) -> dict[int, int]:
    """Candidate pairs of template brackets."""
    if "LESS" not in kinds:
        return {}
    found: dict[int, int] = {}
    stack: list[tuple[str, int]] = []
    for index, kind in enumerate(kinds):
        if kind not in _INTERESTING:
            continue
        if kind == "LESS":
            before = kinds[index - 1] if index else ""
            if (
                len(stack) < _DEEPEST
                and before in _BEFORE
                and (before != "_RSQB" or _after_lambda(kinds, index))
            ):
                stack.append((kind, index))
        elif kind == "GREATER":
            if stack and stack[-1][0] == "LESS":
                found[stack.pop()[1]] = index
        elif kind in _OPENING:
            stack.append((kind, index))
        elif kind == "_SEMI":
            while stack and stack[-1][0] == "LESS":
                stack.pop()
        else:
            partner = _PARTNER[kind]
            while stack and stack[-1][0] == "LESS":
                stack.pop()
            if stack and stack[-1][0] == partner:
                stack.pop()
    return found


def _after_lambda(kinds: Sequence[str], index: int) -> bool:
    """`[]<typename T>`: the word after it tells a generic lambda from a comparison."""
    return kinds[index + 1 : index + 2] in (["_TYPENAME"], ["CLASSKEY"], ["TYPEKW"])


def opening_angle(texts: Sequence[str], index: int) -> int:
    """The `<` of the `>` at `index`."""
    depth = 0
    for at in range(index, -1, -1):
        if texts[at] in (">", ">>"):
            depth += len(texts[at])
        elif texts[at] == "<":
            depth -= 1
            if depth <= 0:
                return at
    return 1
