"""Looking ahead in the tokens: matching brackets, template arguments, the end of a type.

In: the tokens of one piece of code and the names declared so far. Out: answers for the resolver.
Every look-ahead is bounded by a bracket or statement; whether `<` opens template arguments is
asked once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..names.conventions import CAMEL, CAPITALS
from .angles import matching_angles
from .names import FUNCTION_TEMPLATE, TYPE, TYPE_TEMPLATE, VALUE, Names
from .parentheses import matching_parentheses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...source.tokens import Tokens

POINTER = frozenset(["STAR", "AMP", "ANDAND"])
OPERAND_STARTS = frozenset([
    "NAME", "IDENT", "NUMBER", "STRING", "CHAR", "THIS", "BOOLNULL", "NAMEDCAST", "SIZEOF",
    "ALIGNOF", "TYPEKW", "TYPE", "NS", "_DCOLON", "OPERATORNAME", "_NEW",
])  # fmt: skip
TYPES = (TYPE, TYPE_TEMPLATE)


class Lookahead:
    """Questions about the tokens being parsed: brackets, template arguments, the end of a type."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def begin(self, tokens: Tokens, start: str, lexed: Sequence[str]) -> None:
        """Start on other tokens, to be parsed by the rule `start`; the last of them is `$END`.
        `lexed` are their kinds before any of them is parsed.
        """
        self._header = start == "function_header"
        self._kinds, self._texts, self._places = tokens.kinds, tokens.texts, tokens.places
        self._known = self._names.known
        self._angles = matching_angles(lexed)
        self._parentheses = matching_parentheses(lexed)
        self._rejected: set[int] = set()
        self._accepted: set[int] = set()
        self._dots = "_ELLIPSIS" in tokens.kinds

    def _after_arguments(self, index: int) -> int:
        """The token after `<...>` at `index`, or `index` when it is a less-than sign."""
        return self._angles[index] + 1 if self._opens_arguments(index) else index

    def _opens_arguments(self, index: int) -> bool:
        """Whether `<` at `index` opens template arguments."""
        if index in self._accepted:
            return True
        closing = self._angles.get(index)
        if closing is None or index in self._rejected:
            return False
        verdict = self._judge_angle(index, closing)
        (self._accepted if verdict else self._rejected).add(index)
        return verdict

    def _judge_angle(self, index: int, closing: int) -> bool:
        kinds, known = self._kinds, self._known
        before = kinds[index - 1] if index else ""
        if before in ("NAMEDCAST", "_TEMPLATE", "OPERATORNAME", "_RSQB"):
            return True
        name = self._texts[index - 1]
        if index > 1 and kinds[index - 2] == "_TEMPLATE":
            return True
        what = known.get(name)
        if what in (TYPE_TEMPLATE, FUNCTION_TEMPLATE):
            return True
        member = index > 1 and kinds[index - 2] in ("DOT", "ARROW", "_DCOLON")
        if what == VALUE and not member:
            return False
        inner = kinds[index + 1 : closing]
        logical = ("ANDAND" in inner and kinds[closing - 1] != "ANDAND") or "||" in self._texts[
            index:closing
        ]
        following = kinds[closing + 1]
        if following in ("_DCOLON", "_LAUNCH", "BRACE"):
            return True
        if member and kinds[index - 2] != "_DCOLON":
            return following == "LPAREN" and not logical
        if logical:
            named = self._header and CAMEL.match(name) and not CAPITALS.match(name)
            return bool(named) or what == TYPE or name.endswith(("_t", "_v", "_if"))
        if following == "LPAREN":
            return True
        if what == TYPE or any(kind in ("TYPEKW", "CV") for kind in inner):
            return True
        return following not in OPERAND_STARTS or following in ("NAME", "OPERATORNAME", "_DCOLON")

    def _closing(self, index: int) -> int:
        """The `)` of the `(` at `index`, or the last token."""
        return self._parentheses.get(index, len(self._kinds) - 2)

    def _is_group(self, index: int) -> bool:
        """`(*x)(` or `(&x)[` or `(*)(`: a declarator in parentheses."""
        kinds = self._kinds
        at = index + 1
        if kinds[at] not in POINTER:
            return False
        while kinds[at] in POINTER or kinds[at] in ("CV", "_ELLIPSIS"):
            at += 1
        if kinds[at] == "_RPAR":
            return kinds[at + 1] in ("LPAREN", "LBRACKET")
        if kinds[at] == "NAME" and kinds[at + 1] == "LPAREN":  # T (&get())[N]
            after = self._closing(at + 1) + 1
            return kinds[after] == "_RPAR" and kinds[after + 1] in ("LPAREN", "LBRACKET")
        return kinds[at] == "NAME" and (
            kinds[at + 1] == "LBRACKET"
            or (kinds[at + 1] == "_RPAR" and kinds[at + 2] in ("LPAREN", "LBRACKET"))
        )

    def _is_fold(self, index: int) -> bool:
        closing = self._closing(index)
        depth = 0
        for at in range(index + 1, closing):
            kind = self._kinds[at]
            if kind in ("LPAREN", "LBRACKET", "BRACE"):
                depth += 1
            elif kind in ("_RPAR", "_RSQB", "_RBRACE"):
                depth -= 1
            elif kind == "_ELLIPSIS" and not depth:
                before, after = self._kinds[at - 1], self._kinds[at + 1]
                operators = ("BINOP", "STAR", "AMP", "ADDOP", "ANDAND", "_COMMA", "_EQ", "ASSIGNOP",
                             "GREATER", "LESS", "LPAREN")  # fmt: skip
                return before in operators and (after in operators or after == "_RPAR")
        return False

    def _surely_type(self, first: int, end: int) -> bool:
        """Whether `first` to `end`, which could be a type, is one."""
        if end - first == 1:
            text = self._texts[first]
            return (
                self._kinds[first] == "TYPEKW"
                or self._known.get(text) in TYPES
                or (
                    text not in self._known and bool(CAMEL.match(text)) and not CAPITALS.match(text)
                )
            )
        if self._kinds[end - 1] in ("NAME", "TYPE"):
            text = self._texts[end - 1]
            if self._kinds[end - 2] == "_DCOLON":
                return self._known.get(text) in TYPES or bool(CAMEL.match(text))
        return True

    def _type_end(self, index: int) -> int:
        """The token after a type-id that could start at `index`, or -1."""
        kinds = self._kinds
        seen = False
        at = index
        while True:
            kind = kinds[at]
            if kind == "CV":
                at += 1
            elif kind == "TYPEKW":
                seen = True
                at += 1
            elif kind in ("CLASSKEY", "ENUM", "_TYPENAME", "_DCOLON") and not seen:
                at += 1
            elif kind == "_DECLTYPE" and not seen and kinds[at + 1] == "LPAREN":
                seen = True
                at = self._closing(at + 1) + 1
            elif kind == "NAME" and not seen:
                after = at + 1
                if kinds[after] == "LESS":
                    after = self._after_arguments(after)
                if kinds[after] == "_DCOLON":
                    at = after + 1
                    if kinds[at] == "_TEMPLATE":
                        at += 1
                    continue
                tagged = kinds[at - 1] in ("CLASSKEY", "ENUM")  # a variable may be named like it
                if self._known.get(self._texts[at]) == VALUE and after == at + 1 and not tagged:
                    return -1
                seen = True
                at = after
            else:
                break
        if not seen:
            return -1
        return self._after_abstract(at)

    def _after_abstract(self, at: int) -> int:
        """The token after `*const&[]` and `(*)(...)`."""
        kinds = self._kinds
        while kinds[at] in POINTER or kinds[at] == "CV":
            at += 1
        if kinds[at] == "LPAREN" and self._is_group(at):
            at = self._closing(at) + 1
            if kinds[at] == "LPAREN":
                return self._closing(at) + 1
        while kinds[at] == "LBRACKET":
            while kinds[at] not in ("_RSQB", "$END"):
                at += 1
            at += kinds[at] == "_RSQB"
        return at

    def _holds_statements(self, index: int) -> bool:
        """Whether a `;` stands directly in the braces at `index`, or in a block that ends them."""
        depth, nested = 0, False
        for at in range(index, len(self._kinds)):
            kind = self._kinds[at]
            if kind in ("BRACE", "LPAREN", "LBRACKET"):
                depth += 1
            elif kind in ("_RBRACE", "_RPAR", "_RSQB"):
                depth -= 1
                if not depth:
                    return self._kinds[at - 1] == "_RBRACE" and nested
            elif kind == "_SEMI":
                if depth == 1:
                    return True
                nested = True
        return False
