"""`--compile-commands FILE`: the compilation database of the user's build.

In: the path of a `compile_commands.json`, or of a folder that holds one. Out: the flags of each
file; nvcc's own spelling included. A file that cannot be read is a wrong command line.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .errors import UsageError

if TYPE_CHECKING:
    from ..source.compile_flags import CompileCommands


def parse_compile_commands(text: str) -> CompileCommands:
    """The database at a path; entries that make no sense are left out."""
    from ..source.compile_flags import read_compile_commands

    path = Path(text)
    if path.is_dir():
        path /= "compile_commands.json"
    commands, problems = read_compile_commands(path)
    if problems and not commands.by_file:
        problem = problems[0]
        raise UsageError(f"{path}: {problem.message}", problem.advice)
    return commands
