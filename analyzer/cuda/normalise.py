"""Small rewrites of a function's tokens before they are parsed.

In: the tokens of one declaration, function header or body. Out: new tokens in which `>>` is two tokens
where it could close template arguments, an operator's name is one token, and attributes that do not
matter here (`[[…]]`, `__attribute__`, `__declspec`, `_Pragma`) are gone. Alignment attributes
become `__align__(…)`; `_Pragma("unroll")` becomes a PRAGMA token.
"""

from __future__ import annotations

from ..source.tokens import Tokens

_TRIGGERS = frozenset(
    [">>", ">>>", "~", "operator", "__attribute__", "__attribute", "__declspec", "_Pragma", "constexpr", "extern"]
)
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def normalised(tokens: Tokens) -> Tokens:
    """`tokens` itself when there is nothing to rewrite."""
    texts = tokens.texts
    if _TRIGGERS.isdisjoint(texts) and not _has_attribute(texts):
        return tokens
    return _Rewriter(tokens).run()


def _has_attribute(texts: list[str]) -> bool:
    if texts.count("[") < 2:
        return False
    at = -1
    try:
        while True:
            at = texts.index("[", at + 1)
            if texts[at + 1 : at + 2] == ["["]:
                return True
    except ValueError:
        return False


class _Rewriter:
    def __init__(self, tokens: Tokens) -> None:
        self._old = tokens
        self._new = Tokens()
        self._launch = False  # between <<< and >>>

    def run(self) -> Tokens:
        kinds, texts = self._old.kinds, self._old.texts
        index, count = 0, len(texts)
        while index < count:
            text = texts[index]
            if kinds[index] in ("STRING", "CHAR"):
                linkage = index and texts[index - 1] == "extern"  # extern "C"
                index = index + 1 if linkage else self._keep(index)
            elif text in (">>", ">>>"):
                index = self._split(index)
            elif text == "<<" and texts[index + 1 : index + 2] == ["<"]:
                self._launch = True  # "<< <": old formatters tore launches apart
                self._add("_LAUNCH", "<<<", index)
                index += 2
            elif text == "~" and self._names_destructor(index):
                self._add("CTORNAME", "~" + texts[index + 1], index)
                index += 2
            elif text == "operator":
                index = self._operator(index)
            elif text == "[" and texts[index + 1 : index + 2] == ["["]:
                index = self._attribute(index)
            elif text in ("__attribute__", "__attribute", "__declspec"):
                index = self._gnu_attribute(index)
            elif text == "_Pragma" and texts[index + 1 : index + 2] == ["("]:
                index = self._pragma(index)
            elif text == "constexpr" and index and texts[index - 1] == "if":
                self._add("CONSTEXPR", text, index)
                index += 1
            else:
                if text in ("<<<", ";"):
                    self._launch = text == "<<<"
                index = self._keep(index)
        return self._new

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
        kinds = self._old.kinds
        before = kinds[index - 1] if index else "_SEMI"
        return kinds[index + 1 : index + 3] == ["NAME", "LPAREN"] and before in (
            "_SEMI", "_RBRACE", "BRACE", "_COLON", "STORAGE",
        )  # fmt: skip

    def _split(self, index: int) -> int:
        """`>>` as `>` `>`; the parser joins them again where they are a shift."""
        text = self._old.texts[index]
        if text == ">>" and self._launch and self._old.texts[index + 1 : index + 2] == [">"]:
            self._launch = False
            self._add("_LAUNCHEND", ">>>", index)
            return index + 2
        if text == ">>>" and self._launch:
            self._launch = False
            return self._keep(index)
        for shift in range(len(text)):
            self._add("GREATER", ">", index, shift)
        return index + 1

    def _operator(self, index: int) -> int:
        """`operator ()`, `operator int`, `operator new[]` as one token."""
        texts = self._old.texts
        end = index + 1
        if texts[end : end + 2] in (["(", ")"], ["[", "]"]):
            end += 2
        else:
            while end < len(texts) and texts[end] not in ("(", ";", "{", "<"):
                end += 1
            if end == index + 1:
                end += 1
        name = texts[index + 1 : end]
        joined = "".join(f" {word}" if word[0].isalpha() else word for word in name)
        self._add("OPERATORNAME", "operator" + joined, index)
        return end

    def _attribute(self, index: int) -> int:
        """Drop `[[…]]`, but not a lambda as an index or first element."""
        end = self._matching(index)
        texts = self._old.texts
        inner = texts[index + 2 : end - 1]
        if texts[end - 1 : end] != ["]"] or ";" in inner or "{" in inner:
            return self._keep(index)
        before = texts[index - 1] if index else ""
        if inner[:1] in (["="], ["&"], []) or before in ("=", "(", ",") and "(" in texts[end + 1 : end + 2]:
            return self._keep(index)
        return end + 1

    def _gnu_attribute(self, index: int) -> int:
        texts = self._old.texts
        if texts[index + 1 : index + 2] != ["("]:
            return index + 1
        end = self._matching(index + 1)
        words = texts[index:end]
        for name in ("aligned", "__aligned__", "align"):
            if name in words and words[words.index(name) + 1 :][:1] == ["("]:
                at = index + words.index(name)
                self._add("_ALIGNAS", "__align__", at)
                for inner in range(at + 1, self._matching(at + 1) + 1):
                    self._keep(inner)
                break
        return end + 1

    def _pragma(self, index: int) -> int:
        end = self._matching(index + 1)
        text = self._old.texts[index + 2].strip('"') if index + 2 < end else ""
        if text.split()[:1] in (["unroll"], ["nounroll"]):
            self._add("PRAGMA", text, index)
        return end + 1

    def _matching(self, index: int) -> int:
        """The bracket that closes the one at `index`, or the last token."""
        depth = 0
        for at in range(index, len(self._old.texts)):
            depth += _BRACKETS.get(self._old.texts[at], 0)
            if not depth:
                return at
        return len(self._old.texts) - 1
