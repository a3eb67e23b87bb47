"""What numbers and strings in the source stand for.

In: literals as they are written. Out: the type of a number as c_ast spells it, and the characters
of a string. Not handled: what encoding prefixes change, universal character names.
"""

from __future__ import annotations

import re
from functools import cache

_INTEGER = re.compile(r"(?:0[xX][\da-fA-F']+|0[bB][01']+|\d[\d']*)([uUlLzZ]*)$")
_FLOATING = re.compile(
    r"(?:0[xX][\da-fA-F'.]+[pP][+-]?\d+|(?:\d[\d']*(?:\.[\d']*)?|\.\d[\d']*)(?:[eE][+-]?\d+)?)([fFlL]?)$"
)
_STRING = re.compile(
    r"""[uUL8]*R"(?P<mark>[^()\s\\"]*)\((?P<raw>[\s\S]*?)\)(?P=mark)"|"(?P<plain>(?:[^"\\]|\\[\s\S])*)\""""
)
_ESCAPE = re.compile(r"\\(?:(?P<end>\r?\n)|(?P<octal>[0-7]{1,3})|x(?P<hex>[\da-fA-F]+)|(?P<one>.))")
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


@cache
def number_type(text: str) -> str:
    """The C type of a number; "user" for a user-defined literal."""
    if match := _INTEGER.match(text):
        suffix = match[1].lower()
        longs = ("", "long ", "long long ")[min(suffix.count("l"), 2)]
        return ("unsigned " if "u" in suffix else "") + longs + "int"
    if match := _FLOATING.match(text):
        return {"f": "float", "l": "long double"}.get(match[1].lower(), "double")
    return "user"


def literal_text(text: str) -> str:
    """The characters of adjacent string literals; what is no literal among them is left out."""
    found = []
    for match in _STRING.finditer(text):
        raw = match["raw"]
        found.append(_ESCAPE.sub(_escaped, match["plain"]) if raw is None else raw)
    return "".join(found)


def _escaped(match: re.Match[str]) -> str:
    if match["end"]:
        return ""
    if match["one"]:
        return _NAMED.get(match["one"], match["one"])
    code = int(match["octal"], 8) if match["octal"] else int(match["hex"], 16)
    return chr(min(code, 0x10FFFF))
