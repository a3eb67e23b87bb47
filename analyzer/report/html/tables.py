"""Tables of the page: a head above rows, and regions that scroll where a table is too wide.

In: names of columns and rows. Out: elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .markup import Html, element, joined

if TYPE_CHECKING:
    from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[str], kind: str | None = None) -> Html:
    """A table of the HTML page: rows below the names of columns; `kind` is the class."""
    body = element("tbody", joined(rows))
    return element("table", element("thead", head_row(head)), body, class_=kind)


def head_row(names: Iterable[str]) -> Html:
    """The head of a table of the HTML page: the names of columns."""
    return element("tr", joined(element("th", name, scope="col") for name in names))


def wide(shown: Html, name: str) -> Html:
    """HTML in a region that scrolls, with a name, and that the keyboard reaches."""
    return element("div", shown, class_="wide", tabindex="0", role="region", aria_label=name)
