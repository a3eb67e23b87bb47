"""The grammar files and the LALR parse tables built from them.

In: the name of a `.lark` or `.toml` file of this folder. Out: its text, its data, or a
`ParseTable`: plain states and productions for a parser that brings its own tokens and its own
loop. Building a table takes Lark about a second, so `cuda.table` is a part of the package, and
nothing that others could write has a say in how a text is read. It names the grammar that it was
built from: while that is being changed the table is built at every start, until
`python -m warplint.grammars.building` has written it anew (a test compares them).
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

_HERE = Path(__file__).parent

#: The rules of `cuda.lark` that a text can be read as.
CUDA_STARTS = ("function_header", "constructor_header", "body", "declaration", "member")


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
    """The states, each made when it is asked for."""

    def __init__(self, symbols: Sequence[str], ends: Sequence[int], pairs: array[int]) -> None:
        self._symbols = symbols
        self._ends = ends  # of each state's part of the pairs: a symbol and what it does
        self._pairs = pairs

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: Any) -> Any:
        part = self._pairs[self._ends[number - 1] if number else 0 : self._ends[number]]
        return dict(zip(map(self._symbols.__getitem__, part[::2]), part[1::2], strict=True))


class ParseTable(NamedTuple):
    """LALR(1) states: a positive entry `n` shifts or goes to state `n`, `-n-1` reduces by `n`."""

    states: Sequence[dict[str, int]]
    productions: list[Production]
    starts: dict[str, int]
    ends: dict[str, int]


def grammar_text(name: str) -> str:
    """The text of the file `name` of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def grammar_data(name: str) -> dict[str, Any]:
    """The content of the TOML file `name` of this folder; not to be changed."""
    import tomllib

    return tomllib.loads(grammar_text(name))


@cache
def parse_table(name: str, starts: tuple[str, ...]) -> ParseTable:
    """The parse table of the grammar file `name` for the given start rules."""
    text = grammar_text(name)
    file = _HERE / f"{Path(name).stem}.table"
    kept = unpacked(file.read_bytes(), table_key(text, starts)) if file.exists() else None
    if kept is None:
        from .building import build

        kept = build(text, starts)
    return kept


def table_key(text: str, starts: Sequence[str]) -> str:
    """What a table was built from: the rules, without the comments above them."""
    rules = [line for line in text.splitlines() if not line.startswith("//")]
    return sha256(repr((rules, tuple(starts))).encode()).hexdigest()


def packed(table: ParseTable, key: str) -> bytes:
    """A table as the bytes of a file."""
    symbols = sorted({symbol for row in table.states for symbol in row})
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    pairs = array("h")
    ends = []
    for row in table.states:
        for symbol, code in sorted(row.items()):
            pairs.extend((numbers[symbol], code))
        ends.append(len(pairs))
    head = json.dumps([key, symbols, ends, table.productions, table.starts, table.ends])
    return head.encode("ascii") + b"\n" + _little(pairs).tobytes()


def unpacked(data: bytes, key: str) -> ParseTable | None:
    """The table of a file; None when it was built from something else."""
    head, _, rest = data.partition(b"\n")
    found, symbols, row_ends, productions, starts, ends = json.loads(head)
    if found != key:
        return None
    pairs = array("h")
    pairs.frombytes(rest)
    made = [
        Production(origin, action, length, tuple(layout), collects, transparent)
        for origin, action, length, layout, collects, transparent in productions
    ]
    return ParseTable(Rows(symbols, row_ends, _little(pairs)), made, starts, ends)


def _little(pairs: array[int]) -> array[int]:
    """Numbers as files have them, or back: the lower byte first."""
    if sys.byteorder == "big":
        pairs.byteswap()
    return pairs
