"""From the paths of a command line to the files to read.

In: files, folders and lists of files (`@list.txt`, one path a line) as a user named them. Out: the
files with their language, each once, in the order named and sorted inside a folder, and a problem
for every path that is none. Folders are searched for `.cu`, `.cuh` and `.ptx` (`walking.py`); the
other headers in them are listed apart: they are read where they are included. A file named outright
may have any suffix that device code is kept in; Python files count where their strings are to be
read (`cuda/python_strings.py`). `-` is the standard input, handed over as bytes;
nothing else is read here but the lists.
"""

from __future__ import annotations

import os
import re
from dataclasses import field
from typing import TYPE_CHECKING

from ..config.limits import MORE_SUFFIXES
from ..findings.rule import Input
from ..source.files import RECORDS, read_regular, read_start
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from .walking import Walk, WalkOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..source.text import SourceText

#: Suffixes that are always meant for us; a folder is searched for these.
WALKED = {".cu": Input.CUDA, ".cuh": Input.CUDA, ".ptx": Input.PTX}

#: Suffixes of files that are there to be included.
HEADERS = frozenset([".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl"])

#: Suffixes that may hold device code, taken when a file is named outright.
NAMED = WALKED | dict.fromkeys(MORE_SUFFIXES, Input.CUDA)


#: Files whose strings may hold kernels, read where somebody asks for it.
PYTHON = ".py"


def is_python(path: str) -> bool:
    """Whether a file is a program whose strings are read."""
    return os.path.splitext(path)[1].lower() == PYTHON


def is_header(path: str) -> bool:
    """Whether a file is there to be included, as its name says."""
    return os.path.splitext(path)[1].lower() in HEADERS


def is_shared(source: SourceText, checked: SourceText) -> bool:
    """Whether files that are checked beside one may read a text, too."""
    return source is not checked or is_header(source.path)


STANDARD_INPUT = "-"
_LOOKED_INTO = 1 << 20  # bytes of a header
_PTX_HEAD = re.compile(rb"^\s*\.version\s+[0-9]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read, under the path a user would write; `data` when it was read already."""

    path: str
    language: Input
    data: bytes | None = None
    aside: bool = False  # a header in a named folder, which nobody asked to read on its own


@dataclass(slots=True)
class Inputs:
    """The files to read, and a problem for each path that named none."""

    files: list[InputFile] = field(default_factory=list)
    headers: list[InputFile] = field(default_factory=list)  # in the named folders, read if included
    problems: list[Problem] = field(default_factory=list)
    excluded: int = 0  # files named outright that the configuration leaves out


def collect_inputs(paths: Iterable[str], options: WalkOptions | None = None) -> Inputs:
    """The inputs that `paths` name."""
    inputs = Inputs()
    walk = Walk(options or WalkOptions())
    seen: set[str] = set()
    headers: dict[str, InputFile] = {}
    for item in _expanded(paths, walk):
        if isinstance(item, Problem):
            inputs.problems.append(item)
            continue
        identity = os.path.realpath(item.path)
        if item.aside:
            headers.setdefault(identity, item)
        elif identity not in seen:
            seen.add(identity)
            inputs.files.append(item)
    inputs.headers += [item for identity, item in headers.items() if identity not in seen]
    inputs.excluded = walk.excluded
    return inputs


def with_kernels(headers: Iterable[InputFile]) -> int:
    """How many headers say `__global__`; one that cannot be read does not."""
    return sum(b"__global__" in _beginning(each.path) for each in headers)


def _beginning(path: str) -> bytes:
    try:
        return read_start(path, _LOOKED_INTO)
    except OSError:
        return b""


def standard_input(data: bytes, name: str | None) -> InputFile:
    """What came through a pipe, under the name of the file that it is the text of.

    Without a name, text that has a `.version` directive is PTX and all else CUDA.
    """
    language = None if name is None else NAMED.get(os.path.splitext(name)[1].lower())
    if language is None:
        language = Input.PTX if _PTX_HEAD.search(data) else Input.CUDA
    return InputFile(name or "<stdin>", language, data)


def _expanded(paths: Iterable[str], walk: Walk) -> Iterator[InputFile | Problem]:
    for path in paths:
        if path.startswith("@") and len(path) > 1:
            yield from _listed(path[1:], walk)
        elif os.path.isdir(path):
            yield from _walk(path, walk)
        elif walk.excludes(path):
            walk.excluded += 1
        else:
            yield from _named(path, python=walk.options.python)


def _listed(path: str, walk: Walk) -> Iterator[InputFile | Problem]:
    """The paths that a list names, one a line; a list does not name lists."""
    if os.path.lexists(f"@{path}"):
        yield Problem(
            f"@{path}",
            f"there is a file of this name, and it could mean the list `{path}`",
            f"write ./@{path} for the file, or rename it",
            Damage.FATAL,
            usage=True,
        )
        return
    try:
        lines = _list(path).decode("utf-8", "surrogateescape").splitlines()
    except OSError as error:
        yield Problem(
            f"@{path}",
            f"the list of files cannot be read: {error.strerror or error}",
            "@FILE reads one path per line from FILE; write ./@FILE for a file with that name",
            Damage.FATAL,
            usage=True,
        )
        return
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            yield Problem(
                f"@{path}",
                f"line {number} is not the name of a file: it holds a NUL character",
                "@FILE reads one path per line from FILE",
                Damage.FATAL,
                usage=True,
            )
    named = [line for line in lines if line.strip() and "\0" not in line]
    yield from _expanded((f"./{line}" if line.startswith("@") else line for line in named), walk)


def _list(path: str) -> bytes:
    """What a list holds; one that the shell passes as `@<(...)` comes through a pipe."""
    if path == "/dev/stdin" or path.startswith(("/dev/fd/", "/proc/self/fd/")):
        with open(path, "rb") as file:
            return file.read(RECORDS)
    return read_regular(path, RECORDS)


def _named(path: str, *, python: bool) -> Iterator[InputFile | Problem]:
    suffix = os.path.splitext(path)[1].lower()
    language = Input.CUDA if python and is_python(path) else NAMED.get(suffix)
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
            "give --python to read the kernels in its strings"
            if is_python(path)
            else "warplint reads CUDA C++ (.cu, .cuh, C++ sources and headers) and PTX (.ptx)",
            Damage.FATAL,
            usage=True,
        )
    else:
        yield InputFile(path, language)


def _unknown_suffix(path: str) -> str:
    suffix = os.path.splitext(path)[1]
    return f"unknown file type `{suffix}`" if suffix else "unknown file type: no extension"


def _found(top: str, walk: Walk) -> Iterator[str]:
    """The files of a folder: those of the walk, and those that git tracks but ignores.

    To git, a file in the index is not ignored, whatever a change has written into a `.gitignore`.
    """
    seen: set[str] = set()
    for path in walk.files(top):
        seen.add(path)
        yield path
    if walk.ignored and walk.options.respect_gitignore:
        from .git.repository import tracked_files

        real = os.path.realpath(top)
        for full in tracked_files(top):
            path = os.path.normpath(os.path.join(top, os.path.relpath(full, real)))
            there = path not in seen and os.path.lexists(path)
            if there and walk.left_out_by_git_alone(top, path):
                yield path


def _has_kernels(path: str) -> bool:
    from ..cuda.python_strings import has_kernels

    return has_kernels(path)


def _walk(top: str, walk: Walk) -> Iterator[InputFile | Problem]:
    walk.errors.clear()
    walk.unread.clear()
    walk.ignored = 0
    empty = True
    for path in _found(top, walk):
        suffix = os.path.splitext(path)[1].lower()
        wanted = suffix in WALKED or suffix in walk.options.also
        language = NAMED.get(suffix) if wanted else None
        if is_python(path) and walk.options.python and _has_kernels(path):
            language = Input.CUDA
        # A link that leads nowhere, or to what is no file, is for the reader to report.
        if language is not None and (os.path.isfile(path) or os.path.islink(path)):
            empty = False
            yield InputFile(path, language)
        elif suffix in HEADERS and os.path.isfile(path):
            yield InputFile(path, Input.CUDA, aside=True)
    for error in walk.errors:
        yield Problem(
            str(error.filename or top),
            f"cannot list the directory: {error.strerror or error}",
            "check its permissions",
            Damage.FATAL,
        )
    for error in walk.unread:
        yield Problem(
            str(error.filename),
            f"the ignore file cannot be read: {error.strerror or error}",
            "mend or remove it, or give --no-respect-gitignore: nothing is left out by it",
            Damage.PARTIAL,
        )
    if empty and not walk.errors:
        yield Problem(
            top,
            "no .cu, .cuh or .ptx file in this directory",
            "git or `exclude` excludes files here: see --no-respect-gitignore and --isolated"
            if walk.ignored
            else "pass a directory that contains kernels, or the files themselves",
            Damage.FATAL,
            usage=True,
        )
