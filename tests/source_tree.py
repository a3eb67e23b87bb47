"""The package's source tree, for the tests that check its shape."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]

#: The folders that hold packages; the root itself is the package `warplint`.
PACKAGE_FOLDERS = ("analyzer", "grammars", "rules")


def packages() -> dict[str, Path]:
    """Every package by its import name."""
    found = {"warplint": ROOT}
    for folder in PACKAGE_FOLDERS:
        for marker in sorted((ROOT / folder).rglob("__init__.py")):
            path = marker.parent
            found[".".join(("warplint", *path.relative_to(ROOT).parts))] = path
    return found


def modules() -> list[Path]:
    """Every Python file of the package, sorted."""
    inside = (path for folder in PACKAGE_FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return sorted([ROOT / "__init__.py", *inside])


def data_files() -> list[Path]:
    """Every file of the package's folders that is not Python: all of it must be in the wheel."""
    inside = (path for folder in PACKAGE_FOLDERS for path in (ROOT / folder).rglob("*"))
    return sorted(
        path
        for path in [ROOT / "py.typed", *inside]
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    )


def loaded(path: Path) -> ModuleType:
    """A Python file that is no part of the package, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def module_name(path: Path) -> str:
    """The import name of a Python file."""
    relative = path.relative_to(ROOT).with_suffix("")
    parts = [part for part in relative.parts if part != "__init__"]
    return ".".join(("warplint", *parts))


def bench_module(name: str) -> Any:
    """A module of bench/, whose imports find their neighbours as they do when it is run."""
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / "bench"))
