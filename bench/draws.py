"""The CUDA files that a command is given, or a draw of them that is the same at every call."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path


def add_draw(parser: argparse.ArgumentParser) -> None:
    """The option of a draw."""
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="N files of all")


def cuda_files(paths: Sequence[Path], draw: int = 0) -> list[Path]:
    """The files, and those in folders; where there are more than `draw`, that many of them."""
    files = [
        file
        for path in paths
        for file in (sorted(path.rglob("*.cu")) if path.is_dir() else [path])
        if file.is_file()
    ]
    return sorted(random.Random(1).sample(files, draw)) if 0 < draw < len(files) else files
