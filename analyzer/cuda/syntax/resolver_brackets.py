"""What an ambiguous bracket is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lookahead import OPERAND_STARTS, TYPES, Lookahead

if TYPE_CHECKING:
    from .names import Names

Options = frozenset[str]


class BracketResolver(Lookahead):
    """Decides `(`, `[`, `{`, `<` and `>`; guesses are kept in `doubts` with the other reading."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self._doubts: list[tuple[int, str]] = []

    def _doubt(self, index: int, other: str, options: Options) -> None:
        if other in options:
            self._doubts.append((index, other))

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

    def _parameters_or_value(self, index: int, options: Options) -> str:
        """`T f(int x)` against `T x(1)`."""
        other = next((o for o in ("_LPAR", "_GROUP") if o in options), None)
        named = self._kinds[index - 1] not in ("TYPE", "TYPEKW")  # int(x) in __launch_bounds__
        if other is None or (self._header and named):
            return "_PARAMS"
        following = self._kinds[index + 1]
        if following == "_RPAR":
            inside = self._kinds[index - 1] != "TYPE" and self._kinds[index - 1] != "TYPEKW"
            self._doubt(index, other if inside else "_PARAMS", options)
            return "_PARAMS" if inside else other
        if following in ("_ELLIPSIS", "STORAGE", "CV", "ENUM", "CLASSKEY"):
            return "_PARAMS"
        end = self._type_end(index + 1)
        declares = end > 0 and self._kinds[end] in (
            "NAME",
            "_COMMA",
            "_RPAR",
            "_ELLIPSIS",
            "LBRACKET",
            "_EQ",
        )
        if end > 0 and self._kinds[end] in ("_COMMA", "_RPAR"):
            first = self._kinds[index + 1]
            declares = first == "TYPEKW" or self._known.get(self._texts[index + 1]) in TYPES
        self._doubt(index, other if declares else "_PARAMS", options)
        return "_PARAMS" if declares else other

    def _cast_or_value(self, index: int, options: Options) -> str:
        kinds = self._kinds
        end = self._type_end(index + 1)
        if end < 0 or kinds[end] != "_RPAR":
            return "_LPAR"
        after = kinds[end + 1]
        if after in OPERAND_STARTS:
            return "_CAST"
        if after not in ("LPAREN", "BRACE", "NOT", "ADDOP", "STAR", "AMP", "INCR", "LBRACKET"):
            return "_LPAR"
        sure = self._surely_type(index + 1, end)
        if after in ("NOT", "LPAREN", "BRACE"):
            sure = sure or (self._known.get(self._texts[end - 1]) is None and after == "NOT")
        other = "_LPAR" if sure else "_CAST"
        self._doubt(index, other, options)
        return "_CAST" if sure else "_LPAR"

    def _bracket(self, index: int, options: Options) -> str:
        if "_BINDING" in options:
            before = self._texts[index - 1]
            if before == "auto" or (before in ("&", "&&") and self._texts[index - 2] == "auto"):
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
            if "_LBRACE" not in options or before in (
                "_RPAR",
                "CV",
                "STORAGE",
                "_NOEXCEPT",
                "_RBRACE",
            ):
                return "_FBODY"
        return "_LBRACE"
