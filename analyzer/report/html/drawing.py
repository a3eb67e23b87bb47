"""Small drawings that several parts of the page share: bars, frames of pictures, paths.

All colours are classes of the style, so that one picture serves light and dark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .markup import Html, element, joined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .markup import Value

_WIDTH, _HEIGHT = 64, 8  # of a bar; the style has them, too


def bar(fraction: float, kind: str) -> Html:
    """A short bar for a fraction; the number stands beside it."""
    width = max(0.0, min(1.0, fraction)) * _WIDTH
    filled = element("path", d=f"M0 0h{width:.3g}v{_HEIGHT}H0z")
    return element("svg", filled, class_=f"bar {kind}", aria_hidden="true")


def picture(label: str, size: tuple[float, float], *children: str, kind: str = "") -> Html:
    """An SVG that is read out as its label."""
    width, height = size
    return element(
        "svg",
        *children,
        class_=kind or None,
        width=width,
        height=height,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=label,
    )


def cells(places: Iterable[tuple[float, float, float, float]]) -> str:
    """A path of rectangles: x, y, width, height."""
    return "".join(f"M{x:g} {y:g}h{w:g}v{h:g}h{-w:g}z" for x, y, w, h in places)


def label(words: str, x: float, y: float, **attributes: Value) -> Html:
    """Text in a picture."""
    return element("text", words, x=x, y=y, **attributes)


def figure(caption: str, *children: str, kind: str = "") -> Html:
    """A picture with what it shows."""
    return element("figure", element("figcaption", caption), joined(children), class_=kind or None)
