"""The include folders that build files around a source name.

In: the path of a source and the folders around it, its own first. Out: the folders behind -I in
`compile_commands.json` (beside the source, above it, or in `build` there), behind
`include_directories` and `target_include_directories` of `CMakeLists.txt`, and behind -I in
makefiles, both with the files that they include; the nearest file counts first. Another answer are
the folders that targets elsewhere show to those that link them (`PUBLIC`, `INTERFACE`), along
`add_subdirectory`. Read is what is
literal: of variables those of CMake that name its own folders, and those of a makefile that one
of its lines gives a text; anything else with a `$` is left out, as is what does not exist. Nothing
of a build file is run. Not handled: functions of make, variables that are added to. Never raises.
"""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .compile_flags import CompileCommands, commands_of
from .file_probes import is_file, is_folder, note, recorded
from .reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .file_probes import Probe

LARGEST = 50_000_000  # characters of a build file that is looked into

_COMMANDS = ("compile_commands.json", os.path.join("build", "compile_commands.json"))
_CMAKE = "CMakeLists.txt"
_MAKE = ("Makefile", "makefile", "GNUmakefile", "Makefile.am")
#: What shows that a folder is the top of something that is built.
BUILD_FILES = (_CMAKE, *_MAKE, *_COMMANDS, "setup.py", "pyproject.toml", "meson.build")

_COMMENT = re.compile(r"#[^\n]*")
_DIRECTORIES = re.compile(r"\b(target_)?include_directories\s*\(([^()]*)\)", re.IGNORECASE)
_CMAKE_INCLUDED = re.compile(r"\binclude\s*\(\s*\"?([^\s()\"]+\.cmake)\b", re.IGNORECASE)
_ADDED = re.compile(r"\badd_subdirectory\s*\(\s*\"?([^\s()\"]+)", re.IGNORECASE)
_SHOWING = frozenset(["PUBLIC", "INTERFACE"])
_ORDERS = frozenset(["SYSTEM", "BEFORE", "AFTER"])
_KEYWORDS = _SHOWING | _ORDERS | {"PRIVATE"}
_TOP = re.compile(r"\$\{\w+_SOURCE_DIR\}")
_HERE = re.compile(r"\$\{CMAKE_CURRENT_(?:SOURCE|LIST)_DIR\}")
_INTERFACE = re.compile(r"\$<(?:BUILD_INTERFACE|\w+):([^<>]*)>")
_FLAG = re.compile(r"(?<![\w/.-])-I[ \t]*([^\s\"'\\;]+)")
_ASSIGNED = re.compile(r"^[ \t]*(\w+)[ \t]*(?::{0,2}|\?)=[ \t]*([^\n#]*)", re.MULTILINE)
_INCLUDED = re.compile(r"^[ \t]*-?include[ \t]+([\w.-]+)[ \t]*$", re.MULTILINE)
_VARIABLE = re.compile(r"\$[({](\w+)[)}]")
_DEPTH = 4  # variables in the texts of variables
_LONGEST = 1000  # characters of such a text
_MOST_ADDED = 64  # files of CMake below those above a source


def stated_folders(path: str, above: Sequence[str]) -> tuple[str, ...]:
    """The include folders that build files name for a source, as far as they exist."""
    named = (*_of_commands(path, above), *_of_cmake(above), *_of_make(above))
    return tuple(place for place in dict.fromkeys(named) if is_folder(place))


def _of_commands(path: str, above: Sequence[str]) -> Iterator[str]:
    for folder in above:
        for name in _COMMANDS:
            text = _text(os.path.join(folder, name))
            flags = _commands(text).flags_for(path) if text else None
            if flags is not None:
                yield from flags.include_paths


@lru_cache(maxsize=8)
def _commands(text: str) -> CompileCommands:
    try:
        return commands_of(json.loads(text))[0]
    except (ValueError, RecursionError):
        return CompileCommands({})


def _of_cmake(above: Sequence[str]) -> Iterator[str]:
    texts, top = _cmake_texts(above)
    for folder, text in _with_included(texts, top):
        for match in _DIRECTORIES.finditer(_COMMENT.sub("", text)):
            words = match[2].split()[1 if match[1] else 0 :]
            for word in words:
                if word not in _KEYWORDS:
                    yield from _literal(_with_folders(word, folder, top), folder)


def _cmake_texts(above: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    """What CMake is told in each of the folders, and the top: the last in which it is."""
    texts = [(folder, _text(os.path.join(folder, _CMAKE))) for folder in above]
    return texts, next((folder for folder, text in reversed(texts) if text), "")


def linked_folders(above: Sequence[str]) -> tuple[str, ...]:
    """The include folders that targets in other folders show to those that link them, as CMake
    files below those around a source say, as far as they exist.
    """
    texts, top = _cmake_texts(above)
    waiting = [(folder, text) for folder, text in texts if text]
    seen = set(above)
    shown: list[str] = []
    for folder, text in waiting:  # which grows
        added, words = _of_targets(text)
        if folder not in above:
            for word in words:
                shown += _literal(_with_folders(word, folder, top), folder)
        for word in added:
            for place in _literal(_with_folders(word, folder, top), folder):
                if place not in seen and len(seen) - len(above) < _MOST_ADDED:
                    seen.add(place)
                    waiting.append((place, _text(os.path.join(place, _CMAKE))))
    return tuple(place for place in dict.fromkeys(shown) if is_folder(place))


@lru_cache(maxsize=256)
def _of_targets(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders that CMake adds, and those that targets show to others, as they are written."""
    text = _COMMENT.sub("", text)
    shown: list[str] = []
    for match in _DIRECTORIES.finditer(text):
        shows = False
        for word in match[2].split()[1:] if match[1] else ():
            shows = word in _SHOWING if word in _KEYWORDS - _ORDERS else shows
            shown += [word] if shows and word not in _KEYWORDS else []
    return tuple(_ADDED.findall(text)), tuple(shown)


def _with_included(texts: Iterable[tuple[str, str]], top: str) -> Iterator[tuple[str, str]]:
    """The texts of CMake with those that they include by a file's name, whose folder is theirs."""
    for folder, text in texts:
        yield folder, text
        for word in _CMAKE_INCLUDED.findall(_COMMENT.sub("", text)):
            for place in _literal(_with_folders(word, folder, top), folder):
                yield folder, _text(place)


def _with_folders(word: str, folder: str, top: str) -> str:
    word = _INTERFACE.sub(lambda match: match[1], word.strip('"'))
    word = _HERE.sub(lambda _: folder, word)
    return _TOP.sub(lambda _: top, word)


def _of_make(above: Sequence[str]) -> Iterator[str]:
    for folder in above:
        for name in _MAKE:
            text = _text(os.path.join(folder, name))
            texts = [text, *(_text(os.path.join(folder, each)) for each in _INCLUDED.findall(text))]
            variables: dict[str, str] = {}
            for each in texts:
                for variable, value in _ASSIGNED.findall(each):
                    variables.setdefault(variable, value.strip())
            for word in (word for each in texts for word in _FLAG.findall(each)):
                yield from _literal(_expanded(word, variables), folder)


def _expanded(word: str, variables: Mapping[str, str]) -> str:
    """A word of a makefile with the texts of its variables, as far as they are known."""
    for _ in range(_DEPTH):
        if "$" not in word or len(word) > _LONGEST:
            break
        word = _VARIABLE.sub(lambda match: variables.get(match[1], match[0]), word)
    return word


def _literal(word: str, folder: str) -> Iterator[str]:
    if "$" not in word and "\0" not in word:
        yield os.path.normpath(os.path.join(folder, word))


def _text(path: str) -> str:
    """What a build file holds, "" where there is none."""
    if not is_file(path):
        return ""
    try:
        probes, text = _read(path, os.stat(path).st_mtime_ns)
    except OSError:
        return ""
    for probe in probes:
        note(probe)
    return text


@lru_cache(maxsize=256)
def _read(path: str, _changed: int) -> tuple[frozenset[Probe], str]:
    """The text, and the probes that reading it was: whoever asks next rests on them, too."""
    with recorded() as probes:
        source, _ = read_source(path)
    text = source.text if source is not None else ""
    return frozenset(probes), text if len(text) <= LARGEST else ""
