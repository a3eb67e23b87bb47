"""From the paths of a command line to the files to read.

In: files and folders as a user named them. Out: the files with their language, each once, in the
order named and sorted inside a folder, and a problem for every path that is none. Folders are
walked for `.cu`, `.cuh` and `.ptx`; hidden folders are left out and links to folders are not
followed, so a loop of links cannot hold the walk. A file named outright may have any suffix that
device code is kept in. Nothing is read here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..findings.rule import Input
from ..source.problem import Damage, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Suffixes that are always meant for us; a folder is searched for these.
WALKED = {".cu": Input.CUDA, ".cuh": Input.CUDA, ".ptx": Input.PTX}

#: Suffixes that may hold device code, taken when a file is named outright.
NAMED = WALKED | dict.fromkeys(
    (".h", ".hh", ".hpp", ".hxx", ".inl", ".c", ".cc", ".cpp", ".cxx"), Input.CUDA
)


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read, under the path a user would write."""

    path: str
    language: Input


@dataclass(slots=True)
class Inputs:
    """The files to read, and a problem for each path that named none."""

    files: list[InputFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def collect_inputs(paths: Iterable[str]) -> Inputs:
    """The inputs that `paths` name."""
    inputs = Inputs()
    seen: set[str] = set()
    for path in paths:
        found = _walk(path) if os.path.isdir(path) else _named(path)
        for item in found:
            if isinstance(item, Problem):
                inputs.problems.append(item)
                continue
            identity = os.path.realpath(item.path)
            if identity not in seen:
                seen.add(identity)
                inputs.files.append(item)
    return inputs


def _named(path: str) -> Iterator[InputFile | Problem]:
    language = NAMED.get(os.path.splitext(path)[1].lower())
    # `lexists`: a dangling link is there, and what is wrong with it the reader will say.
    if not os.path.lexists(path):
        yield Problem(
            path,
            "no such file or directory",
            f"check the path; the current directory is {os.getcwd()}",
            Damage.FATAL,
            usage=True,
        )
    elif language is None:
        yield Problem(
            path,
            _unknown_suffix(path),
            "warplint reads CUDA C++ (.cu, .cuh, C++ sources and headers) and PTX (.ptx)",
            Damage.FATAL,
            usage=True,
        )
    else:
        yield InputFile(path, language)


def _unknown_suffix(path: str) -> str:
    suffix = os.path.splitext(path)[1]
    return f"unknown file type `{suffix}`" if suffix else "unknown file type: no extension"


def _walk(top: str) -> Iterator[InputFile | Problem]:
    unreadable: list[OSError] = []
    empty = True
    for folder, folders, names in os.walk(top, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            language = WALKED.get(os.path.splitext(name)[1].lower())
            if language is not None:
                empty = False
                yield InputFile(os.path.normpath(os.path.join(folder, name)), language)
    for error in unreadable:
        yield Problem(
            str(error.filename or top),
            f"cannot list the directory: {error.strerror or error}",
            "check its permissions",
            Damage.FATAL,
        )
    if empty and not unreadable:
        yield Problem(
            top,
            "no .cu, .cuh or .ptx file in this directory",
            "name a directory that holds kernels, or the files themselves",
            Damage.FATAL,
            usage=True,
        )
