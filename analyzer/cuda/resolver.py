"""What an ambiguous token is, where the grammar allows more than one reading.

In: the tokens around it, the names declared so far, and the readings that the parser's state allows.
Out: one of them. Most decisions follow from names and the next tokens; some are a guess, as C++ itself
would need the headers. Guesses are remembered, and `reconsider` turns them round, latest first, when
the statement does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from .angles import matching_angles
from .names import FUNCTION_TEMPLATE, TYPE, TYPE_TEMPLATE, VALUE, Names

if TYPE_CHECKING:
    from ..source.tokens import Tokens
    from .automaton import Choice

Options = frozenset[str]

_STATEMENT_STARTS = frozenset(
    "_SEMI _LBRACE _RBRACE _FBODY _COLON PRAGMA _ELSE _DO OPAQUE BRACE".split()
)
_TYPE_STARTS = frozenset("TYPEKW STORAGE CLASSKEY ENUM _TYPENAME _DECLTYPE ATTRIBUTE _TEMPLATE".split())
_POINTER = frozenset(["STAR", "AMP", "ANDAND"])
_OPERAND_STARTS = frozenset(
    "NAME IDENT NUMBER STRING CHAR THIS BOOLNULL NAMEDCAST SIZEOF ALIGNOF TYPEKW TYPE NS _DCOLON"
    " OPERATORNAME _NEW".split()
)
_AFTER_DECLARED = frozenset("_EQ _SEMI _COMMA LBRACKET _COLON LPAREN BRACE _RPAR _TGT".split())
_AFTER_MACRO = frozenset(
    "BRACE _IF _FOR NAME TYPEKW _RETURN _RBRACE PRAGMA STORAGE CV _WHILE _DO _SWITCH _ASM".split()
)
_AFTER_PRAGMA = frozenset("_FOR _WHILE _DO _IF _SWITCH _RETURN".split())
_CAPITALS = re.compile(r"[A-Z_][A-Z0-9_]+$")
_CAMEL = re.compile(r"(?:[A-Z]\w*[a-z]\w*|\w+_t)$")
_TYPES = (TYPE, TYPE_TEMPLATE)


class Resolver:
    """Decides tokens one after another, in parsing order."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._forced: dict[int, str] = {}
        self._doubts: list[tuple[int, str]] = []

    def begin(self, tokens: Tokens, start: str) -> None:
        """Start on other tokens, to be parsed by the rule `start`; the last of them is `$END`."""
        self._header = start == "function_header"
        self._kinds, self._texts, self._places = tokens.kinds, tokens.texts, tokens.places
        self._known = self._names.known
        self._angles = matching_angles(tokens)
        self._rejected: set[int] = set()
        self._accepted: set[int] = set()
        self._dots = "_ELLIPSIS" in tokens.kinds
        if "CLASSKEY" in tokens.kinds:
            self._note_classes()
        self._forced.clear()
        self._doubts.clear()

    def decide(self, index: int, choice: Choice) -> str:
        """The reading of the token at `index`."""
        options = choice.options
        forced = self._forced.get(index)
        if forced in options:
            return forced
        return self._deciders[choice.raw](self, index, options)

    def reconsider(self, first: int, stop: int) -> bool:
        """Turn round the latest guess between two tokens; False when none is left."""
        while self._doubts:
            index, other = self._doubts.pop()
            if index < first:
                self._doubts.append((index, other))
                return False
            if index <= stop and index not in self._forced:
                self._forced[index] = other
                self._doubts = [doubt for doubt in self._doubts if doubt[0] < index]
                return True
        return False

    def _note_classes(self) -> None:
        """The classes defined in these tokens: inside them their names are constructors."""
        for index, kind in enumerate(self._kinds):
            if kind == "CLASSKEY" and self._kinds[index + 1] == "NAME":
                self._names.classes.add(self._texts[index + 1])

    def _doubt(self, index: int, other: str, options: Options) -> None:
        if other in options:
            self._doubts.append((index, other))

    # ---- names ---------------------------------------------------------------------------------

    def _name(self, index: int, options: Options) -> str:
        kinds, text = self._kinds, self._texts[index]
        known = self._known.get(text)
        after = index + 1
        if kinds[after] == "LESS":
            after = self._after_arguments(after)
        following = kinds[after]
        if following == "_DCOLON" and "NS" in options:
            return "NS"
        if "CTORNAME" in options and following == "LPAREN" and text in self._names.classes:
            return "CTORNAME"
        if "TYPE" not in options:
            return self._value_or_macro(index, following, options)
        if "IDENT" not in options and "STORAGE" not in options:
            return "TYPE"
        previous = kinds[index - 1] if index else ""
        if previous in ("_TYPENAME", "CLASSKEY") and following in ("_COMMA", "GREATER", "_TGT", "_EQ"):
            return "IDENT" if "IDENT" in options else "TYPE"
        if known == VALUE and "IDENT" in options:
            self._doubt(index, "TYPE", options)
            return "IDENT"
        if following in _AFTER_PRAGMA and "PRAGMA" in options:
            return "PRAGMA"
        if "STORAGE" in options and known not in _TYPES and self._is_macro(index, after, following):
            return "STORAGE"
        if known in _TYPES or "IDENT" not in options:
            self._doubt(index, "IDENT", options)
            return "TYPE"
        starts = "MACROCALL" in options
        if starts and following == "LPAREN":
            closing = self._closing(after)
            if kinds[closing + 1] in _AFTER_MACRO or previous in ("_TLT", "_COMMA"):
                self._doubt(index, "IDENT", options)
                return "MACROCALL"
        if self._looks_like_type(index, after, starts, known):
            self._doubt(index, "IDENT", options)
            return "TYPE"
        self._doubt(index, "TYPE", options)
        return "IDENT"

    def _value_or_macro(self, index: int, following: str, options: Options) -> str:
        if "IDENT" in options:
            if "STORAGE" in options and following in ("NAME", "OPERATORNAME", "STAR"):
                return "STORAGE"
            return "IDENT"
        return "STORAGE" if "STORAGE" in options else next(iter(options))

    def _is_macro(self, index: int, after: int, following: str) -> bool:
        """Whether an unknown name before a declaration is a macro such as MY_INLINE."""
        if after != index + 1:
            return False
        if following == "STORAGE":
            while self._kinds[after] in ("STORAGE", "CV"):
                after += 1
            if self._kinds[after] in ("NAME", "OPERATORNAME") and self._kinds[after + 1] == "LPAREN":
                return False
            return True
        if following in _TYPE_STARTS:
            return True
        if following == "CV":
            return bool(_CAPITALS.match(self._texts[index]))
        if following != "NAME":
            return False
        second = after + 1
        if self._kinds[second] == "LESS":
            second = self._after_arguments(second)
        beyond = self._kinds[second]
        if beyond == "_DCOLON":
            return bool(_CAPITALS.match(self._texts[index]))
        while self._kinds[second] in ("STAR", "AMP", "ANDAND", "CV"):
            second += 1
        return self._kinds[second] in ("NAME", "OPERATORNAME")

    def _looks_like_type(
        self, index: int, after: int, starts: bool, known: str | None
    ) -> bool:
        """Whether an undeclared name is a type; `starts` says that a statement starts here."""
        kinds, text = self._kinds, self._texts[index]
        following = kinds[after]
        previous = kinds[index - 1] if index else ""
        if following in ("NAME", "OPERATORNAME"):
            return True
        if following == "BRACE":
            return not starts
        if following in ("_COMMA", "GREATER", "_TGT", "_ELLIPSIS", "_RPAR"):
            if previous not in ("_TLT", "_COMMA", "_DCOLON", "CV", "_EQ"):
                return False
            if previous == "_EQ" or following == "_RPAR":
                return False
            if known == FUNCTION_TEMPLATE or not self._inside_arguments(index):
                return False
            return bool(_CAMEL.match(text)) and not _CAPITALS.match(text) or after != index + 1
        if following == "CV":
            return True
        if following not in _POINTER:
            return False
        beyond = after
        while kinds[beyond] in ("STAR", "AMP", "ANDAND", "CV"):
            beyond += 1
        end = kinds[beyond]
        if end in ("GREATER", "_TGT", "_COMMA", "_RPAR", "_ELLIPSIS"):
            return True
        before = self._before_path(index)
        start = starts or before in _STATEMENT_STARTS or before in ("CV", "STORAGE", "") or (
            before == "_LPAR" and self._opens_for(index)
        )
        if start and end in ("NAME", "LPAREN"):
            return kinds[beyond + 1] in _AFTER_DECLARED or end == "LPAREN"
        return False

    def _before_path(self, index: int) -> str:
        """The kind of the token before `A::B::name`."""
        at = index - 1
        while at >= 0 and self._kinds[at] in ("NS", "_DCOLON", "_TYPENAME"):
            at -= 1
        return self._kinds[at] if at >= 0 else ""

    def _opens_for(self, index: int) -> bool:
        at = index
        while at > 0 and self._kinds[at] != "_LPAR":
            at -= 1
        return at > 0 and self._kinds[at - 1] == "_FOR"

    def _inside_arguments(self, index: int) -> bool:
        """Whether the innermost open bracket is a template's or a named cast's."""
        depth = 0
        for at in range(index - 1, max(-1, index - 200), -1):
            kind = self._kinds[at]
            if kind == "_TLT":
                if not depth:
                    return True
                depth -= 1
            elif kind in ("_RPAR", "_TGT", "_RSQB", "_RBRACE"):
                depth += 1
            elif kind in ("_LPAR", "_PARAMS", "_LSQB", "_CAST", "_LBRACE"):
                if not depth:
                    return False
                depth -= 1
            elif kind == "_SEMI":
                return False
        return False

    # ---- brackets ------------------------------------------------------------------------------

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
        what = known.get(name)
        if what in (TYPE_TEMPLATE, FUNCTION_TEMPLATE):
            return True
        member = index > 1 and kinds[index - 2] in ("DOT", "ARROW", "_DCOLON")
        if what == VALUE and not member:
            return False
        if index > 1 and kinds[index - 2] == "_TEMPLATE":
            return True
        inner = kinds[index + 1 : closing]
        logical = "ANDAND" in inner and kinds[closing - 1] != "ANDAND" or "||" in self._texts[index:closing]
        following = kinds[closing + 1]
        if following in ("_DCOLON", "_LAUNCH", "BRACE"):
            return True
        if member and kinds[index - 2] != "_DCOLON":
            return following == "LPAREN" and not logical
        if logical and following != "NAME":
            return name.endswith(("_t", "_v", "_if"))
        if following == "LPAREN":
            return True
        if what == TYPE or any(kind in ("TYPEKW", "CV") for kind in inner):
            return True
        return following not in _OPERAND_STARTS or following in ("NAME", "OPERATORNAME", "_DCOLON")

    def _less(self, index: int, options: Options) -> str:
        if "_TLT" not in options:
            return "BINOP"
        if "BINOP" in options and not self._opens_arguments(index):
            if index in self._angles:
                self._doubt(index, "_TLT", options)
            return "BINOP"
        if index in self._angles:
            self._kinds[self._angles[index]] = "_TGT"
            self._doubt(index, "BINOP", options)
            return "_TLT"
        return "BINOP" if "BINOP" in options else "_TLT"

    def _greater(self, index: int, options: Options) -> str:
        if "SHR" in options and self._kinds[index + 1] == "GREATER":
            place = self._places[index]
            if self._places[index + 1] in (place, place + 1):
                self._kinds[index + 1] = "_SHREND"
                return "SHR"
        return "BINOP" if "BINOP" in options else "_TGT"

    def _closing(self, index: int) -> int:
        """The `)` of the `(` at `index`, or the last token."""
        depth = 0
        kinds = self._kinds
        for at in range(index, len(kinds)):
            kind = kinds[at]
            if kind == "LPAREN" or at == index:
                depth += 1
            elif kind == "_RPAR":
                depth -= 1
                if not depth:
                    return at
            elif kind == "_SEMI" and depth == 1 and kinds[index - 1] != "_FOR":
                break
        return len(kinds) - 2

    def _parenthesis(self, index: int, options: Options) -> str:
        following = self._kinds[index + 1]
        if len(options) == 1:
            return next(iter(options))
        if "_SIZED" in options:
            end = self._type_end(index + 1)
            return "_SIZED" if end > 0 and self._kinds[end] == "_RPAR" else "_LPAR"
        if "_GROUP" in options and self._is_group(index):
            return "_GROUP"
        if "_PARAMS" in options:
            return self._parameters_or_value(index, options)
        if "_FOLD" in options and self._dots and self._is_fold(index):
            return "_FOLD"
        if "_CAST" in options and following not in ("NUMBER", "STRING", "_RPAR", "THIS", "BRACE"):
            return self._cast_or_value(index, options)
        return "_LPAR" if "_LPAR" in options else next(iter(options))

    def _is_group(self, index: int) -> bool:
        """`(*x)(` or `(&x)[` or `(*)(`: a declarator in parentheses."""
        kinds = self._kinds
        at = index + 1
        if kinds[at] not in _POINTER:
            return False
        while kinds[at] in _POINTER or kinds[at] in ("CV", "_ELLIPSIS"):
            at += 1
        if kinds[at] == "_RPAR":
            return kinds[at + 1] in ("LPAREN", "LBRACKET")
        return kinds[at] == "NAME" and (
            kinds[at + 1] == "LBRACKET"
            or kinds[at + 1] == "_RPAR" and kinds[at + 2] in ("LPAREN", "LBRACKET")
        )

    def _parameters_or_value(self, index: int, options: Options) -> str:
        """`T f(int x)` against `T x(1)`."""
        other = next((o for o in ("_LPAR", "_GROUP") if o in options), None)
        if other is None or self._header:
            return "_PARAMS"
        following = self._kinds[index + 1]
        if following == "_RPAR":
            inside = self._kinds[index - 1] != "TYPE" and self._kinds[index - 1] != "TYPEKW"
            self._doubt(index, other if inside else "_PARAMS", options)
            return "_PARAMS" if inside else other
        if following in ("_ELLIPSIS", "STORAGE", "CV", "ENUM", "CLASSKEY"):
            return "_PARAMS"
        end = self._type_end(index + 1)
        declares = end > 0 and self._kinds[end] in ("NAME", "_COMMA", "_RPAR", "_ELLIPSIS", "LBRACKET", "_EQ")
        if end > 0 and self._kinds[end] in ("_COMMA", "_RPAR"):
            first = self._kinds[index + 1]
            declares = first == "TYPEKW" or self._known.get(self._texts[index + 1]) in _TYPES
        self._doubt(index, other if declares else "_PARAMS", options)
        return "_PARAMS" if declares else other

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

    def _cast_or_value(self, index: int, options: Options) -> str:
        kinds = self._kinds
        end = self._type_end(index + 1)
        if end < 0 or kinds[end] != "_RPAR":
            return "_LPAR"
        after = kinds[end + 1]
        if after in _OPERAND_STARTS:
            return "_CAST"
        if after not in ("LPAREN", "BRACE", "NOT", "ADDOP", "STAR", "AMP", "INCR", "LBRACKET"):
            return "_LPAR"
        sure = self._surely_type(index + 1, end)
        if after in ("NOT", "LPAREN", "BRACE"):
            sure = sure or self._known.get(self._texts[end - 1]) is None and after == "NOT"
        other = "_LPAR" if sure else "_CAST"
        self._doubt(index, other, options)
        return "_CAST" if sure else "_LPAR"

    def _surely_type(self, first: int, end: int) -> bool:
        """Whether `first` to `end`, which could be a type, is one."""
        if end - first == 1:
            text = self._texts[first]
            return self._kinds[first] == "TYPEKW" or self._known.get(text) in _TYPES or (
                text not in self._known and bool(_CAMEL.match(text)) and not _CAPITALS.match(text)
            )
        if self._kinds[end - 1] in ("NAME", "TYPE"):
            text = self._texts[end - 1]
            if self._kinds[end - 2] == "_DCOLON":
                return self._known.get(text) in _TYPES or bool(_CAMEL.match(text))
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
                if self._known.get(self._texts[at]) == VALUE and after == at + 1:
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
        while kinds[at] in _POINTER or kinds[at] == "CV":
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

    def _bracket(self, index: int, options: Options) -> str:
        if "_BINDING" in options:
            before = self._texts[index - 1]
            if before == "auto" or before in ("&", "&&") and self._texts[index - 2] == "auto":
                return "_BINDING"
        if "_LAMBDA" not in options:
            return "_LSQB" if "_LSQB" in options else next(iter(options))
        if "_LSQB" not in options:
            return "_LAMBDA"
        if self._kinds[index - 1] == "_DELETE":
            return "_LSQB" if self._kinds[index + 1] == "_RSQB" else "_LAMBDA"
        depth = 0
        for at in range(index, len(self._kinds)):
            depth += {"LBRACKET": 1, "_RSQB": -1}.get(self._kinds[at], 0)
            if not depth:
                return "_LSQB" if self._kinds[at + 1] == "_EQ" else "_LAMBDA"
        return "_LAMBDA"

    def _brace(self, index: int, options: Options) -> str:
        if "_FBODY" in options:
            before = self._kinds[index - 1]
            if "_LBRACE" in options and before in ("_COMMA", "_LPAR"):
                return "_FBODY" if self._holds_statements(index) else "_LBRACE"
            if "_LBRACE" not in options or before in ("_RPAR", "CV", "STORAGE", "_NOEXCEPT", "_RBRACE"):
                return "_FBODY"
        return "_LBRACE"

    def _holds_statements(self, index: int) -> bool:
        """Whether a `;` stands directly inside the braces at `index`."""
        depth = 0
        for at in range(index, len(self._kinds)):
            kind = self._kinds[at]
            if kind in ("BRACE", "LPAREN", "LBRACKET"):
                depth += 1
            elif kind in ("_RBRACE", "_RPAR", "_RSQB"):
                depth -= 1
                if not depth:
                    return self._kinds[at - 1] == "_RBRACE" and at - 1 > index
            elif kind == "_SEMI" and depth == 1:
                return True
        return False

    _deciders: ClassVar[dict[str, Callable[[Resolver, int, Options], str]]] = {
        "NAME": _name,
        "LPAREN": _parenthesis,
        "LBRACKET": _bracket,
        "BRACE": _brace,
        "LESS": _less,
        "GREATER": _greater,
    }
