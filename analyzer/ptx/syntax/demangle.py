"""Readable names for the symbols of nvcc and clang (Itanium C++ ABI, "Mangling"), for messages.

In: a symbol. Out: `rows_of_eight<32>` for `_Z13rows_of_eightILi32EEvPKfPf`, `tile` for a variable
inside a function; the symbol itself when it is not mangled or holds what is not read here:
substitutions in template arguments, operators, lambdas, decltype. Parameter types are left out.
"""

from __future__ import annotations

from ...source.numbers import integer

_BUILTIN = {
    "v": "void",
    "b": "bool",
    "c": "char",
    "a": "signed char",
    "h": "unsigned char",
    "s": "short",
    "t": "unsigned short",
    "i": "int",
    "j": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "x": "long long",
    "y": "unsigned long long",
    "f": "float",
    "d": "double",
}
_SUFFIX = {"j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull"}


class _UnreadableError(Exception):
    """The symbol holds something this reader does not know."""


def readable(symbol: str) -> str:
    """The name a person would use for a symbol."""
    if not symbol.startswith("_Z"):
        return symbol
    try:
        return _Reader(symbol).encoding()
    except (_UnreadableError, IndexError):
        return symbol


class _Reader:
    def __init__(self, symbol: str) -> None:
        self._text = symbol
        self._at = 2

    def encoding(self) -> str:
        """`_Z name ...`; of a variable inside a function only its own name."""
        if self._peek() != "Z":
            return self._name()
        end = self._text.rfind("E")
        while end > 0:
            self._at = end + 1
            if self._peek().isdigit():
                return self._source_name()
            end = self._text.rfind("E", 0, end)
        raise _UnreadableError

    def _peek(self) -> str:
        return self._text[self._at] if self._at < len(self._text) else ""

    def _take(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _accept(self, character: str) -> bool:
        if self._peek() == character:
            self._at += 1
            return True
        return False

    def _source_name(self) -> str:
        start = self._at
        while self._peek().isdigit():
            self._at += 1
        length = integer(self._text[start : self._at], 10) or 0
        name = self._text[self._at : self._at + length]
        if not length or len(name) < length:
            raise _UnreadableError
        self._at += length
        return "(anonymous namespace)" if name.startswith("_GLOBAL__N") else name

    def _name(self) -> str:
        if not self._accept("N"):
            return self._unqualified()
        while self._peek() in ("K", "V", "r"):
            self._at += 1
        parts: list[str] = []
        while not self._accept("E"):
            if self._peek() == "I":
                parts[-1] += self._arguments()
            else:
                parts.append(self._source_name())
        return "::".join(parts)

    def _unqualified(self) -> str:
        self._accept("L")  # internal linkage
        name = self._source_name()
        return name + self._arguments() if self._peek() == "I" else name

    def _arguments(self) -> str:
        self._at += 1
        found: list[str] = []
        while not self._accept("E"):
            found += self._pack() if self._accept("J") else [self._argument()]
        return f"<{', '.join(found)}>"

    def _pack(self) -> list[str]:
        found: list[str] = []
        while not self._accept("E"):
            found.append(self._argument())
        return found

    def _argument(self) -> str:
        return self._literal() if self._accept("L") else self._type()

    def _literal(self) -> str:
        kind = self._type()
        start = self._at
        while self._peek() not in ("E", ""):
            self._at += 1
        value = self._text[start : self._at].replace("n", "-")
        self._at += 1
        if kind == "bool":
            return "true" if value == "1" else "false"
        letter = next((code for code, name in _BUILTIN.items() if name == kind), "")
        return value + _SUFFIX.get(letter, "")

    def _type(self) -> str:
        suffix = ""
        while True:
            if self._accept("P"):
                suffix = "*" + suffix
            elif self._accept("R"):
                suffix = "&" + suffix
            elif self._accept("K"):
                suffix = " const" + suffix
            else:
                break
        if self._peek() in _BUILTIN:
            return _BUILTIN[self._take()] + suffix
        if self._peek().isdigit() or self._peek() == "N":
            return self._name() + suffix
        raise _UnreadableError
