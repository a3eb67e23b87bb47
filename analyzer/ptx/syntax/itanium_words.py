"""The words of mangled names: types, operators and what the standard library abbreviates."""

from __future__ import annotations

#: Types of one letter.
LETTERS = {
    "v": "void", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long",
    "x": "long long", "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128",
    "f": "float", "d": "double", "e": "long double", "g": "__float128", "w": "wchar_t", "z": "...",
}  # fmt: skip

#: Types of two letters.
BUILTINS = {
    "Dn": "decltype(nullptr)", "Dh": "half", "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t",
    "Da": "auto", "Dc": "decltype(auto)", "Dd": "decimal64", "De": "decimal128", "Df": "decimal32",
}  # fmt: skip

#: What follows a number of these types; numbers of others have their type before them.
LITERALS = {"i": "", "j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull"}

#: What `S` and a letter stand for.
STANDARD = {
    "a": "std::allocator",
    "b": "std::basic_string",
    "s": "std::string",
    "i": "std::istream",
    "o": "std::ostream",
    "d": "std::iostream",
}

#: By the two letters that stand for them.
OPERATORS = {
    "nw": "new", "na": "new[]", "dl": "delete", "da": "delete[]", "ps": "+", "ng": "-", "ad": "&",
    "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&",
    "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=",
    "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=",
    "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "ss": "<=>", "nt": "!",
    "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*", "pt": "->", "cl": "()",
    "ix": "[]", "qu": "?",
}  # fmt: skip

_CHARACTERS = "char, std::char_traits<char>"
#: The same where members of them are named.
WHOLE = {
    "s": f"std::basic_string<{_CHARACTERS}, std::allocator<char>>",
    "i": f"std::basic_istream<{_CHARACTERS}>",
    "o": f"std::basic_ostream<{_CHARACTERS}>",
    "d": f"std::basic_iostream<{_CHARACTERS}>",
}
