"""Compare a wheel with the source tree: `compare_wheel.py WHEEL TREE`.

Every Python module and every data file of the package must be in the wheel, and nothing else.
Prints what differs; exit code 1 when anything does.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

FOLDERS = ("analyzer", "grammars", "rules")
IN_THE_ROOT = ("__init__.py", "__main__.py", "py.typed")


def held_by_wheel(wheel: Path) -> set[str]:
    """The files of the package in the wheel, without the metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    return {name for name in names if ".dist-info/" not in name}


def held_by_tree(tree: Path) -> set[str]:
    """The files of the package in the tree, under the names they must have in the wheel."""
    inside = (path for folder in FOLDERS for path in (tree / folder).rglob("*"))
    files = [tree / name for name in IN_THE_ROOT]
    files += [
        path
        for path in inside
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    ]
    return {f"warplint/{path.relative_to(tree).as_posix()}" for path in files}


def main(wheel: str, tree: str) -> int:
    """Print the differences and say whether there are any."""
    packed, kept = held_by_wheel(Path(wheel)), held_by_tree(Path(tree))
    for name in sorted(kept - packed):
        print(f"missing from the wheel: {name}")
    for name in sorted(packed - kept):
        print(f"only in the wheel: {name}")
    print(f"{len(packed)} files in the wheel, {len(kept)} in the tree")
    return int(packed != kept)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
