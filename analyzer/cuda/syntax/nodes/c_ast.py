"""pycparser's `c_ast`, without the rest of pycparser.

Out: `c_ast`, the module itself. `import pycparser` also brings its lexer, its parser and
`subprocess`, of which nothing is used here: to define them takes longer than to read a small file.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from pycparser import c_ast
else:

    def _alone(package: str, name: str) -> ModuleType:
        """A module of a package that is not imported itself."""
        known = sys.modules.get(f"{package}.{name}")
        if known is not None:
            return known
        above = find_spec(package)
        if above is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        spec = PathFinder.find_spec(f"{package}.{name}", above.submodule_search_locations)
        module = sys.modules[spec.name] = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    c_ast = _alone("pycparser", "c_ast")

__all__ = ["c_ast"]
