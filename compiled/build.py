"""The modules of `modules.toml` as machine code, beside the same modules as Python.

In: the tree, and a folder to build in. Out: what setuptools is to build. The sources are copied,
their records written out (`native_classes.py`), and mypyc makes C of the copies.
"""

from __future__ import annotations

import shutil
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .native_classes import written_out

if TYPE_CHECKING:
    from setuptools import Extension

ROOT = Path(__file__).resolve().parents[1]
_PACKAGES = ("analyzer", "grammars", "rules")


def chosen() -> list[str]:
    """The modules that are compiled, as paths from the root."""
    said = _said()
    left = {path for each in said["left"] for path in each["modules"]}
    inside = (path for room in said["rooms"] for path in sorted((ROOT / room).glob("*.py")))
    paths = (path.relative_to(ROOT).as_posix() for path in inside if path.name != "__init__.py")
    return [path for path in paths if path not in left]


def extensions(folder: Path) -> list[Extension]:
    """What to build, from sources that are written to a folder."""
    from mypyc.build import mypycify

    copy = folder / "warplint"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    shutil.copy(ROOT / "__init__.py", copy)
    for package in _PACKAGES:
        shutil.copytree(ROOT / package, copy / package)
    for path in chosen():
        source = (ROOT / path).read_text(encoding="utf-8")
        opened = path.rpartition("/")[0] in _said()["opened"]
        (copy / path).write_text(written_out(source, opened=opened), encoding="utf-8")
    # Types are checked elsewhere: here what is not installed may be anything.
    checking = ["--config-file=", "--ignore-missing-imports", "--no-namespace-packages"]
    paths = [str(copy / path) for path in chosen()]
    return mypycify(
        [*checking, f"--cache-dir={folder / 'cache'}", *paths],
        opt_level="1",
        debug_level="0",
        multi_file=True,
        target_dir=str(folder / "c"),
        group_name="warplint",
    )


@cache
def _said() -> dict[str, Any]:
    return tomllib.loads((ROOT / "compiled" / "modules.toml").read_text(encoding="utf-8"))
