"""Bytes to text.

In: a path, or bytes with a name. Out: a `SourceText` and the problems met on the way; the text is
None when nothing can be analysed. UTF-8 (with or without a byte order mark) and UTF-16 with a mark
are read as they are; anything else as Latin-1, which maps every byte to one character, with a
problem that says whether the odd bytes stand in code or only in comments and literals. A stray NUL
byte is read as a space; more of them make a binary file.
Never raises for any file content or file system state.
"""

from __future__ import annotations

import codecs
import errno
import os
import re

from ...grammars.patterns import possessive
from .file_probes import note_read
from .files import SOURCE
from .problem import Damage, Problem
from .stand_ins import read_source_file
from .text import SourceText, Span

FEW = 1_000  # a text may have one NUL byte in so many bytes
LARGEST = SOURCE  # bytes of a file that is read

_TOO_LARGE = (f"larger than {LARGEST:,} bytes", "split the file or exclude it")

_HARMLESS = re.compile(
    r"//[^\n]*|/\*[^*]*+" + possessive(r"\*(?!/)[^*]*+") + r"(?:\*/)?"
    r'|"' + possessive(r'[^"\\\n]++|\\.') + '"?'
    "|'" + possessive(r"[^'\\\n]++|\\.") + "'?"
)
_DIGRAPH = re.compile(r"^([ \t]*)%:(?!%:)", re.MULTILINE)
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

Result = tuple[SourceText | None, list[Problem]]


def read_source(path: str | os.PathLike[str]) -> Result:
    """The text of the source at `path`, decoded, under the path as given."""
    name = os.fspath(path)
    try:
        data = read_source_file(name, LARGEST)
        note_read(name, data)
    except IsADirectoryError:
        advice = "name a file, or a folder to a command that walks"
        return _unread(name, "is a directory", advice)
    except FileNotFoundError:
        return _unread(name, "no such file", "check the path")
    except PermissionError:
        return _unread(name, "permission denied", "make the file readable")
    except OSError as error:
        if error.errno == errno.EFBIG:
            return _unread(name, *_TOO_LARGE)
        reason = error.strerror or str(error)
        return _unread(name, f"cannot be read: {reason}", "check the file and the path")
    return decode_source(name, data)


def decode_source(name: str, data: bytes) -> Result:
    """The text of a source whose bytes are `data`, under the path `name`."""
    if len(data) > LARGEST:
        return _fatal(name, *_TOO_LARGE)
    if not data.strip():
        return _notice(SourceText(name, ""), "empty file: nothing to analyse")
    for mark, encoding in _UTF_16.items():
        if data.startswith(mark):
            return _from_utf_16(name, data[len(mark) :], encoding)
    if b"\0" in data:
        if data.count(b"\0") * FEW > len(data):
            advice = "pass CUDA or PTX source text"
            return _fatal(name, "a binary file (it contains NUL bytes)", advice)
        return _without_nul(name, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _from_latin_1(name, data, error.start)
    if not text.strip():
        return _notice(SourceText(name, ""), "empty file: nothing to analyse")
    if "\r" in text.strip() and "\n" not in text:
        return _without_line_ends(name, text)
    return SourceText(name, _with_number_signs(text)), []


def _without_line_ends(name: str, text: str) -> Result:
    """A text whose lines end in CR alone: compilers take all of it for one line."""
    source = SourceText(name, _with_number_signs(text.replace("\r", "\n")))
    message = "lines end in CR alone, which compilers do not take for the end of a line"
    advice = "save the file with LF or CR LF; it was read as if it was"
    return source, [Problem(name, message, advice, Damage.PARTIAL, source.span_of_line(1))]


def _with_number_signs(text: str) -> str:
    """The text with `#` for `%:` where that begins a directive (C++ standard, [lex.digraph])."""
    text = _DIGRAPH.sub(r"\1# ", text) if "%:" in text else text
    return text.replace("\ufeff", " ")  # a byte order mark from where files were joined


def _from_utf_16(name: str, data: bytes, encoding: str) -> Result:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        return _fatal(name, f"broken UTF-16 at byte {error.start + 2}", "convert the file to UTF-8")
    if "\0" in text:
        return _fatal(name, "a binary file (it contains NUL characters)", "pass source text")
    if not text.strip():
        return _notice(SourceText(name, ""), "empty file: nothing to analyse")
    return SourceText(name, text), []


def _without_nul(name: str, data: bytes) -> Result:
    """A text with a stray NUL byte, which is a blank to compilers too."""
    source, problems = decode_source(name, data.replace(b"\0", b" "))
    if source is not None:
        line = 1 + data.count(b"\n", 0, data.index(b"\0"))
        message = f"a NUL byte at line {line}, read as a space"
        problem = Problem(name, message, "remove it", Damage.NOTICE, source.span_of_line(line))
        problems = [*problems, problem]
    return source, problems


def _from_latin_1(name: str, data: bytes, first_bad: int) -> Result:
    source = SourceText(name, data.decode("latin-1"))
    code = _HARMLESS.sub(lambda match: re.sub(r"[^\n\r]", " ", match[0]), source.text)
    odd = next((i for i, character in enumerate(code) if character > "\x7f"), None)
    at = first_bad if odd is None else odd
    line, column = source.position(at)
    byte = f"byte 0x{data[at]:02x}"
    if odd is None:
        message = f"not UTF-8 at line {line} column {column}: {byte} in a comment or literal"
        damage = Damage.NOTICE
    else:
        message = f"not UTF-8 at line {line} column {column}: {byte} in code"
        damage = Damage.PARTIAL
    advice = "convert the file to UTF-8; it was read as Latin-1"
    return source, [Problem(name, message, advice, damage, Span(source, at, at + 1))]


def _unread(name: str, message: str, advice: str) -> Result:
    note_read(name, None)
    return _fatal(name, message, advice)


def _fatal(name: str, message: str, advice: str) -> Result:
    return None, [Problem(name, message, advice, Damage.FATAL)]


def _notice(source: SourceText, message: str) -> Result:
    return source, [Problem(source.path, message, "nothing to do", Damage.NOTICE)]
