"""What a compiler command line says about reading a source file.

In: arguments as nvcc, clang or a host compiler take them, from the user or from
`compile_commands.json`. Out: `CompileFlags`: -D, -U, -I and the architecture. Everything else is
understood well enough to be skipped with its value; nothing on a command line is an error.
Not handled: response files (`@file`, `-optf`) are skipped.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .files import RECORDS, read_regular
from .numbers import integer
from .problem import Damage, Problem
from .records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ARCHITECTURE = re.compile(r"(?:sm|compute|lto)_(\d+)[af]?")
# Options whose value is the next argument, when it is not joined by `=`.
_WITH_VALUE = frozenset([
    "-o", "--output-file", "-x", "--x", "-std", "--std", "-ccbin", "--compiler-bindir",
    "-Xcompiler", "--compiler-options", "-Xptxas", "--ptxas-options", "-Xlinker",
    "--linker-options", "-Xcudafe", "-Xnvlink", "--nvlink-options", "-Xarchive", "-maxrregcount",
    "--maxrregcount", "-t", "--threads", "-l", "--library", "-L", "--library-path", "-odir",
    "--output-directory", "-dep", "-MF", "-MT", "-MQ", "-include", "--pre-include", "-optf",
    "--options-file", "-ldir", "-arch-list", "-diag-suppress", "--diag-suppress", "-Werror-all",
    "-cudart", "--cudart", "-lineinfo-path", "-default-stream", "--default-stream", "-ftz",
    "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad", "-O",
    "--optimize",
])  # fmt: skip
_INCLUDE = ("-I", "--include-path", "-isystem", "--system-include", "-iquote", "-idirafter")
_DEFINE = ("-D", "--define-macro")
_UNDEFINE = ("-U", "--undefine-macro")
_TARGET = (
    "-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code",
    "--cuda-gpu-arch", "--offload-arch",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CompileFlags:
    """The part of a command line that changes how source is read; `arch` is 90 for sm_90."""

    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: frozenset[str] = frozenset()
    include_paths: tuple[str, ...] = ()
    arch: int | None = None


def parse_flags(arguments: Iterable[str], folder: str | Path = ".") -> CompileFlags:
    """The compiler flags among `arguments`; include paths are relative to `folder`."""
    words = list(arguments)
    defines: dict[str, str] = {}
    undefines: set[str] = set()
    includes: list[str] = []
    architectures: list[int] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        option, value = _split(word)
        if option is None:
            continue
        if value is None and (option in _WITH_VALUE or option in _VALUED):
            value = words[at] if at < len(words) else ""
            at += 1
        if option in _DEFINE and value:
            name, _, body = value.partition("=")
            defines[name] = body if "=" in value else "1"
            undefines.discard(name)
        elif option in _UNDEFINE and value:
            defines.pop(value, None)
            undefines.add(value)
        elif option in _INCLUDE and value:
            includes += [str(Path(folder) / part) for part in value.split(",") if part]
        elif option in _TARGET and value:
            numbers = (integer(digits, 10) for digits in _ARCHITECTURE.findall(value))
            architectures += [number for number in numbers if number is not None]
    arch = max(architectures) if architectures else None
    return CompileFlags(defines, frozenset(undefines), tuple(dict.fromkeys(includes)), arch)


_VALUED = frozenset([*_INCLUDE, *_DEFINE, *_UNDEFINE, *_TARGET])


def _split(word: str) -> tuple[str | None, str | None]:
    """An argument as option and joined value; (None, None) for a file name."""
    if not word.startswith("-") or word == "-":
        return None, None
    for short in ("-I", "-D", "-U"):
        if word.startswith(short) and len(word) > 2:
            return short, word[2:].removeprefix("=")
    for joined in ("-isystem", "-iquote", "-idirafter"):
        if word.startswith(joined) and len(word) > len(joined):
            return joined, word[len(joined) :].removeprefix("=")
    option, equals, value = word.partition("=")
    return option, value if equals else None


@dataclass(frozen=True, slots=True)
class CompileCommands:
    """The flags of each source file of a `compile_commands.json`, by absolute path."""

    by_file: Mapping[str, CompileFlags]

    def flags_for(self, path: str | Path) -> CompileFlags | None:
        """The flags of a file; those of a file beside it for a header; None when unknown."""
        wanted = Path(path).absolute()
        found = self.by_file.get(_normal(wanted))
        if found is not None:
            return found
        for name, flags in self.by_file.items():
            if Path(name).parent == Path(_normal(wanted)).parent:
                return flags
        return None


def read_compile_commands(path: str | Path) -> tuple[CompileCommands, list[Problem]]:
    """The compilation database at `path`; entries that make no sense are skipped and counted."""
    name = str(path)
    try:
        entries: Any = json.loads(read_regular(path, RECORDS).decode("utf-8", errors="replace"))
    except OSError as error:
        return CompileCommands({}), [_problem(name, f"cannot be read: {error.strerror or error}")]
    except (ValueError, RecursionError) as error:
        return CompileCommands({}), [_problem(name, f"cannot be read: {error}")]
    if not isinstance(entries, list):
        return CompileCommands({}), [_problem(name, "is not a list of compile commands")]
    commands, skipped = commands_of(entries)
    problems = [_problem(name, f"{skipped} malformed entries")] if skipped else []
    return commands, problems


def commands_of(entries: Any) -> tuple[CompileCommands, int]:
    """The flags in the values of a compilation database, and how many of its entries have none."""
    found: dict[str, CompileFlags] = {}
    skipped = 0
    for entry in entries if isinstance(entries, list) else ():
        words = _arguments(entry)
        if words is None:
            skipped += 1
            continue
        folder = Path(entry.get("directory", "."))
        found[_normal(folder / entry["file"])] = parse_flags(words, folder)
    return CompileCommands(found), skipped


def _arguments(entry: Any) -> list[str] | None:
    """The words of one entry's command, without the compiler; None for a broken entry."""
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        return None
    if not isinstance(entry.get("directory", "."), str):
        return None
    words = entry.get("arguments")
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        return words[1:]
    command = entry.get("command")
    if not isinstance(command, str):
        return None
    try:
        return shlex.split(command)[1:]
    except ValueError:
        return command.split()[1:]


def _normal(path: Path) -> str:
    """The absolute path without `..`; links are not followed."""
    parts: list[str] = []
    for part in path.absolute().parts:
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return str(Path(*parts)) if parts else "."


def _problem(path: str, message: str) -> Problem:
    advice = "regenerate it with CMAKE_EXPORT_COMPILE_COMMANDS=ON; files are read without it"
    return Problem(path, message, advice, Damage.PARTIAL)
