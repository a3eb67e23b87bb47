"""What an ambiguous token is, where the grammar allows more than one reading.

In: the tokens around it, the names declared so far, and the readings that the parser's state
allows. Out: one of them. Most decisions follow from names and the next tokens; some are a guess,
as C++ itself would need the headers. Guesses are remembered, and `reconsider` turns them round,
latest first, when the statement does not parse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..names.conventions import CAMEL, CAPITALS
from .lookahead import POINTER, TYPES
from .names import FUNCTION_TEMPLATE, TYPE_TEMPLATE, VALUE, Names
from .resolver_brackets import BracketResolver, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...source.tokens import Tokens
    from .automaton import Choice

_STATEMENT_STARTS = frozenset(
    ["_SEMI", "_LBRACE", "_RBRACE", "_FBODY", "_COLON", "PRAGMA", "_ELSE", "_DO", "OPAQUE", "BRACE"]
)
_TYPE_STARTS = frozenset(
    ["TYPEKW", "STORAGE", "CLASSKEY", "ENUM", "_TYPENAME", "_DECLTYPE", "ATTRIBUTE", "_TEMPLATE"]
)
_AFTER_DECLARED = frozenset(
    ["_EQ", "_SEMI", "_COMMA", "LBRACKET", "_COLON", "LPAREN", "BRACE", "_RPAR", "_TGT"]
)
_AFTER_MACRO = frozenset([
    "BRACE", "_IF", "_FOR", "NAME", "TYPEKW", "_RETURN", "_RBRACE", "PRAGMA", "STORAGE", "CV",
    "_WHILE", "_DO", "_SWITCH", "_ASM",
])  # fmt: skip
_AFTER_VALUE = frozenset([
    "_SEMI", "_EQ", "LBRACKET", "_RSQB", "DOT", "ARROW", "BINOP", "ADDOP", "ASSIGNOP", "INCR",
    "_QMARK", "_COLON", "_LAUNCH",
])  # fmt: skip
_AFTER_TAG = frozenset(["_RPAR", "STAR", "AMP", "NAME"])  # not of `template <class T, class U>`
_SURELY_AFTER_VALUE = _AFTER_VALUE - {"LBRACKET"}  # `T[]` is a type
_AFTER_WORD = frozenset([
    "NAME", "TYPEKW", "STORAGE", "CV", "_STATICASSERT", "_USING", "_RBRACE", "_RETURN", "BRACE",
    "_ASM", "THIS",
])  # fmt: skip
_OPERATORS = frozenset(["NOT", "ADDOP", "BINOP", "STAR", "AMP", "ANDAND", "_QMARK"])
_BEFORE_CONSTRUCTOR = frozenset(
    ["", "_SEMI", "_RBRACE", "_LBRACE", "_COLON", "STORAGE", "_TGT", "OPAQUE"]
)
_AFTER_PRAGMA = frozenset(["_FOR", "_WHILE", "_DO", "_IF", "_SWITCH", "_RETURN"])


class Resolver(BracketResolver):
    """Decides what ambiguous tokens are, one after another, in parsing order."""

    def __init__(self, names: Names, breaks_line: Callable[[int, int], bool]) -> None:
        super().__init__(names)
        self._breaks_line = breaks_line  # whether a line ends between two places
        self._forced: dict[int, str] = {}

    def begin(self, tokens: Tokens, start: str, lexed: Sequence[str]) -> None:
        """Start on other tokens, to be parsed by the rule `start`; the last of them is `$END`.
        `lexed` are their kinds before any of them is parsed.
        """
        super().begin(tokens, start, lexed)
        if "CLASSKEY" in tokens.kinds:
            self._note_classes()
        self._forced.clear()
        self._doubts.clear()

    def decide(self, index: int, choice: Choice) -> str:
        """The reading of the token at `index`."""
        options = choice.options
        if self._forced:
            forced = self._forced.get(index)
            if forced in options:
                return forced
        return self._deciders[choice.raw](self, index, options)

    def shortcut(self) -> tuple[dict[str, str], frozenset[str]]:
        """The names in sight, and the kinds that only a plain name stands before: with both a NAME
        is decided without a call. Nothing is sure while guesses are being turned round."""
        return self._known, frozenset() if self._forced else _SURELY_AFTER_VALUE

    def reconsider(self, first: int, stop: int) -> bool:
        """Turn round the latest guess between two tokens; False when none is left."""
        while self._doubts:
            index, other = self._doubts.pop()
            if index < first:
                self._doubts.append((index, other))
                return False
            if index <= stop and index not in self._forced:
                self._forced[index] = other
                if self._kinds[index] == "LESS":  # names before it look across the brackets
                    wrong, right = self._accepted, self._rejected
                    if other == "_TLT":
                        wrong, right = right, wrong
                    wrong.discard(index)
                    right.add(index)
                self._doubts = [doubt for doubt in self._doubts if doubt[0] < index]
                return True
        return False

    def _note_classes(self) -> None:
        """The classes defined in these tokens: inside them their names are constructors."""
        for index, kind in enumerate(self._kinds):
            if kind == "CLASSKEY" and self._kinds[index + 1] == "NAME":
                self._names.classes.add(self._texts[index + 1])

    # ---- names ---------------------------------------------------------------------------------

    def _name(self, index: int, options: Options) -> str:
        kinds, text = self._kinds, self._texts[index]
        known = self._known.get(text)
        after = index + 1
        following = kinds[after]
        previous = kinds[index - 1] if index else ""
        if previous == "CLASSKEY" and following in _AFTER_TAG and "TYPE" in options:
            return "TYPE"  # `sizeof(struct image)`, where a variable has that name, too
        if following in _AFTER_VALUE and known not in TYPES and "IDENT" in options:
            empty = following == "LBRACKET" and kinds[after + 1] == "_RSQB"
            inside = kinds[index - 1] in ("_TLT", "_COMMA", "_DCOLON")
            return "TYPE" if empty and inside and "TYPE" in options else "IDENT"  # A<T[]>
        if following == "LESS":
            after = self._after_arguments(after)
            following = kinds[after]
        if following == "_DCOLON" and "NS" in options:
            return "NS"
        if "CTORNAME" in options and following == "LPAREN" and text in self._names.classes:
            before = kinds[index - 1] if index else ""
            if before in _BEFORE_CONSTRUCTOR:
                return "CTORNAME"
        if "CONSTEXPR" in options:
            return "CONSTEXPR"
        if "TYPE" not in options:
            return self._value_or_macro(index, following, options)
        if "IDENT" not in options and "STORAGE" not in options:
            return "TYPE"
        if previous in ("_TYPENAME", "CLASSKEY") and following in (
            "_COMMA",
            "GREATER",
            "_TGT",
            "_EQ",
        ):
            return "IDENT" if "IDENT" in options else "TYPE"
        if known == VALUE and previous == "_DCOLON" and (following == "NAME" or after > index + 1):
            known = None  # not the variable of that name: ns::index<T> x;
        if known == TYPE_TEMPLATE and following == "LPAREN" and self._is_member(index, previous):
            known = VALUE  # not the template of that name: Table<int>::set(i, v);
        return self._type_or_value(index, after, known, options)

    def _is_member(self, index: int, previous: str) -> bool:
        """Whether a name without template arguments is qualified by a class, not a namespace."""
        if previous != "_DCOLON" or self._kinds[index + 1] != "LPAREN":
            return False
        owner = self._texts[index - 2]
        return owner == ">" or self._known.get(owner) in TYPES

    def _type_or_value(self, index: int, after: int, known: str | None, options: Options) -> str:
        """A name that may be both, its template arguments ending before `after`."""
        kinds = self._kinds
        following = kinds[after]
        if known == VALUE and "IDENT" in options:
            self._doubt(index, "TYPE", options)
            return "IDENT"
        if following in _AFTER_PRAGMA and "PRAGMA" in options:
            return "PRAGMA"
        if known is None and "MACROWORD" in options and self._stands_alone(index, following):
            self._doubt(index, "TYPE", options)
            return "MACROWORD"
        if following == "LPAREN" and "MACROCALL" in options and "IDENT" not in options:
            pointer = known in TYPES or self._is_group(after)  # T (*f)(int)
            return "TYPE" if pointer else "MACROCALL"  # in a template head
        if "STORAGE" in options and known not in TYPES and self._is_macro(index, after, following):
            return "STORAGE"
        if known in TYPES or "IDENT" not in options:
            self._doubt(index, "IDENT", options)
            return "TYPE"
        starts = "MACROWORD" in options
        if starts and following == "LPAREN":
            closing = self._closing(after)
            if kinds[closing + 1] in _AFTER_MACRO:
                self._doubt(index, "IDENT", options)
                return "MACROCALL"
        if self._looks_like_type(index, after, starts, known):
            self._doubt(index, "IDENT", options)
            return "TYPE"
        self._doubt(index, "TYPE", options)
        return "IDENT"

    def _stands_alone(self, index: int, following: str) -> bool:
        """`MACRO` on a line of its own, something else on the next."""
        if following not in _AFTER_WORD or not CAPITALS.match(self._texts[index]):
            return False
        place = self._places[index]
        return self._breaks_line(place + len(self._texts[index]), self._places[index + 1])

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
            declared = self._kinds[after] in ("NAME", "OPERATORNAME")
            return not (declared and self._kinds[after + 1] in _AFTER_DECLARED)
        if following in _TYPE_STARTS:
            return True
        if following == "CV":
            while self._kinds[after] == "CV":
                after += 1
            if self._kinds[after] in POINTER:
                return False  # REAL const *x
            declared = self._kinds[after] == "NAME" and self._kinds[after + 1] in _AFTER_DECLARED
            return not declared and bool(CAPITALS.match(self._texts[index]))
        if following != "NAME":
            return False
        second = after + 1
        if self._kinds[second] == "LESS":
            second = self._after_arguments(second)
        beyond = self._kinds[second]
        if beyond == "_DCOLON":
            return bool(CAPITALS.match(self._texts[index])) and not self._names_function(after)
        if beyond in _TYPE_STARTS and second == after + 1:
            return True  # MACRO MACRO int
        while self._kinds[second] in ("STAR", "AMP", "ANDAND", "CV"):
            second += 1
        return self._kinds[second] in ("NAME", "OPERATORNAME")

    def _names_function(self, index: int) -> bool:
        """Whether `A<T>::f(` begins at `index`: the name of a function, what is before its type."""
        kinds = self._kinds
        while kinds[index] == "NAME":
            after = index + 1
            if kinds[after] == "LESS":
                after = self._after_arguments(after)
            if kinds[after] != "_DCOLON":
                return kinds[after] == "LPAREN"
            index = after + 1
        return kinds[index] in ("OPERATORNAME", "OPERATOR")

    def _looks_like_type(self, index: int, after: int, starts: bool, known: str | None) -> bool:
        """Whether an undeclared name is a type; `starts` says that a statement starts here."""
        kinds, text = self._kinds, self._texts[index]
        following = kinds[after]
        previous = kinds[index - 1] if index else ""
        if following in ("NAME", "OPERATORNAME"):
            return True
        if following == "BRACE":
            return not starts
        if following == "LPAREN":  # T (*f)(int) = g;
            return (
                starts
                and kinds[after + 2 : after + 5] == ["NAME", "_RPAR", "LPAREN"]
                and (kinds[after + 1] == "STAR")
            )
        if following in ("_COMMA", "GREATER", "_TGT", "_ELLIPSIS", "_RPAR"):
            if previous not in ("_TLT", "_COMMA", "_DCOLON", "CV", "_EQ"):
                return False
            if previous == "_EQ" or following == "_RPAR":
                return False
            if previous == "_DCOLON" and self._before_path(index) in _OPERATORS:
                return False  # enable_if_t<!std::is_const_v<T>, int>
            if known == FUNCTION_TEMPLATE or not self._inside_arguments(index):
                return False
            return (bool(CAMEL.match(text)) and not CAPITALS.match(text)) or after != index + 1
        if following in ("CV", "STORAGE"):
            return True
        if following not in POINTER:
            return False
        beyond = after
        while kinds[beyond] in ("STAR", "AMP", "ANDAND", "CV"):
            beyond += 1
        end = kinds[beyond]
        if end in ("GREATER", "_TGT", "_COMMA", "_RPAR", "_ELLIPSIS"):
            return True
        before = self._before_path(index)
        start = (
            starts
            or before in _STATEMENT_STARTS
            or before in ("CV", "STORAGE", "")
            or (before == "_LPAR" and self._opens_for(index))
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

    _deciders: ClassVar[dict[str, Callable[..., str]]] = {
        "NAME": _name,
        "LPAREN": BracketResolver._parenthesis,
        "LBRACKET": BracketResolver._bracket,
        "BRACE": BracketResolver._brace,
        "LESS": BracketResolver._less,
        "GREATER": BracketResolver._greater,
    }
