"""Edits of files: texts with spans replaced, and files that change whole or not at all.

In: edits on spans of one text. Out: the new text; for a file, its new bytes in the encoding it had.
A file is only replaced while it still holds what was read: who edits it meanwhile loses nothing.
"""

from __future__ import annotations

import codecs
import os
import stat
from functools import partial
from typing import TYPE_CHECKING

from ..source.files import RECORDS, read_regular
from ..source.links import leads_outside
from ..source.replacing import replace_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings.finding import Edit

_ENCODINGS = (
    (b"", "utf-8"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"", "latin-1"),
)


class EditError(Exception):
    """A file cannot be edited; the message says why, for a user."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they do not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(set(edits), key=lambda edit: (edit.span.start, edit.span.end)):
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*pieces, text[at:]])


def overlap(first: Edit, second: Edit) -> bool:
    """Whether two different edits touch the same characters, or insert at the same place."""
    if first == second:
        return False
    one, two = first.span, second.span
    return one.source.path == two.source.path and (
        (one.start < two.end and two.start < one.end) or one.start == two.start
    )


def encoded_like(data: bytes, text: str, new_text: str) -> bytes:
    """`new_text` in the encoding in which `data` holds `text`."""
    for mark, encoding in _ENCODINGS:
        try:
            if mark + text.encode(encoding) == data:
                return mark + new_text.encode(encoding)
        except UnicodeEncodeError:
            continue
    raise EditError(
        "its bytes are not those of the text that was checked: convert it to UTF-8, or stage it"
    )


def replace_file(path: str, expected: bytes, data: bytes) -> None:
    """Replace a file that still holds `expected`, keeping what it is but its bytes.

    Links stay links; one of a project that leads out of it is not followed.
    """
    outside = leads_outside(path)
    if outside is not None:
        raise EditError(f"it is a link to {outside}, outside of the project")
    target = os.path.realpath(path)
    try:
        status = os.stat(target)
        if not status.st_mode & stat.S_IWUSR or not os.access(target, os.W_OK):
            raise EditError("it is read-only")
        replace_whole(target, data, status, partial(_is_unchanged, target, expected))
    except OSError as error:
        raise EditError(error.strerror or str(error)) from error


def _is_unchanged(path: str, expected: bytes) -> None:
    if read_regular(path, RECORDS) != expected:
        raise EditError("it changed while it was being checked")
