"""The package's source tree, for the tests that check its shape."""

from __future__ import annotations

from pathlib import Path

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


def module_name(path: Path) -> str:
    """The import name of a Python file."""
    relative = path.relative_to(ROOT).with_suffix("")
    parts = [part for part in relative.parts if part != "__init__"]
    return ".".join(("warplint", *parts))
