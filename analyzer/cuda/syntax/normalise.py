"""Small rewrites of a function's tokens before they are parsed.

In: the tokens of one declaration, function header or body. Out: new tokens in which `>>` is two
tokens where it could close template arguments, an operator's name is one token, and attributes
that do not matter here (`[[…]]`, `__attribute__`, `__declspec`, `_Pragma`) are gone. Alignment
attributes become `__align__(…)`, those that pack `__packed__(…)`; `_Pragma("unroll")` becomes a
PRAGMA token; `::new` is `new`. What a `static_assert` claims of more than numbers is true of
whatever compiles, and is not read. A call beside a string (`QUOTED(DIR) "/mesh.obj"`) is a macro
that makes one: its name alone stays, as of any such macro.
"""

from __future__ import annotations

from itertools import pairwise

from ...source.tokens import Tokens
from .angles import opening_angle
from .parentheses import matching_parentheses

_DOUBLED = {"[": "[", "<<": "<", "::": "*"}
_TRIGGERS = frozenset([
    "::", "<<", "[", ">>", ">>>", "~", "operator", "__attribute__", "__attribute", "__declspec",
    "_Pragma", "constexpr", "extern", "requires", "new", "alignas", "_Alignas", "__align__",
    "static_assert", "_Static_assert", "#", "auto",
])  # fmt: skip
_BEFORE_REQUIRES = frozenset(["(", "=", "&&", "||", "!", "return", ",", "requires"])
CONVERSIONS = frozenset(["NAME", "TYPEKW", "CV", "_TYPENAME"])  # begin `operator T<U>()`
_ALIGNMENTS = frozenset(["alignas", "_Alignas", "__align__"])
_ENDS = frozenset([";", "{", "}", "("])  # of what stands before a declaration
_RARE = _TRIGGERS - _DOUBLED.keys() - {"auto"}
_ACCESS = ("public", "protected", "private")
PACKED, PACK = "__packed__", "#pragma pack"  # as words that alignments begin with
_CLAIMED = frozenset([  # of numbers alone
    "NAME", "NUMBER", "BINOP", "ANDAND", "NOT", "ADDOP", "STAR", "LESS", "GREATER", "LPAREN",
    "_RPAR",
])  # fmt: skip
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def _has_angles(texts: list[str]) -> bool:
    """Whether template arguments may stand there."""
    return "<" in texts and ">" in texts


def normalised(tokens: Tokens) -> Tokens:
    """A function's tokens, rewritten for the parser; `tokens` itself if there is nothing to
    rewrite.
    """
    tokens = _without_string_macros(tokens)
    texts = tokens.texts
    plain = _RARE.isdisjoint(texts) and not any(_doubled(texts, word) for word in _DOUBLED)
    if plain and not ("auto" in texts and "::" in texts):
        return tokens
    return _Rewriter(tokens).run()


def _without_string_macros(tokens: Tokens) -> Tokens:
    """The tokens without the arguments of calls that stand directly before a string."""
    kinds = tokens.kinds
    if "STRING" not in kinds or ("_RPAR", "STRING") not in pairwise(kinds):
        return tokens
    new, kept = Tokens(), 0
    for opening, closing in sorted(matching_parentheses(kinds).items()):
        named = opening > kept and kinds[opening - 1] == "NAME"
        if named and kinds[closing + 1 : closing + 2] == ["STRING"]:
            new.extend(tokens.cut(kept, opening))
            kept = closing + 1
    if not kept:
        return tokens
    new.extend(tokens.cut(kept, len(kinds)))
    return new


def _doubled(texts: list[str], word: str) -> bool:
    """Whether `[ [` or `<< <` occurs."""
    at = -1
    try:
        while True:
            at = texts.index(word, at + 1)
            if texts[at + 1 : at + 2] == [_DOUBLED[word]]:
                return True
    except ValueError:
        return False


class _Rewriter:
    def __init__(self, tokens: Tokens) -> None:
        self._old = tokens
        self._new = Tokens()
        self._launch = False  # between <<< and >>>, as far as `_seen`
        self._seen = 0

    def run(self) -> Tokens:
        texts = self._old.texts
        position = 0
        for index, text in enumerate(texts):
            if index < position or text not in _TRIGGERS:
                continue
            if text in _DOUBLED and texts[index + 1 : index + 2] != [_DOUBLED[text]]:
                continue
            self._new.extend(self._old.cut(position, index))
            position = self._rewritten(index, text)
        self._new.extend(self._old.cut(position, len(texts)))
        return self._new

    def _rewritten(self, index: int, text: str) -> int:
        """Rewrite at a trigger word; the first token not consumed."""
        texts = self._old.texts
        after = texts[index + 1 : index + 2]
        if text in (">>", ">>>"):
            return self._split(index)
        if text == "::":
            return self._member_pointer(index)
        if text == "<<":  # "<< <": old formatters tore launches apart
            self._add("_LAUNCH", "<<<", index)
            return index + 2
        if text == "~" and self._names_destructor(index):
            self._add("CTORNAME", "~" + after[0], index)
            return index + 2
        if text == "operator":
            return self._operator(index)
        if text == "auto":
            return self._constrained(index)
        if text == "#":
            return self._pragma_of_macro(index)
        if text == "new" and self._new.texts[-1:] == ["::"]:
            for column in (self._new.kinds, self._new.texts, self._new.places):
                column.pop()
        if text == "[":
            return self._attribute(index)
        if text in ("__attribute__", "__attribute", "__declspec"):
            return self._gnu_attribute(index)
        if text == "_Pragma" and after == ["("]:
            return self._pragma(index)
        if text == "constexpr" and index and texts[index - 1] == "if":
            self._add("CONSTEXPR", text, index)
            return index + 1
        if text == "extern" and self._old.kinds[index + 1 : index + 2] == ["STRING"]:
            self._keep(index)  # extern "C"
            return index + 2
        if text in _ALIGNMENTS:
            return self._alignment(index)
        if text in ("static_assert", "_Static_assert") and after == ["("]:
            return self._claim(index)
        if text == "requires" and index and texts[index - 1] in _BEFORE_REQUIRES:
            return self._requirement(index)
        return self._keep(index)

    def _member_pointer(self, index: int) -> int:
        """`A<T>::*` as one token, a kind of `*`."""
        path = self._path()
        text = "".join(self._new.texts[path:]) + "::*"
        self._drop(path)
        self._add("STAR", text, index)
        return index + 2

    def _constrained(self, index: int) -> int:
        """`std::integral auto x` as `auto x`: what a concept asks is true of what compiles."""
        path = self._path()
        before = self._new.kinds[path - 1] if path else ""
        if "::" in self._new.texts[path:] and before in ("LPAREN", "_COMMA", "_SEMI", "CV"):
            self._drop(path)
        return self._keep(index)

    def _path(self) -> int:
        """Where the name begins that the new tokens end with: `a::B<T>::`."""
        made, at = self._new, len(self._new.kinds)
        while at and made.kinds[at - 1] in ("NAME", "GREATER", "_DCOLON"):
            at -= 1
            if made.kinds[at] == "GREATER":
                at = opening_angle(made.texts, at)
            elif made.kinds[at] == "NAME" and made.kinds[at - 1 : at] != ["_DCOLON"]:
                break
        return at

    def _drop(self, start: int) -> None:
        """Take back the new tokens from one on."""
        made = self._new
        for column in (made.kinds, made.texts, made.places):
            del column[start:]

    def _alignment(self, index: int) -> int:
        """`char buffer alignas(16)[4];`: before the declaration, where C++ has it as well."""
        texts, made = self._old.texts, self._new.texts
        end = self._matching(index + 1) + 1
        after_name = self._old.kinds[index - 1 : index] == ["NAME"]
        if not after_name or texts[end : end + 1] not in (["["], [";"], ["="], [","]):
            return self._keep(index)
        start = next((n for n in range(len(made), 0, -1) if made[n - 1] in _ENDS), 0)
        moved = self._old.cut(index, end)
        for column, new in (
            (self._new.kinds, moved.kinds),
            (self._new.texts, moved.texts),
        ):
            column[start:start] = new
        self._new.places[start:start] = moved.places
        return end

    def _claim(self, index: int) -> int:
        """`static_assert((is_index<A> && ...), "")` as `static_assert(1)`; arithmetic stays."""
        end = self._matching(index + 1)
        texts, kinds = self._old.texts, self._old.kinds
        comma = next((n for n in range(index, end) if texts[n] == ","), end)
        stated = texts[index + 2 : comma]
        plain = all(map(_CLAIMED.__contains__, kinds[index + 2 : comma]))
        self._new.extend(self._old.cut(index, index + 2))
        if stated and plain and stated.count("(") == stated.count(")") and not _has_angles(stated):
            self._new.extend(self._old.cut(index + 2, comma))
        else:
            self._add("NUMBER", "1", index + 1)
        return end

    def _requirement(self, index: int) -> int:
        """`requires (T t) { … }` as a condition: a value nobody knows, named `requires`."""
        texts = self._old.texts
        end = index + 1
        if texts[end : end + 1] == ["("]:
            end = self._matching(end) + 1
        if texts[end : end + 1] != ["{"]:
            return self._keep(index)
        self._add("NAME", "requires", index)
        return self._matching(end) + 1

    def _keep(self, index: int) -> int:
        self._add(self._old.kinds[index], self._old.texts[index], index)
        return index + 1

    def _add(self, kind: str, text: str, index: int, shift: int = 0) -> None:
        place = self._old.places[index]
        self._new.kinds.append(kind)
        self._new.texts.append(text)
        self._new.places.append(place + shift if place >= 0 else place)

    def _names_destructor(self, index: int) -> bool:
        """`~T(` at the start of a member."""
        kinds, texts = self._old.kinds, self._old.texts
        before = kinds[index - 1] if index else "_SEMI"
        if before == "_COLON" and texts[max(index - 2, 0)] not in _ACCESS:
            return False  # `c ? a : ~T(0)`
        return kinds[index + 1 : index + 3] == ["NAME", "LPAREN"] and self._begins_member(index)

    def _split(self, index: int) -> int:
        """`>>` as `>` `>`; the parser joins them again where they are a shift."""
        text = self._old.texts[index]
        launch = self._in_launch(index)
        if text == ">>" and launch and self._old.texts[index + 1 : index + 2] == [">"]:
            self._add("_LAUNCHEND", ">>>", index)
            self._launch, self._seen = False, index + 2
            return index + 2
        if text == ">>>" and launch:
            closed = self._old.texts[index + 1 : index + 3] == [")", "("]
            self._keep(index)
            return index + 2 if closed and self._drop_opening() else index + 1
        for shift in range(len(text)):
            self._add("GREATER", ">", index, shift)
        return index + 1

    def _drop_opening(self) -> bool:
        """`(k<<<g, b>>>)(x)` without the parenthesis that was opened last; False without one."""
        depth = 0
        for at in range(len(self._new.texts) - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(self._new.texts[at], 0)
            if depth < 0:
                for column in (self._new.kinds, self._new.texts, self._new.places):
                    del column[at]
                return True
        return False

    def _in_launch(self, index: int) -> bool:
        """Whether `<<<` was opened and not closed in this statement."""
        kinds = self._old.kinds
        while self._seen < index:
            kind = kinds[self._seen]
            if kind == "_LAUNCH" or (kind == "LESS" and self._texts_at(self._seen - 1) == "<<"):
                self._launch = True
            elif kind in ("_SEMI", "_LAUNCHEND"):
                self._launch = False
            self._seen += 1
        return self._launch

    def _texts_at(self, index: int) -> str:
        return self._old.texts[index] if index >= 0 else ""

    def _operator(self, index: int) -> int:
        """`operator ()`, `operator int`, `operator new[]` as one token."""
        texts = self._old.texts
        end, conversion = index + 1, False
        if texts[end : end + 2] in (["(", ")"], ["[", "]"]):
            end += 2
        else:
            conversion = not CONVERSIONS.isdisjoint(self._old.kinds[end : end + 1])
            stops = ("(", ";", "{") if conversion else ("(", ";", "{", "<")
            while end < len(texts) and texts[end] not in stops:
                end += 1
            if end == index + 1:
                end += 1
        name = "operator"
        for word in texts[index + 1 : end]:
            apart = word[0].isalpha() and (name[-1].isalnum() or name[-1] in "_>,")
            name += f" {word}" if apart else word
        member = conversion and self._begins_member(index)
        self._add("CTORNAME" if member else "OPERATORNAME", name, index)
        return end

    def _begins_member(self, index: int) -> bool:
        """Whether nothing but qualifiers stands before a member without a type."""
        before = self._old.kinds[index - 1] if index else "_SEMI"
        return before in ("_SEMI", "_RBRACE", "BRACE", "_COLON", "STORAGE")

    def _attribute(self, index: int) -> int:
        """Drop `[[…]]`, but not a lambda as an index or first element."""
        end = self._matching(index)
        texts = self._old.texts
        inner = texts[index + 2 : end - 1]
        if texts[end - 1 : end] != ["]"] or ";" in inner or "{" in inner:
            return self._keep(index)
        before = texts[index - 1] if index else ""
        if inner == ["gnu", "::", "packed"]:
            self._packed(index)
            return end + 1
        if inner[:1] in (["="], ["&"], []) or (
            before in ("=", "(", ",") and "(" in texts[end + 1 : end + 2]
        ):
            return self._keep(index)
        return end + 1

    def _gnu_attribute(self, index: int) -> int:
        texts = self._old.texts
        if texts[index + 1 : index + 2] != ["("]:
            return index + 1
        end = self._matching(index + 1)
        words = texts[index:end]
        packed = not {"packed", "__packed__"}.isdisjoint(words)
        for name in ("aligned", "__aligned__", "align"):
            if name in words and words[words.index(name) + 1 :][:1] == ["("]:
                at = index + words.index(name)
                self._add("_ALIGNAS", PACKED if packed else "__align__", at)
                for inner in range(at + 1, self._matching(at + 1) + 1):
                    self._keep(inner)
                return end + 1
        if packed:
            self._packed(index)
        return end + 1

    def _packed(self, index: int) -> None:
        """An attribute that takes all alignment but the least."""
        words = (("_ALIGNAS", PACKED), ("LPAREN", "("), ("NUMBER", "1"), ("_RPAR", ")"))
        for kind, text in words:
            self._add(kind, text, index)

    def _pragma(self, index: int) -> int:
        end = self._matching(index + 1)
        text = self._old.texts[index + 2].strip('"') if index + 2 < end else ""
        if text.split()[:1] in (["unroll"], ["nounroll"]):
            self._add("PRAGMA", text, index)
        return end + 1

    def _pragma_of_macro(self, index: int) -> int:
        """`#pragma unroll 4` in the middle of a line, as a macro that holds it makes it."""
        texts = self._old.texts
        if texts[index + 1 : index + 2] != ["pragma"] or texts[index + 2 : index + 3] not in (
            ["unroll"],
            ["nounroll"],
        ):
            return self._keep(index)
        end = index + 3
        if texts[end : end + 1] == ["("]:
            end = self._matching(end) + 1
        elif self._old.kinds[end : end + 1] == ["NUMBER"]:
            end += 1
        self._add("PRAGMA", " ".join(texts[index + 2 : end]), index)
        return end

    def _matching(self, index: int) -> int:
        """The bracket that closes the one at `index`, or the last token."""
        depth = 0
        for at in range(index, len(self._old.texts)):
            depth += _BRACKETS.get(self._old.texts[at], 0)
            if not depth:
                return at
        return len(self._old.texts) - 1
