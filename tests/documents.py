"""Reads the marked code blocks of the repository's documents, so that tests can execute them.

A marked block is a fence whose line before is a comment: `<!-- KIND: NAME -->`.
"""

from __future__ import annotations

import re

from source_tree import ROOT

_BLOCK = re.compile(
    r"^<!-- (?P<kind>\w+): (?P<name>.+?) -->\n```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def marked_blocks(document: str, kind: str) -> dict[str, str]:
    """The marked blocks of one kind, by name."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return {
        block["name"]: block["text"] for block in _BLOCK.finditer(text) if block["kind"] == kind
    }
