"""The grammar files and the LALR parse tables built from them.

In: the name of a `.lark` or `.toml` file of this folder. Out: its text, its data, or a
`ParseTable`: plain states and productions for a parser that brings its own tokens and its own
loop. Building a table takes Lark about a second, so it is kept in a cache folder under a name made
of the grammar's hash and the versions of Lark, Python and this module; the data of a TOML file is
kept, too. The cache holds `marshal` data, which can be read in milliseconds, imports nothing and,
unlike a pickle, cannot run code. A cache that cannot be read or written only costs the second.
"""

from __future__ import annotations

import hashlib
import marshal
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from .stored import cache_folders, load, store

_HERE = Path(__file__).parent
_FORMAT = 2  # of the cached data; change it with what makes them


class Production(NamedTuple):
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


class Rows(Sequence[dict[str, int]]):
    """The states, each read when it is asked for."""

    def __init__(self, kept: list[bytes]) -> None:
        self._kept = kept

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, number: Any) -> Any:
        return marshal.loads(self._kept[number])


class ParseTable(NamedTuple):
    """LALR(1) states: a positive entry `n` shifts or goes to state `n`, `-n-1` reduces by `n`."""

    states: Rows
    productions: list[Production]
    starts: dict[str, int]
    ends: dict[str, int]


def grammar_text(name: str) -> str:
    """The text of the file `name` of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def grammar_data(name: str) -> dict[str, Any]:
    """The content of the TOML file `name` of this folder; not to be changed."""
    return toml_data(name, grammar_text(name))


def toml_data(name: str, text: str) -> dict[str, Any]:
    """The content of a TOML file of the package: it is parsed once, and kept."""

    def parsed() -> dict[str, Any]:
        import tomllib

        return tomllib.loads(text)

    data: dict[str, Any] = _kept(_file_name(name, text, (_FORMAT,)), parsed)
    return data


@cache
def parse_table(name: str, starts: tuple[str, ...]) -> ParseTable:
    """The parse table of the grammar file `name` for the given start rules."""
    text = grammar_text(name)
    file = _file_name(name, text, (_FORMAT, starts, _lark_version()))
    states, productions, start_states, end_states = _kept(file, lambda: _build(text, starts))
    made = [Production(*row) for row in productions]
    return ParseTable(Rows(states), made, start_states, end_states)


def _kept(file: str, make: Callable[[], Any]) -> Any:
    """What is kept under a name; it is made, and kept, when there is nothing."""
    found = (_load(folder / file) for folder in cache_folders())
    data = next((each for each in found if each is not None), None)
    if data is None:
        data = make()
        payload = marshal.dumps(data)
        any(store(folder / file, payload) for folder in cache_folders())  # the first that can be
    return data


def _file_name(name: str, text: str, more: tuple[object, ...]) -> str:
    """What is kept under: the text, what else it depends on, and what reads it."""
    versions = (sys.version_info[:3], marshal.version)
    key = hashlib.sha256(repr((text, more, versions)).encode()).hexdigest()[:20]
    return f"{Path(name).stem}-{key}.table"


def _lark_version() -> str:
    """Lark's version, read from its text: importing it, or its metadata, takes far longer."""
    found = find_spec("lark")
    text = Path(found.origin).read_text(encoding="utf-8") if found and found.origin else ""
    version = re.search(r"__version__[^\n=]*=\s*[\"']([^\"']+)", text)
    return version[1] if version else text


def _load(path: Path) -> Any:
    data = load(path)
    try:
        return None if data is None else marshal.loads(data)
    except (ValueError, EOFError, TypeError):
        return None


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
        states.append(marshal.dumps(row))
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
