"""The special registers of PTX, from the table `ptx_special_registers.txt`.

Out: for a name such as `%tid.x` the IR value, and for checks its row. Those that tell
time become `Special.CLOCK`, those the analyses have no word for `Special.OTHER`, under their names.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ....grammars import grammar_text
from ...ir.types import UINT32
from ...ir.values import Constant, Special, SpecialRegister, Value
from .ptx_types import type_of

_CLOCKS = frozenset(
    ("%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi")
)


class SpecialRow(NamedTuple):
    """One row of the table of PTX special registers."""

    name: str
    type: str
    components: str  # "" for a scalar
    version: tuple[int, int]
    architecture: int


@cache
def special_registers() -> dict[str, SpecialRow]:
    """Every special register of PTX by name, numbered families written out."""
    rows: dict[str, SpecialRow] = {}
    for line in grammar_text("ptx_special_registers.txt").splitlines():
        words = line.split()
        if not words or words[0] == "#":
            continue
        name, type_, components, version, architecture = words
        major, _, minor = version.partition(".")
        family = re.search(r"<(\d+)>", name)
        names = [name]
        if family:
            names = [name.replace(family.group(), str(n)) for n in range(int(family.group(1)))]
        for one in names:
            rows[one] = SpecialRow(
                one,
                type_.lstrip("."),
                components.strip("-"),
                (int(major), int(minor)),
                int(architecture),
            )
    return rows


@cache
def _known() -> dict[str, Special]:
    several = (Special.OTHER, Special.CLOCK)
    return {special.value: special for special in Special if special not in several}


def special_value(base: str, component: str) -> Value | None:
    """The IR value of a PTX special register; None when the name is not one."""
    row = special_registers().get(base)
    if row is None:
        return None
    if base == "WARP_SZ":
        return Constant(UINT32, 32)
    name = base.removeprefix("%")
    if row.components:
        name = f"{name}.{component or 'x'}"
    type_ = type_of(row.type)
    known = _known().get(name)
    if known is not None:
        return SpecialRegister(type_, known)
    made = Special.CLOCK if base in _CLOCKS else Special.OTHER
    return SpecialRegister(type_, made, name)
