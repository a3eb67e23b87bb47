"""The grammar files and the LALR parse tables built from them.

In: the name of a `.lark` or `.toml` file of this folder. Out: its text, its data, or a
`ParseTable`: plain states and productions for a parser that brings its own tokens and its own
loop. Building a table takes Lark about a second, so it is kept in a cache folder under a name made
of the grammar's hash and the versions of Lark, Python and this module. The cache holds `marshal`
data, which can be read in milliseconds, imports nothing and, unlike a pickle, cannot run code. A
cache that cannot be read or written only costs the second.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import re
import stat
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE = Path(__file__).parent
_FORMAT = 1  # of the cached data; change it with `_build`


@dataclass(frozen=True, slots=True)
class Production:
    """One alternative of a rule.

    `layout` has one entry for each value handed to the rule's action: the index of a symbol on the
    right-hand side, or None for an optional part (`[x]`) that is absent. `collects` marks the
    hidden rules behind `*` and `+`, whose values are gathered in one list.
    """

    origin: str
    action: str
    length: int
    layout: tuple[int | None, ...]
    collects: bool
    transparent: bool  # one symbol whose value stands for the whole


@dataclass(frozen=True, slots=True)
class ParseTable:
    """LALR(1) states: a positive entry `n` shifts or goes to state `n`, `-n-1` reduces by `n`."""

    states: list[dict[str, int]]
    productions: list[Production]
    starts: dict[str, int]
    ends: dict[str, int]


def grammar_text(name: str) -> str:
    """The text of the file `name` of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


def grammar_data(name: str) -> dict[str, Any]:
    """The content of the TOML file `name` of this folder."""
    return tomllib.loads(grammar_text(name))


@cache
def parse_table(name: str, starts: tuple[str, ...]) -> ParseTable:
    """The parse table of the grammar file `name` for the given start rules."""
    text = grammar_text(name)
    places = list(_places(name, text, starts))
    data = next((found for place in places if (found := _load(place)) is not None), None)
    if data is None:
        data = _build(text, starts)
        any(_store(place, data) for place in places)  # the first that can be written
    states, productions, start_states, end_states = data
    return ParseTable(states, [Production(*row) for row in productions], start_states, end_states)


def cache_folder() -> Path:
    """Where parse tables are kept: `$WARPLINT_CACHE_DIR`, else the user's cache folder."""
    chosen = os.environ.get("WARPLINT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path(os.path.expanduser("~")) / ".cache") / "warplint"


def _places(name: str, text: str, starts: tuple[str, ...]) -> Iterator[Path]:
    """Where the table may be: the cache folder, then a private folder among the temporary files."""
    versions = (_FORMAT, _lark_version(), sys.version_info[:3], marshal.version)
    key = hashlib.sha256(repr((text, starts, versions)).encode()).hexdigest()[:20]
    file = f"{Path(name).stem}-{key}.table"
    yield cache_folder() / file
    if hasattr(os, "getuid") and "WARPLINT_CACHE_DIR" not in os.environ:
        private = Path(tempfile.gettempdir()) / f"warplint-{os.getuid()}"
        with contextlib.suppress(OSError):
            private.mkdir(mode=0o700, exist_ok=True)
            status = private.lstat()
            if status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == 0o700:
                yield private / file


def _lark_version() -> str:
    """Lark's version, read from its text: importing it, or its metadata, takes far longer."""
    found = find_spec("lark")
    text = Path(found.origin).read_text(encoding="utf-8") if found and found.origin else ""
    version = re.search(r"__version__[^\n=]*=\s*[\"']([^\"']+)", text)
    return version[1] if version else text


def _load(path: Path) -> Any:
    try:
        data = path.read_bytes()
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            return None
        return marshal.loads(data[32:])
    except (OSError, ValueError, EOFError, TypeError):
        return None


def _store(path: Path, data: Any) -> bool:
    """Write beside and rename, so that another process never sees half a table."""
    payload = marshal.dumps(data)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem)
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(payload).digest() + payload)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        return False
    return True


def _build(text: str, starts: tuple[str, ...]) -> Any:
    """Let Lark work out the states; only here is Lark imported."""
    from lark import Lark
    from lark.lexer import Lexer
    from lark.parsers.lalr_analysis import Shift

    class NoLexer(Lexer):
        def __init__(self, _configuration: object) -> None: ...

        def lex(self, *_: object) -> Any:
            raise NotImplementedError

    lark = Lark(text, parser="lalr", lexer=NoLexer, start=list(starts), maybe_placeholders=True)
    table: Any = lark.parser.parser._parse_table
    numbers: dict[Any, int] = {}
    productions: list[Any] = []
    for rule in lark.rules:
        numbers[rule] = len(productions)
        productions.append(_production(rule))
    states = []
    for number in range(len(table.states)):
        row = {}
        for symbol, (action, target) in table.states[number].items():
            row[str(symbol)] = target if action is Shift else -1 - numbers[target]
        states.append(row)
    return states, productions, dict(table.start_states), dict(table.end_states)


def _production(rule: Any) -> tuple[Any, ...]:
    """The fields of `Production` for one of Lark's rules, as plain data."""
    origin = str(rule.origin.name)
    symbols = rule.expansion
    absent = [0] * (len(symbols) + 1)
    if rule.options.empty_indices:
        position = 0
        for missing in rule.options.empty_indices:
            if missing:
                absent[position] += 1
            else:
                position += 1
    layout: list[int | None] = [None] * absent[0]
    for index, symbol in enumerate(symbols):
        if not (symbol.is_term and symbol.filter_out):
            layout.append(index)
        layout += [None] * absent[index + 1]
    collects = origin.startswith("_")
    single = len(symbols) == 1 and layout == [0] and not rule.alias
    transparent = single and bool(rule.options.expand1) and not collects
    return origin, rule.alias or origin, len(symbols), tuple(layout), collects, transparent
