"""The inputs that a command line names, the standard input among them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...config.project import Project
    from ...engine.inputs import Inputs
    from ...engine.walking import WalkOptions


def read_inputs(files: Sequence[str], stdin_filename: str | None, project: Project) -> Inputs:
    """The inputs that a command line names, with what comes through the pipe already read."""
    from ...engine.inputs import STANDARD_INPUT, collect_inputs, standard_input
    from ...source.reader import LARGEST

    piped = [name for name in files if name == STANDARD_INPUT]
    if stdin_filename is not None and not piped:
        raise UsageError("--stdin-filename needs standard input", "pass `-` as the file")
    inputs = collect_inputs(
        (name for name in files if name != STANDARD_INPUT), walk_options(project)
    )
    if piped:
        data = sys.stdin.buffer.read(LARGEST + 1) if sys.stdin is not None else b""
        inputs.files.append(standard_input(data, stdin_filename))
    return inputs


def walk_options(project: Project) -> WalkOptions:
    """What a walk for a command's inputs leaves out."""
    from ...engine.walking import Exclusion, WalkOptions

    run = project.run
    return WalkOptions(
        tuple(Exclusion(folder, patterns) for folder, patterns in project.exclusions),
        respect_gitignore=run.respect_gitignore is not False,
        force=run.force_exclude is True,
        also=frozenset(run.extensions or ()),
        python=run.python is True,
    )
