"""warplint: a static analyser and linter for GPU kernels (CUDA C++ and PTX).

What stands here is the Python interface; it is imported on first use, so that `import warplint`
costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .analyzer.resources.occupancy import occupancy

__version__ = "0.1.0"
__all__ = ["__version__", "occupancy"]


def __getattr__(name: str) -> object:
    """Import a name of the interface when it is asked for."""
    if name == "occupancy":
        from .analyzer.resources.occupancy import occupancy

        return occupancy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
