"""What a run is asked to do, as one value.

Every source of settings (the command line, configuration files) ends in a `Settings`; nothing
after it asks where a setting came from. Files can differ in theirs: `at` gives those of one file.
"""

from __future__ import annotations

from dataclasses import field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..analyses.launch.kernel_size import KERNEL_SIZE
from ..source.records import dataclass
from .architecture import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..analyses.launch.evidence import Evidence
    from ..source.compile_flags import CompileCommands
    from .launch import StatedLaunch

    Shape = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run; `block` and `grid` are None when the kernels shall say."""

    arch: int = DEFAULT
    block: Shape | None = None
    grid: Shape | None = None
    blocks: tuple[tuple[str, Shape], ...] = ()  # by pattern, for kernels that do not say
    launches: tuple[StatedLaunch, ...] = ()  # instead of those that are found
    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: frozenset[str] = frozenset()
    include_paths: tuple[str, ...] = ()
    compile_commands: CompileCommands | None = None
    qualifier_macros: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by the code of the rule
    kernel_size: int = KERNEL_SIZE  # operations of the largest kernel that costly rules look into
    evidence: Evidence | None = None  # what compilers said of the kernels
    show_possible: bool = False
    debug: bool = False
    of_file: Callable[[str], Settings] | None = None  # when files have settings of their own

    def at(self, path: str) -> Settings:
        """The settings for one file."""
        return self if self.of_file is None else self.of_file(path)

    def changed(self, **changes: Any) -> Settings:
        """The same with other values, for every file."""
        of_file = self.of_file
        if of_file is None:
            return replace(self, **changes)
        return replace(self, **changes, of_file=lambda path: of_file(path).changed(**changes))

    def configured_block(self, kernel: str) -> Shape | None:
        """The block shape that the configuration has for kernels of this name."""
        return next((shape for glob, shape in self.blocks if fnmatchcase(kernel, glob)), None)
