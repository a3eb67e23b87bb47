"""HTML that is made of elements: whatever comes from a file is text, and stays text.

In: names of elements, attributes, children. Out: `Html`. A child that is a plain string is escaped,
one that is `Html` is taken as it is; the only `Html` is made here. Control characters, and what
turns the direction of text, are shown as dots. No attribute holds an address of anything outside of
the page, a script or a style: `element` refuses them.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from ..text.cells import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_VOID = frozenset({"br", "col", "input", "meta", "path", "rect", "circle", "line", "use", "wbr"})
_BREAKS = re.compile(r"(?<=[_/<,:.])(?=[^_/:. ])")  # in names and paths
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
_REFUSED = ("on", "style", "src", "srcdoc", "action", "formaction")

Value = str | int | float | bool | None


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: str) -> Html:
    """Text of unknown origin; line ends stay."""
    return Html(escape(printable(value), quote=True))


def code_text(value: str) -> Html:
    """A piece of a line of source: tabs stay as well."""
    return Html("\t".join(text(part) for part in value.split("\t")))


def name_text(value: str) -> Html:
    """A long name or path, whose lines end between its words where it does not fit."""
    return joined(_BREAKS.split(value), element("wbr"))


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Several children as one."""
    return Html(_child(between).join(_child(part) for part in parts))


def element(name: str, *children: str, **attributes: Value) -> Html:
    """One element of HTML or SVG; `class_` is `class`, and `stroke_width` is `stroke-width`.

    An attribute that is None or False is left out; one that is True has no value.
    """
    head = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID and not children:
        return Html(f"<{head}/>" if name in _DRAWN else f"<{head}>")
    return Html(f"<{head}>{joined(children)}</{name}>")


_DRAWN = frozenset({"path", "rect", "circle", "line", "use"})


def _child(part: str) -> str:
    return part if isinstance(part, Html) else text(part)


def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if not _NAME.fullmatch(name) or name.lower().startswith(_REFUSED):
        raise ValueError(f"{name!r} is no attribute that a report may have")
    if value is True:
        return f" {name}"
    shown = f"{value:.4g}" if isinstance(value, float) else str(value)
    if name == "href" and not shown.startswith("#"):
        raise ValueError(f"{shown!r} leads out of the report")
    return f' {name}="{text(shown)}"'


def prose(words: str) -> Html:
    """A sentence in which code stands between backticks."""
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return text(words)
    return joined(
        element("code", part) if number % 2 else part for number, part in enumerate(parts)
    )


def classes(*names: str) -> str | None:
    """Several classes, empty ones left out."""
    return " ".join(name for name in names if name) or None
