"""Everything the rules about host code may ask of one file, computed when first asked.

In: a module and the user's options. A rule whose subject is the host gets one of these.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.host import HostAccess, HostCall, HostLaunch, HostView

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...ir.host import HostEvent
    from ...ir.kernel import Module
    from ..launch.assumed_launch import AnalysisOptions


class HostFacts:
    """What rules may ask of one file's host code."""

    def __init__(self, module: Module, options: AnalysisOptions) -> None:
        self.module = module
        self.options = options

    @cached_property
    def calls(self) -> tuple[HostCall, ...]:
        """Calls of the runtime, and of the C library's functions for memory, in this file."""
        return tuple(each for each in self.reached_calls if self._is_own(each))

    @cached_property
    def reached_calls(self) -> tuple[HostCall, ...]:
        """These, and those of helpers in headers that calls in this file lead to."""
        return tuple(event for event in self.module.host if isinstance(event, HostCall))

    def _is_own(self, event: HostEvent) -> bool:
        return event.span.source is self.module.source

    @cached_property
    def launches(self) -> tuple[HostLaunch, ...]:
        """Launches with what their arguments point to."""
        return tuple(event for event in self.module.host if isinstance(event, HostLaunch))

    @cached_property
    def views(self) -> frozenset[tuple[Hashable, int]]:
        """Allocations by their sites, with the sizes of the elements that casts see there."""
        seen = (event for event in self.module.host if isinstance(event, HostView))
        found = ((view.arguments[0].pointer, view.element_size) for view in seen)
        return frozenset((of.allocation.site, size) for of, size in found if of is not None)

    @cached_property
    def accesses(self) -> tuple[HostAccess, ...]:
        """Where the host follows a pointer in this file."""
        return tuple(each for each in self.reached_accesses if self._is_own(each))

    @cached_property
    def reached_accesses(self) -> tuple[HostAccess, ...]:
        """These, and those of helpers in headers that calls in this file lead to."""
        return tuple(event for event in self.module.host if isinstance(event, HostAccess))
