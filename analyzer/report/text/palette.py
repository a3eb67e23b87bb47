"""Colours of a terminal, by role; plain text when colour is off.

When to colour is settled once by `wants_color`: the option, then NO_COLOR and FORCE_COLOR
(no-color.org, force-color.org), then whether the stream is a terminal.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO


class Role(Enum):
    """What a piece of text is, with its SGR parameters (ECMA-48, 8.3.117)."""

    ERROR = "1;31"
    WARNING = "1;33"
    NOTE = "1;36"
    HELP = "1;32"
    FRAME = "1;34"
    STRONG = "1"


@dataclass(frozen=True, slots=True)
class Palette:
    """Paints text, or leaves it alone."""

    enabled: bool = False

    def paint(self, text: str, role: Role) -> str:
        """`text` in the colour of `role`."""
        return f"\x1b[{role.value}m{text}\x1b[0m" if self.enabled and text else text


def wants_color(choice: str, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to colour what goes to `stream`; `choice` is auto, always or never."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return environment.get("TERM") != "dumb" and stream.isatty()
