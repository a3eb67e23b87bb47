"""From the text of a statement to its operands, asking Lark once for each shape.

PTX has few distinct statement shapes (about 75 in 600,000 instructions): `%r1, [%rd2+4]` and
`%f7, [%rd30+128]` differ only in their atoms, the names and numbers. A text is cut at its atoms;
what stands between them is its shape. The first text of a shape is parsed by Lark with the grammar
`ptx.lark`; the tree becomes a function that builds the syntax node from any other list of atoms,
and the memo keeps it. This is sound because the grammar treats all atoms of an operand alike; in
declarations, where it does not, it belongs to the shape which atoms are numbers.

In: texts without comments. Out: nodes of `tree.py`, or `ShapeError` with the place and what was
expected there. Expressions nested deeper than 64 are refused, so that readers of the tree may
recurse.
"""

from __future__ import annotations

import re
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from ....grammars import grammar_text
from .tree_rules import DeepExpressionError, Part, rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .tree import Atoms

STARTS = ["module", "operands", "header", "variables", "registers"]
_REMEMBERED = 20_000  # shapes; a file with more of them is no longer PTX, but must not eat memory

_DIGITS = "0123456789"
# It begins with a character, not with a look behind it, so that the search for one is fast.
ATOM = re.compile(
    r"([A-Za-z_$%](?<![.\w$].)[\w$]*+(?:\.[A-Za-z]\w*+)?"
    r"|0(?<![.\w$].)(?:[fF][0-9a-fA-F]{8}(?![\w$])|[dD][0-9a-fA-F]{16}(?![\w$])"
    r"|[xX][0-9a-fA-F]++U?|[bB][01]++U?)"
    r"|\d(?<![.\w$].)(?:\d*\.\d*(?:[eE][+-]?\d+)?|\d*[eE][+-]?\d+|\d*U?))",
    re.ASCII | re.DOTALL,
)


class ShapeError(Exception):
    """A text of PTX does not fit the grammar; `offset` counts from the text's beginning."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


@cache
def lark_parser() -> Lark:
    """The LALR parser of `ptx.lark`."""
    return Lark(
        grammar_text("ptx.lark"),
        parser="lalr",
        start=STARTS,
        maybe_placeholders=True,
        propagate_positions=True,
    )


# What each shape builds, by start rule: it depends on no file, so all files of a run share it.
_LEARNT: dict[str, dict[tuple[str, ...], Callable[[Sequence[Any]], Any]]] = {
    start: {} for start in STARTS
}


class StatementPatterns:
    """Reads texts of PTX by shape, for one start rule of the grammar and the atoms of one file."""

    def __init__(self, start: str, atoms: Atoms) -> None:
        self._start = start
        self._atoms = atoms.__getitem__
        self._declares = start != "operands"
        self._bind = _LEARNT[start]

    def read(self, text: str) -> Any:
        """The node for a text."""
        pieces = ATOM.split(text)
        atoms = list(map(self._atoms, pieces[1::2]))
        shape = tuple(pieces[::2])
        if self._declares:
            shape += ("".join("9" if atom[0] in _DIGITS else "a" for atom in pieces[1::2]),)
        bind = self._bind.get(shape)
        if bind is None:
            bind = self._learn(text, shape, pieces)
        return bind(atoms)

    def _learn(
        self, text: str, shape: tuple[str, ...], pieces: list[str]
    ) -> Callable[[Sequence[Any]], Any]:
        bind, exact = bind_text(text, self._start, pieces)
        if exact and len(self._bind) < _REMEMBERED:
            self._bind[shape] = bind
        return bind


def bind_text(
    text: str, start: str, pieces: list[str]
) -> tuple[Callable[[Sequence[Any]], Any], bool]:
    """Parse a text of PTX with Lark; the builder of its node, and whether it may serve other texts.

    It may not when an atom lies inside a longer token, such as a string.
    """
    index_of: dict[int, int] = {}
    offset = 0
    for number, piece in enumerate(pieces):
        if number % 2:
            index_of[offset] = number // 2
        offset += len(piece)
    try:
        tree = lark_parser().parse(text, start=start)
        part, used = fold(tree, index_of)
    except DeepExpressionError:
        raise ShapeError(0, "the expression is nested too deeply") from None
    except UnexpectedInput as error:
        raise ShapeError(*_explain(error, text)) from None
    return part.bind, used == len(index_of)


def fold(tree: Tree[Token], index_of: dict[int, int]) -> tuple[Part, int]:
    """Turn Lark's tree into a builder from its leaves up; also, how many atoms it met."""
    used = 0
    parts: dict[int, Any] = {}
    for subtree in tree.iter_subtrees():
        children: list[Any] = []
        for child in subtree.children:
            if isinstance(child, Tree):
                children.append(parts.pop(id(child)))
            elif isinstance(child, Token) and child.type in ("NAME", "NUMBER"):
                index = index_of.get(child.start_pos or 0, -1)
                if index < 0:
                    raise ShapeError(child.start_pos or 0, f"unexpected {str(child)!r}")
                used += 1
                children.append(Part(itemgetter(index), 0, index))
            else:
                children.append(None if child is None else str(child))
        parts[id(subtree)] = rule(str(subtree.data))(children, subtree.meta)
    return parts[id(tree)], used


_SPELLED = {
    "NAME": "a name",
    "NUMBER": "a number",
    "TYPE": "a type",
    "LSQB": "'['",
    "RSQB": "']'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "SEMICOLON": "';'",
    "$END": "the end of the statement",
    "SPACE": "a state space",
    "EQUAL": "'='",
}
_OPERATORS = frozenset(
    (
        *("OR_OR", "AND_AND", "PIPE", "CARET", "AMPERSAND", "EQUALITY", "RELATION", "LESS"),
        *("GREATER", "SHIFT", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "NOT", "TILDE"),
        *("QMARK", "COLON", "UNIFIED"),
    )
)


def _spelled(terminal: str) -> str:
    """What a person calls a terminal of the grammar; those without a name are called as written."""
    if terminal.startswith("__ANON"):
        return f"'{lark_parser().get_terminal(terminal).pattern.value}'"
    return _SPELLED.get(terminal, terminal.lower())


def _explain(error: UnexpectedInput, text: str) -> tuple[int, str]:
    """Offset and words for what Lark found."""
    expected: set[str] = set()
    found = "the end of the statement"
    offset = len(text)
    if isinstance(error, UnexpectedToken):
        expected = set(error.accepts or error.expected)
        if error.token.type != "$END":
            offset = error.token.start_pos or 0
            found = f"'{error.token}'"
    elif isinstance(error, UnexpectedCharacters):
        expected = set(error.allowed or ())
        offset = error.pos_in_stream or 0
        found = f"'{text[offset : offset + 1]}'"
    words = sorted(map(_spelled, expected - _OPERATORS))
    wanted = ", ".join(words[:6]) or "an operator"
    return offset, f"expected {wanted}, found {found}"
