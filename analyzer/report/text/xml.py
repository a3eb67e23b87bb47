"""Text in XML: characters that XML 1.0 has no place for are shown as escapes."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from .cells import printable

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(text: str) -> str:
    """Text as the value of an attribute, in its quotes."""
    return quoteattr(_allowed(text), {"\n": "&#10;", "\t": "&#9;"})


def element(text: str) -> str:
    """Text as what an element holds."""
    return escape(_allowed(text))


def _allowed(text: str) -> str:
    return _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", printable(text))
