"""What setuptools is told equals what the tree holds.

A package that is missing from the list works in an editable install and is missing from the
wheel; `.ci/run` compares the built wheel with the tree as well.
"""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from typing import Any

from source_tree import PACKAGE_FOLDERS, ROOT, data_files, modules, packages

import warplint

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_is_listed() -> None:
    listed = PYPROJECT["tool"]["setuptools"]["packages"]
    wanted = "".join(f'    "{name}",\n' for name in sorted(packages()))
    advice = f"in pyproject.toml, [tool.setuptools], write\npackages = [\n{wanted}]"
    assert listed == sorted(packages()), advice


def test_every_folder_with_python_is_a_package() -> None:
    homes = {path.parent for path in modules()}
    assert homes <= set(packages().values())


def test_every_data_file_is_listed() -> None:
    patterns = PYPROJECT["tool"]["setuptools"]["package-data"]
    homes = {path: name for name, path in packages().items()}
    forgotten = [
        str(path.relative_to(ROOT))
        for path in data_files()
        if not any(fnmatch(path.name, each) for each in patterns.get(homes.get(path.parent), []))
    ]
    assert forgotten == []


def test_every_data_pattern_matches_something() -> None:
    names = {path: name for name, path in packages().items()}
    held = [(names.get(path.parent), path.name) for path in data_files()]
    for package, patterns in PYPROJECT["tool"]["setuptools"]["package-data"].items():
        for pattern in patterns:
            assert any(home == package and fnmatch(name, pattern) for home, name in held), pattern


def test_the_root_holds_no_other_python_file() -> None:
    # Every .py file there would become a module of the package.
    named = {path.name for path in ROOT.glob("*.py")}
    assert named == {"__init__.py", "__main__.py", "setup.py"}  # the last one setuptools leaves out


def test_the_root_holds_no_other_package() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == set(PACKAGE_FOLDERS)


def test_the_version_is_written_once() -> None:
    assert "version" in PYPROJECT["project"]["dynamic"]
    assert "version" not in PYPROJECT["project"]
    assert warplint.__version__ in (ROOT / "CHANGELOG.md").read_text()


def test_the_command_line_exists() -> None:
    module, _, function = PYPROJECT["project"]["scripts"]["warplint"].partition(":")
    relative = module.removeprefix("warplint.").replace(".", "/")
    assert f"def {function}(" in (ROOT / f"{relative}.py").read_text()
