"""What every part of the tree builder needs: tokens, spans, names, lists.

The parser calls one method per grammar alternative with the values of its symbols, the index of its
first token and the index of the token after its last one. A token's value is its index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...source.text import Span
from . import nodes
from .nodes.c_ast import c_ast

if TYPE_CHECKING:
    from ...source.tokens import SourceMap, Tokens
    from .names import Names

Values = list[Any]

_PARENTHESES = {"(": 1, ")": -1}
_HEADS = frozenset(["if", "for", "while", "switch", "return", "sizeof"])


class BuilderBase:
    """Holds the tokens being parsed and the names declared so far."""

    def __init__(self, places: SourceMap, names: Names) -> None:
        self.map = places
        self.names = names
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.places: list[int] = []
        self.opaques: list[nodes.Opaque] = []
        self._source = places.sources[0]
        self._base = 0
        self._limit = 0

    def begin(self, tokens: Tokens) -> None:
        """Start on other tokens."""
        self.kinds, self.texts, self.places = tokens.kinds, tokens.texts, tokens.places
        start = self.map.use_start(self.places[0])
        self._source, offset = self.map.locate(start)
        self._base = start - offset
        self._limit = self._base + len(self._source.text)

    def span(self, first: int, stop: int) -> Span:
        """The place of the tokens `first` to `stop` (excluded)."""
        start = self.places[first]
        last = self.places[stop - 1]
        base = self._base
        if base <= start < self._limit and base <= last < self._limit:
            return Span(self._source, start - base, last - base + len(self.texts[stop - 1]))
        return self.map.span(start, last, len(self.texts[stop - 1]))

    # ---- lists and values that pass through ----------------------------------------------------

    def items(self, v: Values, first: int, stop: int) -> Values:
        """`x+`: the parser has gathered the list already."""
        return v[0]  # type: ignore[no-any-return]

    def sequence(self, v: Values, first: int, stop: int) -> Values:
        """`x (, x)*`."""
        return [v[0], *v[1]] if len(v) > 1 else [v[0]]

    def nothing(self, v: Values, first: int, stop: int) -> None:
        """Something that is read and not kept."""

    def ellipsis(self, v: Values, first: int, stop: int) -> bool:
        """`...` where it is optional."""
        return True

    def pack(self, v: Values, first: int, stop: int) -> nodes.Pack:
        """`pattern...`."""
        return nodes.Pack(v[0], coord=self.span(first, stop))

    def opaque(self, v: Values, first: int, stop: int) -> nodes.Opaque:
        """What the parser gave up on, as the user wrote it."""
        start, end, unexpected = v[0]
        span = self.span(start, end)
        reason = f"unexpected {self.texts[unexpected]!r}"
        literal = self._is_literal(start, unexpected)
        made = nodes.Opaque(span.text, reason, literal=literal, coord=span)
        self.opaques.append(made)
        return made

    def _is_literal(self, start: int, unexpected: int) -> bool:
        """Whether no macro unseen can be why a token of a statement is unexpected: it is no word,
        none stands before it, nor calls the parentheses that it is in.
        """
        if self._may_be_macro(unexpected) or self._may_be_macro(unexpected - 1):
            return False
        depth = 0
        for at in range(unexpected - 1, start, -1):
            depth += _PARENTHESES.get(self.texts[at], 0)
            if depth > 0 and self._may_be_macro(at - 1):
                return False
            depth = min(depth, 0)
        return True

    def _may_be_macro(self, at: int) -> bool:
        """Whether a token is a word but for those that parentheses follow, ends a call, or is the
        end of what is read.
        """
        text = self.texts[at] if at >= 0 else ";"
        return text in ("", ")") or (text[0].isidentifier() and text not in _HEADS)

    # ---- names ---------------------------------------------------------------------------------

    def identifier_of(self, index: int) -> c_ast.ID:
        """The token as a plain name."""
        return c_ast.ID(self.texts[index], self.span(index, index + 1))

    def global_scope(self, v: Values, first: int, stop: int) -> tuple[bool, Values]:
        """`::`."""
        return True, []

    def scope_start(self, v: Values, first: int, stop: int) -> tuple[bool, Values]:
        """`A::`."""
        return False, [v[0]]

    def rooted_scope_start(self, v: Values, first: int, stop: int) -> tuple[bool, Values]:
        """`::A::`."""
        return True, [v[0]]

    def scope_more(self, v: Values, first: int, stop: int) -> tuple[bool, Values]:
        """`A::B::`."""
        rooted, parts = v[0]
        return rooted, [*parts, v[1]]

    def scope_part(self, v: Values, first: int, stop: int) -> Any:
        """`A::` or `A<T>::`."""
        return self.named(v[0], v[1], stop - 1)

    def decltype_scope(self, v: Values, first: int, stop: int) -> Any:
        """`decltype(e)::`."""
        return v[0]

    def named(self, index: int, arguments: Values | None, stop: int) -> Any:
        """A name with or without template arguments."""
        if arguments is None:
            return self.identifier_of(index)
        return nodes.TemplateId(self.texts[index], arguments, coord=self.span(index, stop))

    def qualified(self, scope: Any, last: Any, first: int, stop: int) -> Any:
        """`scope` and `last` as one name."""
        if scope is None:
            return last
        rooted, parts = scope
        return nodes.QualifiedName([*parts, last], rooted, coord=self.span(first, stop))

    def qualified_name(self, v: Values, first: int, stop: int) -> Any:
        """`A::b` where a plain name may stand too."""
        return self.qualified(v[0], self.identifier_of(v[1]), first, stop)

    def template_arguments(self, v: Values, first: int, stop: int) -> Values:
        """`<a, b>`."""
        if v[0] is None:
            return []
        return [v[0], *v[1]] if len(v) > 1 and v[1] is not None else [v[0]]
