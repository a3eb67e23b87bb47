"""Function headers: from the first specifier to the closing parenthesis.

In: the tokens of a translation unit and where a function stands in them. Out: a `nodes.Function`
without body. A header that does not parse is tried again without the macros around it, and at worst
yields a function with its name and no parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...source.tokens import Tokens
from ..syntax import nodes
from ..syntax.angles import opening_angle
from ..syntax.nodes.c_ast import c_ast
from ..syntax.normalise import CONVERSIONS, normalised
from .outlining import OPERATOR_TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.builder import TreeBuilder
    from ..syntax.parser import Parser
    from .outline import FunctionOutline

_STARTS = frozenset(
    ["template", "static", "inline", "extern", "constexpr", "consteval", "__forceinline__"]
)
_CUDA = frozenset(["__global__", "__device__", "__host__"])
_NAMES = frozenset(["NAME", "OPERATORNAME", "CTORNAME"])
_PARTS_OF_PATHS = frozenset(["NAME", "GREATER"])


class HeaderParser:
    """Parses headers of functions with the unit's parser and builder."""

    def __init__(self, parser: Parser, builder: TreeBuilder) -> None:
        self._parser = parser
        self._builder = builder

    def function(self, tokens: Tokens, piece: FunctionOutline) -> nodes.Function:
        """The function at `piece`, without its body."""
        name, path = self._name(tokens, piece)
        known = self._builder.names.known
        before = known.get(tokens.texts[name])  # a function is no variable inside itself
        constructor = self._is_constructor(tokens, piece, name, path)
        made = None
        for attempt in self._attempts(tokens, piece):
            rule = "constructor_header" if constructor else "function_header"
            prepared = normalised(attempt)
            if constructor:
                _mark_constructor(prepared)
            made = self._parser.parse(rule, prepared) if prepared.kinds else None
            if made is not None and isinstance(made.decl.type, c_ast.FuncDecl):
                break
            made = None  # `SUITE(a) CASE(b) {` reads as the variable b of a type
        if before is None:
            known.pop(tokens.texts[name], None)
        else:
            known[tokens.texts[name]] = before
        if made is None or _loses_kernel(tokens, piece, made):
            made = self._unread(tokens, piece, name)
        scope = (*piece.scope, *made.scope)
        if constructor and path < name:
            outer = tokens.texts[path:name]
            scope += tuple(t for t in outer if t.isidentifier())[:1]
        made.scope = scope
        made.header = made.coord
        return made  # type: ignore[no-any-return]

    def _attempts(self, tokens: Tokens, piece: FunctionOutline) -> Iterator[Tokens]:
        """The header as it is, then with less and less around it."""
        start = piece.start
        while start < piece.body and tokens.kinds[start] == "PRAGMA":
            start += 1
        yield tokens.cut(start, piece.body)
        for first in range(start, piece.name):
            if tokens.texts[first] in _STARTS or tokens.texts[first] in _CUDA:
                yield _without_macros(tokens, first, piece)
                break
        closing = _closing(tokens, piece.parameters)
        yield _without_macros(tokens, start, piece, closing + 1)

    def _name(self, tokens: Tokens, piece: FunctionOutline) -> tuple[int, int]:
        """The index of the function's name, and of the start of its `A<T>::` path."""
        at = piece.name
        texts = tokens.texts
        for back in range(at, max(piece.start - 1, at - OPERATOR_TOKENS), -1):
            if texts[back] == "operator":
                at = back
                break
        else:
            if texts[at] == ">":
                at = opening_angle(texts, at) - 1
        path = at
        if path > piece.start and texts[path - 1] == "~":
            path -= 1
        while path > piece.start and texts[path - 1] == "::":
            if path - 2 < piece.start or tokens.kinds[path - 2] not in _PARTS_OF_PATHS:
                path -= 1  # of the global namespace
                break
            path -= 2
            if texts[path] in (">", ">>"):
                path = opening_angle(texts, path) - 1
        return at, max(path, piece.start)

    def _is_constructor(self, tokens: Tokens, piece: FunctionOutline, name: int, path: int) -> bool:
        """Whether there is no return type: a constructor, destructor or conversion."""
        texts, kinds = tokens.texts, tokens.kinds
        if texts[name] == "operator":
            return kinds[name + 1] in CONVERSIONS
        if name > piece.start and texts[name - 1] == "~":
            return True
        if piece.owner is not None and texts[name] == piece.owner.name:
            return True
        if path < name and texts[name] in (texts[path], texts[_class_before(texts, name)]):
            return True
        before = kinds[piece.start : path]
        return "_TEMPLATE" not in before and not set(before) - {"STORAGE", "PRAGMA"}

    def _unread(self, tokens: Tokens, piece: FunctionOutline, name: int) -> Any:
        """A function of which only the name is known; `TEST(what, 64x32) {…}` has nothing else."""
        header = tokens.cut(piece.start, piece.body)
        words = [t for t, k in zip(header.texts, header.kinds, strict=True) if k == "STORAGE"]
        self._builder.begin(header)
        span = self._builder.span(0, len(header))
        kind = c_ast.TypeDecl(
            tokens.texts[name], [], None, c_ast.IdentifierType(["void"], span), span
        )
        decl = c_ast.Decl(
            tokens.texts[name],
            [],
            [],
            [],
            words,
            c_ast.FuncDecl(None, kind, span),
            None,
            None,
            span,
        )
        if piece.name > piece.start or piece.owner is not None:
            lost = nodes.Opaque(span.text, "the function header could not be parsed", coord=span)
            self._builder.opaques.append(lost)
        return nodes.Function(decl, None, coord=span)


def _class_before(texts: list[str], name: int) -> int:
    """The index of the class in `A<T>::B::name`: B."""
    last = name - 2
    return opening_angle(texts, last) - 1 if texts[last] in (">", ">>") else last


def _loses_kernel(tokens: Tokens, piece: FunctionOutline, made: nodes.Function) -> bool:
    """Whether the header says `__global__` and what was made of it does not."""
    said = "__global__" in tokens.texts[piece.start : piece.parameters]
    return said and "__global__" not in made.decl.funcspec


def _mark_constructor(tokens: Tokens) -> None:
    """Make the constructor's name, with its path and `~`, one CTORNAME token.

    Any other name before it is a macro: a constructor has no type.
    """
    kinds, texts = tokens.kinds, tokens.texts
    at, start, opening = 0, 0, -1
    while at < len(kinds):
        kind = kinds[at]
        if kind == "_TEMPLATE" and kinds[at + 1 : at + 2] == ["LESS"]:
            at = start = _after_angles(texts, at + 1)
            continue
        if kind == "_REQUIRES":
            at = start = _after_requirement(texts, at)
            continue
        if kind == "LPAREN" and kinds[at - 1] == "GREATER":
            at = _without_arguments(tokens, at)
        if kind == "LPAREN" and kinds[at - 1] in _NAMES:
            opening = at
            break
        at += 1
    if opening < 1:
        return
    first = opening - 1
    if texts[first - 1 : first] == ["~"]:
        first -= 1
        texts[opening - 1] = "~" + texts[opening - 1]
    while first >= 1 and texts[first - 1] == "::":
        if first < 2 or kinds[first - 2] not in _PARTS_OF_PATHS:
            first -= 1
            break
        first -= 2
        if texts[first] == ">":
            first = opening_angle(texts, first) - 1
    first = max(first, 0)
    kinds[start:first] = ["STORAGE" if kind == "NAME" else kind for kind in kinds[start:first]]
    kinds[opening - 1] = "CTORNAME"
    for column in (kinds, texts, tokens.places):
        del column[first : opening - 1]


def _without_arguments(tokens: Tokens, index: int) -> int:
    """`Node<K, V>(` as `Node(`, as a class may call its constructors before C++20."""
    first = opening_angle(tokens.texts, index - 1)
    if tokens.kinds[first - 1] != "NAME":
        return index
    for column in (tokens.kinds, tokens.texts, tokens.places):
        del column[first:index]
    return first


def _after_requirement(texts: list[str], index: int) -> int:
    """The token after `requires A<T> && (N > 4)` at `index`."""
    at = index + 1
    while at < len(texts):
        if texts[at] == "(":
            depth = 0
            while at < len(texts):
                depth += {"(": 1, ")": -1}.get(texts[at], 0)
                at += 1
                if not depth:
                    break
        else:
            at += 1
            while texts[at : at + 1] == ["::"]:
                at += 2
            if texts[at : at + 1] == ["<"]:
                at = _after_angles(texts, at)
        if texts[at : at + 1] not in (["&&"], ["||"]):
            return at
        at += 1
    return at


def _after_angles(texts: list[str], index: int) -> int:
    """The token after the `>` that closes the `<` at `index`."""
    depth = 0
    for at in range(index, len(texts)):
        if texts[at] in ("<", ">", ">>"):
            depth += 1 if texts[at] == "<" else -len(texts[at])
            if depth <= 0:
                return at + 1
    return len(texts)


def _closing(tokens: Tokens, index: int) -> int:
    """The `)` of the `(` at `index`."""
    depth = 0
    for at in range(index, len(tokens)):
        depth += {"LPAREN": 1, "_RPAR": -1}.get(tokens.kinds[at], 0)
        if not depth:
            return at
    return index


def _without_macros(
    tokens: Tokens, start: int, piece: FunctionOutline, stop: int | None = None
) -> Tokens:
    """The header without `MACRO(…)` and bare capitals before the name."""
    out = Tokens()
    at = start
    while at < piece.name:
        kind, text = tokens.kinds[at], tokens.texts[at]
        if kind == "NAME" and text.isupper() and tokens.kinds[at + 1] == "LPAREN":
            at = _closing(tokens, at + 1) + 1
            continue
        out.extend(tokens.cut(at, at + 1))
        at += 1
    out.extend(tokens.cut(max(at, start), piece.body if stop is None else stop))
    return out
