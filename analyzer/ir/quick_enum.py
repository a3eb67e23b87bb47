"""Enums that are looked up a million times: hashed by identity, not by a function in Python.

Members are single objects that compare by identity, so their addresses are all the hash they need;
`enum.Enum` hashes the member's name instead, which takes ten times as long.
"""

from __future__ import annotations

from enum import Enum


class QuickEnum(Enum):
    """The base of the enums of the IR."""

    __hash__ = object.__hash__
