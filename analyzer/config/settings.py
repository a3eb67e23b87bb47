"""What a run is asked to do, as one value.

Every source of settings (today the command line) ends in a `Settings`; nothing after it asks
where a setting came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .architecture import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..source.compile_flags import CompileCommands


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run; `block` and `grid` are None when the kernels shall say."""

    arch: int = DEFAULT
    block: tuple[int, int, int] | None = None
    grid: tuple[int, int, int] | None = None
    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: frozenset[str] = frozenset()
    include_paths: tuple[str, ...] = ()
    compile_commands: CompileCommands | None = None
    show_possible: bool = False
    debug: bool = False
