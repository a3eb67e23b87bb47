"""The parse tables, built with Lark and written into the package.

In: the text of a grammar and its start rules. Out: a `ParseTable` that depends on nothing else: the
states are numbered in the order in which they are met from the start rules, and the alternatives
are sorted, whatever order Lark found them in. Lark keeps its table to itself, so this reads a
private attribute; the test that compares the written table with a new one says when that changes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import CUDA_STARTS, ParseTable, Production, grammar_text, packed, table_key

if TYPE_CHECKING:
    from collections.abc import Sequence


def build(text: str, starts: Sequence[str]) -> ParseTable:
    """Let Lark work out the states; only here is Lark asked for them."""
    from lark import Lark
    from lark.lexer import Lexer
    from lark.parsers.lalr_analysis import Shift

    class NoLexer(Lexer):
        def __init__(self, _configuration: object) -> None: ...

        def lex(self, *_: object) -> Any:
            raise NotImplementedError

    lark = Lark(text, parser="lalr", lexer=NoLexer, start=list(starts), maybe_placeholders=True)
    table: Any = getattr(getattr(lark.parser, "parser", None), "_parse_table", None)
    if table is None:
        raise RuntimeError("Lark keeps its parse table elsewhere: install lark>=1.2,<2")
    made = {rule: _production(rule) for rule in lark.rules}
    productions = sorted(set(made.values()), key=repr)
    codes = {production: -1 - number for number, production in enumerate(productions)}
    numbers: dict[Any, int] = {}
    waiting = [table.start_states[name] for name in sorted(table.start_states)]
    for state in waiting:
        numbers.setdefault(state, len(numbers))
    states: list[dict[str, int]] = []
    for state in waiting:  # grows while it is gone through
        row = {}
        for symbol, (action, target) in sorted(table.states[state].items(), key=_name):
            if action is Shift:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    waiting.append(target)
                row[str(symbol)] = numbers[target]
            else:
                row[str(symbol)] = codes[made[target]]
        states.append(row)
    first = {name: numbers[state] for name, state in sorted(table.start_states.items())}
    last = {name: numbers[state] for name, state in sorted(table.end_states.items())}
    return ParseTable(states, productions, first, last)


def _name(entry: tuple[Any, Any]) -> str:
    return str(entry[0])


def _production(rule: Any) -> Production:
    """One of Lark's rules."""
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
    return Production(
        origin, str(rule.alias or origin), len(symbols), tuple(layout), collects, transparent
    )


def main() -> None:
    """Write the tables of the package anew."""
    text = grammar_text("cuda.lark")
    table = packed(build(text, CUDA_STARTS), table_key(text, CUDA_STARTS))
    (Path(__file__).parent / "cuda.table").write_bytes(table)


if __name__ == "__main__":
    main()
