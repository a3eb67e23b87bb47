"""Cuts the text of a PTX file into statements with one regular expression.

In: the text. Out: the same text with comments blanked (offsets stay), and matches of `STATEMENT`,
whose `lastgroup` says what kind of statement it is: None for an instruction whose operands are up
to four names and numbers, as most are; its groups 3 to `lastindex` are these. Every character
belongs to some match: what fits nothing is `bad`, up to the end of its line. All repetition is
possessive or bounded, so that the time is linear for any input, `_LONGEST` being the longest
instruction believed. The end of a variable declaration, which may hold megabytes of data, is found
by `str.find`.
"""

from __future__ import annotations

import re

from ....grammars.patterns import possessive

_LONGEST = 16_384

_STRING = '"' + possessive(r'[^"\\\n]++|\\.') + '"'
_STRING_OR_COMMENT = rf"{_STRING}|//[^\n]*+|/\*(?:.*?\*/|.*+\Z)"
_COMMENT = re.compile(_STRING_OR_COMMENT, re.DOTALL | re.ASCII)
# Four times slower, since it begins with no fixed character, and hardly ever needed.
_COMMENT_OR_LINE_MARKER = re.compile(
    rf"{_STRING_OR_COMMENT}|^[ \t]*+\#[ \t]*+(?:line\b|\d)[^\n]*+",
    re.DOTALL | re.ASCII | re.MULTILINE,
)
VISIBLE = re.compile(r"[^\s]")

_WORD = rf"(?:{_STRING}|[\w$.%]++)"
_NUMBER = r"\d{1,9}+\b"
# An operand that is nothing but a name or a number; anything longer is left to the grammar.
_PLAIN = (
    r"([A-Za-z_$%][\w$]*+(?:\.[A-Za-z]\w*+)?"
    r"|(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]++U?|\d++U?)(?![\w$.]))"
)
_COMMA = r"\s*+,\s*+"
_LINKAGE = possessive(r"\.(?:visible|extern|weak|common)\b\s*+")
_SUFFIXES = possessive(r"\.\w++" + possessive(r"::\w++"))
_STRINGS_AND_MORE = possessive(rf'{_STRING}\s*+;?[^{{;"]*+')
_MORE_WORDS = possessive(rf"\s*+,\s*+{_WORD}")
_WORDS = possessive(rf"{_WORD}{_MORE_WORDS}(?:[ \t]++(?={_STRING}))?", least=1)

STATEMENT = re.compile(
    rf"""
    \s*+(?:
      (?P<guard>@\s*+!?\s*+[A-Za-z_$%][\w$]*+)?\s*+
      (?P<opcode>[a-z_]\w*+{_SUFFIXES})(?!\s*+:|[$%])
      (?:\s*+{_PLAIN}(?:{_COMMA}{_PLAIN}(?:{_COMMA}{_PLAIN}(?:{_COMMA}{_PLAIN})?)?)?\s*+;
        |(?P<operands>[^;]{{0,{_LONGEST}}}+);)
    | \.loc\s++(?P<loc>{_NUMBER}\s++{_NUMBER}\s++{_NUMBER}
        (?:\s*+,\s*+function_name\s++[\w$]++(?:\s*+\+\s*+{_NUMBER})?
           \s*+,\s*+inlined_at\s++{_NUMBER}\s++{_NUMBER}\s++{_NUMBER})?)
    | (?P<label>[A-Za-z_$%][\w$]*+)\s*+:(?!:)
    | (?P<open>\{{)
    | (?P<close>\}})
    | (?P<registers>\.reg\b[^;]{{0,{_LONGEST}}}+);
    | (?P<variables>{_LINKAGE}\.(?:global|shared|const|local|param|tex|sreg)\b)
    | (?P<header>{_LINKAGE}\.(?:entry|func|callprototype)\b
        [^{{;"]*+{_STRINGS_AND_MORE})(?P<after>[{{;]?)
    | \.(?P<list>branchtargets|calltargets)\b(?P<targets>[^;]{{0,{_LONGEST * 64}}}+);
    | \.section\s++(?P<section>[.\w$]++)\s*+\{{(?P<contents>[^}}]*+)\}}
    | \.(?P<directive>version(?=\s++\d{{1,4}}+\.\d{{1,4}}+(?![\w$.%]))|target|address_size(?=\s++\d)
        |file(?=\s++\d{{1,9}}+\s*+")|pragma(?=\s*+")|alias)\b\s*+
      (?P<plain>{_WORDS})
      (?:\s*+;)?
    | (?P<end>\Z)
    | (?P<bad>[^\n]++\n?)
    )
    """,
    re.VERBOSE | re.ASCII,
)

# Where a statement may begin when the one before it lacks its semicolon.
RESUME = re.compile(
    r"\n[ \t]*+(?=[@{}]"
    r"|\.(?:loc|reg|shared|local|param|visible|extern|weak|entry|func|section|file)\b"
    r"|[A-Za-z_$%][\w$]*+:(?!:)|[a-z]\w*+\.\w|(?:ret|exit|trap|bra|brx|call|activemask)\b)",
    re.ASCII,
)


def blank_comments(text: str) -> str:
    """The text of a PTX file with every comment turned into blanks of the same length."""
    return (_COMMENT_OR_LINE_MARKER if "#" in text else _COMMENT).sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] == '"':
        return found
    if found[:2] == "/*":
        return VISIBLE.sub(" ", found)
    return " " * len(found)


def unclosed_comment(text: str) -> int | None:
    """Where a `/*` begins in PTX that nothing closes; None when all is well."""
    start = text.rfind("/*")
    if start < 0 or text.find("*/", start + 2) >= 0:
        return None
    for match in _COMMENT.finditer(text):
        if match.end() == len(text) and match.group()[:2] == "/*":
            return match.start()
    return None


_BRACE = re.compile(r"[{}]")
_PARENTHESIS = re.compile(r"[(),]")


def cut_initialisers(text: str) -> tuple[str, list[str]]:
    """A PTX declaration without the values behind its `=` signs, and the values."""
    values: list[str] = []
    kept: list[str] = []
    position = 0
    while True:
        equal = text.find("=", position)
        if equal < 0:
            kept.append(text[position:])
            return "".join(kept), values
        end = _end_of_value(text, equal + 1)
        kept.append(text[position : equal + 1])
        values.append(text[equal + 1 : end])
        position = end


def _end_of_value(text: str, start: int) -> int:
    """Where an initialiser ends: behind its last brace, or at a comma outside parentheses."""
    depth = 0
    if text[start:].lstrip()[:1] == "{":
        for match in _BRACE.finditer(text, start):
            depth += 1 if match.group() == "{" else -1
            if depth == 0:
                return match.end()
        return len(text)
    for match in _PARENTHESIS.finditer(text, start):
        if match.group() == ",":
            if depth == 0:
                return match.start()
        else:
            depth += 1 if match.group() == "(" else -1
    return len(text)
