"""The symbols of nvcc and clang (Itanium C++ ABI, "Mangling") as names and as identities.

In: a symbol. Out: for messages `rows_of_eight<32>` for `_Z13rows_of_eightILi32EEvPKfPf`, `tile` for
a variable inside a function; for other files the kernel that it names, with its scope, template
arguments and the types of its parameters. The symbol itself when it is not mangled or cannot be
read (`itanium.py`). Identities say nothing of types with expressions, packs or functions in them.
"""

from __future__ import annotations

from ...ir.kernel_identity import KernelIdentity
from ...source.numbers import integer
from .itanium import UnreadableError, name_of

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
_WORDS = {
    "void": "void", "bool": "bool", "char": "i8", "signed char": "i8", "unsigned char": "u8",
    "short": "i16", "unsigned short": "u16", "int": "i32", "unsigned int": "u32", "long": "i64",
    "unsigned long": "u64", "long long": "i64", "unsigned long long": "u64", "float": "f32",
    "double": "f64", "__half": None,
}  # fmt: skip
_NAMELESS = "(anonymous namespace)"
_MOST_DEPTH = 100  # types in types
_MOST_DIGITS = 3  # of the number of what is referred to


class _UnreadableError(Exception):
    """The symbol holds something this reader does not know."""


def readable(symbol: str) -> str:
    """The name a person would use for a mangled symbol."""
    if not symbol.startswith("_Z"):
        return symbol
    try:
        return name_of(symbol)
    except (UnreadableError, IndexError):
        return symbol


def kernel_identity(symbol: str) -> KernelIdentity:
    """The kernel that a mangled symbol names, as far as it can be read."""
    if not symbol.startswith("_Z"):
        return KernelIdentity(symbol)
    try:
        return _Reader(symbol).identity()
    except (_UnreadableError, IndexError):
        return KernelIdentity(symbol)


def _word(type: str) -> str | None:
    """The word of a type in identities; None for what is compared with nothing."""
    plain = type.replace(" const", "").replace(" volatile", "")
    base = plain.rstrip("*")
    word = _WORDS.get(base, base.partition("<")[0].rpartition("::")[2])
    return None if word is None or "&" in plain else word + plain[len(base) :]


class _Reader:
    def __init__(self, symbol: str) -> None:
        self._text = symbol
        self._at = 2
        self._seen: list[str] = []  # what later parts may refer to
        self._bound: list[str] = []  # the template arguments of the function
        self._depth = 0

    def identity(self) -> KernelIdentity:
        """`_Z name type ...`: of a template the first type is what it returns."""
        *scope, name = self._name()
        plain, bracket, _ = name.partition("<")
        arguments = tuple(self._bound) if bracket else None
        around = tuple(part for part in scope if not _is_nameless(part))
        try:
            types = self._types()[1 if bracket else 0 :]
        except (_UnreadableError, IndexError):
            return KernelIdentity(plain, around, None, arguments)
        words = () if types == ["void"] else tuple(map(_word, types))
        return KernelIdentity(plain, around, words, arguments)

    def _types(self) -> list[str]:
        found: list[str] = []
        while self._peek() not in ("", "."):
            found.append(self._type())
        return found

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
        return _NAMELESS if name.startswith("_GLOBAL__N") else name

    def _name(self, *, of_type: bool = False) -> list[str]:
        """A name in its parts; each beginning of it can be referred to, of a type all of it."""
        nested = self._accept("N")
        if nested:
            while self._peek() in ("K", "V", "r"):
                self._at += 1
        else:
            self._accept("L")  # internal linkage
        parts: list[str] = []
        known = True  # what is in `parts` can be referred to, or is nothing
        while not (nested and self._accept("E")):
            if parts and not (nested or self._peek() == "I"):
                break
            if not known:
                self._seen.append("::".join(parts))
            known = False
            if parts and self._peek() == "I":
                arguments = self._arguments()
                parts[-1] += f"<{', '.join(arguments)}>"
                self._bound = self._bound if of_type else arguments
            elif self._peek() == "S" and not parts:
                parts += self._substitution().split("::")
                known = True
            else:
                parts.append(self._source_name())
        if not parts:
            raise _UnreadableError
        if of_type:
            self._seen.append("::".join(parts))
        return parts

    def _substitution(self) -> str:
        """`S_`, `S0_`, `S1_`, ...: what was there before; `St` is `std`."""
        self._at += 1
        if self._accept("t"):
            return "std"
        return self._numbered(self._seen, 36)

    def _numbered(self, known: list[str], base: int) -> str:
        end = self._text.find("_", self._at)
        digits = self._text[self._at : end]
        if end < 0 or len(digits) > _MOST_DIGITS or not (digits or "0").isalnum():
            raise _UnreadableError
        try:
            number = int(digits, base) + 1 if digits else 0
        except ValueError:
            raise _UnreadableError from None
        if number >= len(known):
            raise _UnreadableError
        self._at = end + 1
        return known[number]

    def _arguments(self) -> list[str]:
        self._at += 1
        found: list[str] = []
        while not self._accept("E"):
            found += self._pack() if self._accept("J") else [self._argument()]
        return found

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
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise _UnreadableError
        found = self._inner_type()
        self._depth -= 1
        return found

    def _inner_type(self) -> str:
        for mark, suffix in (("P", "*"), ("R", "&"), ("V", " volatile"), ("K", " const")):
            if self._accept(mark):
                found = self._type() + suffix
                self._seen.append(found)
                return found
        if self._peek() in _BUILTIN:
            return _BUILTIN[self._take()]
        if self._accept("T"):
            found = self._numbered(self._bound, 10)
            self._seen.append(found)  # also where it stands for what was there before
            return found
        if self._peek() == "S" and self._text[self._at + 1 : self._at + 2] != "t":
            found = self._substitution()
            return self._instance_of(found) if self._peek() == "I" else found
        if self._peek().isdigit() or self._peek() in "NS":
            return "::".join(self._name(of_type=True))
        raise _UnreadableError

    def _instance_of(self, template: str) -> str:
        found = f"{template}<{', '.join(self._arguments())}>"
        self._seen.append(found)
        return found


def _is_nameless(part: str) -> bool:
    """Whether a scope stands for a file: nvcc and clang name unnamed namespaces themselves."""
    return part == _NAMELESS or part.startswith("_INTERNAL_")
