"""`#if` with three answers: true, false, unknown.

In: the tokens of a condition after macro expansion. Out: an int, or None where the value hangs on a
name nobody defined or removed. `0 && x` and `1 || x` are known although `x` is not.
Not handled: `__has_include` and its relatives, and implementation-defined character constants,
which are unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .numbers import bounded, integer, truncated
from .tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tokens import Tokens

Value = int | None

_LEVELS = [
    ["||", "or"], ["&&", "and"], ["|"], ["^"], ["&"], ["==", "!=", "not_eq"],
    ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"],
]  # fmt: skip
_PRECEDENCE = {word: level for level, words in enumerate(_LEVELS) for word in words}
_NUMBER = re.compile(r"(0[xX][\da-fA-F]+|0[bB][01]+|\d+)[uUlLzZ]*$")
_DEPTH = 100

_STRICT: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "not_eq": lambda a, b: a != b,
    "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: _quotient(a, b), "%": lambda a, b: a - b * _quotient(a, b),
}  # fmt: skip


class Condition:
    """Evaluates one `#if` condition; `is_defined` answers True, False or None for a name."""

    def __init__(self, tokens: Tokens, is_defined: Callable[[str], bool | None]) -> None:
        self._texts = tokens.texts
        self._kinds = tokens.kinds
        self._is_defined = is_defined
        self._at = 0

    def value(self) -> Value:
        """The value of the whole condition; None when it is unknown or malformed."""
        if not self._texts:
            return None
        result = self._conditional(0)
        return result if self._at >= len(self._texts) else None

    def _peek(self) -> str:
        return self._texts[self._at] if self._at < len(self._texts) else ""

    def _accept(self, text: str) -> bool:
        found = self._peek() == text
        self._at += found
        return found

    def _conditional(self, depth: int) -> Value:
        if depth > _DEPTH:
            self._at = len(self._texts) + 1
            return None
        condition = self._binary(0, depth)
        if not self._accept("?"):
            return condition
        yes = self._conditional(depth + 1)
        self._accept(":")
        no = self._conditional(depth + 1)
        if condition is None:
            return yes if yes == no else None
        return yes if condition else no

    def _binary(self, level: int, depth: int) -> Value:
        left = self._unary(depth)
        while (mine := _PRECEDENCE.get(self._peek(), -1)) >= level:
            operator = self._peek()
            self._at += 1
            left = _combined(operator, left, self._binary(mine + 1, depth + 1))
        return left

    def _unary(self, depth: int) -> Value:
        text = self._peek()
        kind = self._kinds[self._at] if self._at < len(self._kinds) else ""
        self._at += 1
        if text in ("!", "not", "-", "+", "~") and depth < _DEPTH:
            value = self._unary(depth + 1)
            if value is None:
                return None
            return {"!": int(not value), "not": int(not value), "-": -value, "+": value}.get(
                text, ~value
            )
        if text == "(":
            value = self._conditional(depth + 1)
            self._accept(")")
            return value
        if text == "defined":
            return self._defined()
        if match := _NUMBER.match(text.replace("'", "")):
            digits = match[1]
            octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
            if octal and not set(digits) & set("89"):
                return integer(digits, 8)
            base = {"x": 16, "b": 2}.get(digits[1:2].lower())
            return integer(digits, 10) if base is None else integer(digits[2:], base)
        if kind == "BOOLNULL":
            return int(text == "true")
        if self._peek() == "(":
            self._skip_call()
            return None
        return 0 if self._is_defined(text) is False else None

    def _defined(self) -> Value:
        parenthesis = self._accept("(")
        name = self._peek()
        self._at += 1
        if parenthesis:
            self._accept(")")
        answer = self._is_defined(name)
        return None if answer is None else int(answer)

    def _skip_call(self) -> None:
        depth = 0
        while self._at < len(self._texts):
            depth += {"(": 1, ")": -1}.get(self._peek(), 0)
            self._at += 1
            if not depth:
                return


def _combined(operator: str, left: Value, right: Value) -> Value:
    if operator in ("&&", "and"):
        if left == 0 or right == 0:
            return 0
        return None if left is None or right is None else 1
    if operator in ("||", "or"):
        if left or right:
            return 1
        return None if left is None or right is None else 0
    if left is None or right is None:
        return None
    return bounded(int(_STRICT[operator](left, right)))


def _quotient(a: int, b: int) -> int:
    """Truncated toward zero; 0 for a division by zero."""
    return truncated(a, b) if b else 0


def holds_without(word: str, text: str) -> bool | None:
    """Whether an `#if` condition holds where nobody defines its names."""
    if word.endswith(("ifdef", "ifndef")):
        return word.endswith("ifndef")
    words, _ = tokenize(text, 0, text.find(word) + len(word), directives=False)
    value = Condition(words, lambda name: None if name.startswith("__") else False).value()
    return None if value is None else bool(value)
