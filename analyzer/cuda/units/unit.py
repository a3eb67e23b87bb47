"""Parsing a translation unit piece by piece.

In: preprocessed tokens. Out: functions, declarations, the statements that were lost, and problems.
Classes are parsed head and members apart, functions header and body apart. Names are collected from
all declarations before the first function is parsed.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...source.problem import Damage, Problem
from ..syntax import nodes
from ..syntax.builder import TreeBuilder
from ..syntax.depth import cut_deep_statements, is_deep, may_be_deep
from ..syntax.later_body import LaterBody
from ..syntax.names import FUNCTION_TEMPLATE, TYPE, TYPE_TEMPLATE, Names
from ..syntax.nodes.c_ast import c_ast
from ..syntax.normalise import CONVERSIONS, normalised
from ..syntax.parser import Parser
from ..syntax.resolver import Resolver
from ..syntax.virtual_words import VirtualWords
from .brackets import lonely_bracket, lost_kernel
from .by_value import bodies_not_in, taking_values
from .compared_defaults import with_grouped_defaults
from .headers import HeaderParser
from .host_filter import MEMORY, worth_parsing
from .include_reachability import reachable
from .outline import ClassOutline, DeclarationOutline, FunctionOutline
from .outlining import outline
from .packing import with_packed_classes
from .unknown_macros import (
    as_device_functions,
    as_kernels,
    hidden_device_functions,
    hidden_kernels,
    with_qualifiers,
    without_attributes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...source.text import Span
    from ...source.tokens import SourceMap, Tokens
    from ..syntax.later_body import KeptBodies

_KEPT = frozenset(
    ["typedef", "using", "enum", "struct", "class", "union", "const", "constexpr", "template"]
)
_NESTS = {"[": 1, "]": -1, "<": 1, ">": -1, ">>": -2}
_NESTED_CLASSES = 20  # deeper ones stand beside the outermost

_BALANCE = "balance the brackets; if a macro contains one, pass its header's folder with -I"
_NO_FUNCTION = (
    "check its header; if a macro is its name, pass the folder of the macro's header with -I"
)


class UnitParser:
    """One translation unit; `run` fills the public lists."""

    def __init__(
        self,
        tokens: Tokens,
        places: SourceMap,
        qualifier_macros: Mapping[str, str],
        kept: KeptBodies | None = None,
    ) -> None:
        self.functions: list[nodes.Function] = []
        self.declarations: list[c_ast.Node] = []
        self.problems: list[Problem] = []
        self.opaque: dict[nodes.Function, list[nodes.Opaque]] = {}
        self.statements = 0
        self.by_value: frozenset[str] = frozenset()  # functions that write nothing they are given
        self.scopes: dict[int, tuple[str, ...]] = {}  # of declarations, by id
        self.unread: dict[str, frozenset[tuple[str, ...]]] = {}  # functions that are not parsed
        given = with_packed_classes(without_attributes(with_qualifiers(tokens, qualifier_macros)))
        self._tokens = with_grouped_defaults(given)
        self._places = places
        self._names = Names()
        self._builder = TreeBuilder(places, self._names)
        self._parser = Parser(self._builder, Resolver(self._names, places.breaks_line))
        self._headers = HeaderParser(self._parser, self._builder)
        # By the id of a class's outline: the names in it, and its node.
        self._inside: dict[int, dict[str, str]] = {}
        self._definitions: dict[int, nodes.ClassDefinition] = {}
        self._virtual = VirtualWords(())
        self._kept = kept

    def run(self) -> None:
        """Parse everything that matters."""
        if not self._tokens.kinds:
            return
        found = outline(self._tokens, self._places)
        hidden = hidden_kernels(self._tokens, found.functions)
        if hidden:
            self._tokens = as_kernels(self._tokens, hidden)
            found = outline(self._tokens, self._places)
        hidden = hidden_device_functions(self._tokens, found.functions)
        if hidden:
            self._tokens = as_device_functions(self._tokens, hidden)
            found = outline(self._tokens, self._places)
        lonely = min(found.unbalanced, default=None)
        if lonely is None:
            lonely = lonely_bracket(self._tokens, self._in_main)
        if lonely is not None:
            self._report(lonely, f"unmatched {self._tokens.texts[lonely]}", _BALANCE)
        lost = lost_kernel(self._tokens.texts, found, self._in_main)
        if lost is not None:
            self._report(lost, "no function follows this __global__", _NO_FUNCTION)
        texts = self._tokens.texts
        for made in found.classes:
            template = "template" in texts[made.start : made.key]
            self._names.declare(made.name, TYPE_TEMPLATE if template else TYPE)
            if made.name:
                self._names.classes.add(made.name)
        for function in found.functions:
            if texts[function.start] == "template":
                self._names.declare(texts[function.name], FUNCTION_TEMPLATE)
        if self._kept is not None:
            self._kept.begin(_outside(self._tokens, found.functions))
        self.by_value = taking_values(self._tokens, found)
        every = list(found.functions)
        worth = worth_parsing(self._tokens, found.functions)

        def wanted(function: FunctionOutline) -> bool:
            return id(function) in worth

        if len(self._places.sources) > 1:
            found = reachable(self._tokens, found, self._in_main, wanted)
        else:
            found.functions = [function for function in found.functions if wanted(function)]
        self._virtual = VirtualWords(self._tokens.texts)
        self.unread = bodies_not_in(self._tokens, every, found.functions)
        pieces: list[DeclarationOutline | ClassOutline] = [*found.declarations, *found.classes]
        for piece in sorted(pieces, key=lambda piece: piece.start):
            if isinstance(piece, ClassOutline):
                self._class(piece)
            elif self._matters(piece):
                self.declarations += self._declaration("declaration", piece)
        for function in found.functions:
            self._function(function)
        for definition in self._definitions.values():
            definition.members.sort(key=lambda member: member.coord.start)

    def _in_main(self, index: int) -> bool:
        """Whether a token stands in the main file, or is made by a macro used there."""
        place = self._places.use_start(self._tokens.places[index])
        return place <= len(self._places.sources[0].text)

    # ---- declarations --------------------------------------------------------------------------

    def _matters(self, piece: DeclarationOutline) -> bool:
        """Whether a declaration says something a kernel may rest on."""
        kinds = self._tokens.kinds[piece.start : piece.stop]
        texts = self._tokens.texts[piece.start : piece.stop]
        if "LPAREN" not in kinds or "_EQ" in kinds:
            return texts[:2] != ["using", "namespace"]
        return not (MEMORY | _KEPT).isdisjoint(texts)

    def _declaration(self, rule: str, piece: DeclarationOutline) -> list[Any]:
        """The nodes of a declaration; prototypes of functions as Function without body."""
        tokens = normalised(self._tokens.cut(piece.start, piece.stop))
        self._builder.opaques = []
        deep = may_be_deep(tokens.kinds)
        made = self._parser.parse(rule, tokens) if tokens.kinds else None
        found: list[Any] = []
        for node in made if isinstance(made, list) else [made]:
            if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
                node = self._builder.prototype_of(node)
            if isinstance(node, nodes.Function):
                node.scope = (*piece.scope, *node.scope)
            if isinstance(node, c_ast.Node) and not (deep and is_deep(node)):
                found.append(node)
                self.scopes[id(node)] = piece.scope
        return found

    def _class(self, piece: ClassOutline) -> None:
        """A class with its data members; its functions are parsed with the others."""
        outer = self._inside.get(id(piece.owner), {})
        self._names.enter()
        self._names.add(outer)
        mark = self._names.mark()
        definition = self._class_head(piece)
        for member in piece.declarations:
            if self._matters_in_class(member):
                definition.members += self._declaration("member", member)
        inside = self._names.since(mark)
        self._names.leave()
        self._inside[id(piece)] = {**outer, **inside}
        for node in definition.members:
            if isinstance(node, c_ast.Typedef | nodes.TypeAlias):
                self._names.known.setdefault(node.name, inside.get(node.name, TYPE))
        self._definitions[id(piece)] = definition
        self.scopes[id(definition)] = piece.scope
        owner = self._definitions.get(id(piece.owner))
        flat = owner is None or len(piece.scope) > _NESTED_CLASSES
        place = self.declarations if flat or owner is None else owner.members
        if piece.trailing is None:
            place.append(definition)
        else:  # struct { ... } x;
            rule = "declaration" if owner is None else "member"
            declared = self._declaration(rule, piece.trailing)
            _place_functions(declared, piece.trailing.scope)
            place += declared

    def _class_head(self, piece: ClassOutline) -> nodes.ClassDefinition:
        """The class without members; only key and name when its head cannot be read."""
        head = self._without_final(piece)
        for kind, text in (("_RBRACE", "}"), ("_SEMI", ";")):
            head.kinds.append(kind)
            head.texts.append(text)
            head.places.append(head.places[-1])
        made = None
        if piece.trailing is None:
            made = self._parser.parse("declaration", normalised(head))
        definition = made[0] if isinstance(made, list) and made else None
        if not isinstance(definition, nodes.ClassDefinition):
            key, empty = self._tokens.texts[piece.key], list[Any]()
            definition = nodes.ClassDefinition(
                key, piece.name, empty, [], None, [], nodes.Virtual.NOTHING
            )
        definition.coord = self._span(piece.start, piece.stop)
        definition.virtual = self._virtual.of(piece.start, piece.stop)
        return definition

    def _without_final(self, piece: ClassOutline) -> Tokens:
        """The head of a class up to its brace: `struct A final : B {` says as much as without."""
        kinds, last = self._tokens.kinds, piece.body
        for index in range(piece.key + 2, last):
            ends = kinds[index + 1] in ("_COLON", "_LBRACE")
            if ends and kinds[index] == "NAME" and self._tokens.texts[index] == "final":
                head = self._tokens.cut(piece.start, index)
                head.extend(self._tokens.cut(index + 1, last + 1))
                return head
        return self._tokens.cut(piece.start, last + 1)

    def _matters_in_class(self, member: DeclarationOutline) -> bool:
        """Whether a member is more than the prototype of a function, or says where objects lie,
        that something is done where they end, or what they become.
        """
        kinds = self._tokens.kinds[member.start : member.stop]
        texts = self._tokens.texts[member.start : member.stop]
        if not _has_parameters(texts) or "_EQ" in kinds or "_ALIGNAS" in kinds or "~" in texts:
            return True
        pairs = set(pairwise(texts))  # a pointer to a function, or a reference to an array
        pointer = not pairs.isdisjoint((("(", "*"), ("(", "&"), ("(", "&&")))
        named = ("operator" in texts) and self._names_word(member, texts.index("operator") + 1)
        return pointer or named or "__attribute__" in texts or not _KEPT.isdisjoint(texts)

    def _names_word(self, member: DeclarationOutline, index: int) -> bool:
        """Whether an operator is called by a word: `operator new`, `operator int`."""
        return self._tokens.kinds[member.start + index] in {*CONVERSIONS, "_NEW", "_DELETE"}

    # ---- functions -----------------------------------------------------------------------------

    def _function(self, piece: FunctionOutline) -> None:
        """A function, header and body apart."""
        self._names.enter()
        if piece.owner is not None:
            self._names.add(self._inside.get(id(piece.owner), {}))
        self._builder.opaques = []
        function = self._headers.function(self._tokens, piece)
        span = self._span(piece.body, piece.stop)
        function.coord = self._span(piece.start, piece.stop)
        kept, inside = self._kept, self._tokens.texts[piece.body : piece.stop]
        if kept is not None and kept.is_sound(function, inside, span):
            read = partial(self._body_later, piece, self._names.since(0), span)
            function.body = LaterBody(read, span)
        else:
            function.body = body = self._body(piece, span)
            whole = body.coord == span and body.coord.__class__ is span.__class__
            if kept is not None and whole and not self._builder.opaques:
                kept.keep(function)
        self._names.leave()
        self.functions.append(function)
        self.opaque[function] = self._builder.opaques
        self.statements += self._tokens.kinds[piece.body : piece.stop].count("_SEMI")
        owner = self._definitions.get(id(piece.owner))
        if owner is not None:
            owner.members.append(function)

    def _body(self, piece: FunctionOutline, span: Span) -> c_ast.Compound:
        """The body of a function whose header was read; what is lost in it is the builder's."""
        tokens = self._tokens.cut(piece.body, piece.stop)
        if not piece.complete:
            place = tokens.places[-1]
            tokens.kinds.append("_RBRACE")
            tokens.texts.append("}")
            tokens.places.append(place)
        deep = may_be_deep(tokens.kinds)
        body = self._parser.parse("body", normalised(tokens), recover=True)
        if body is None:
            lost = nodes.Opaque(span.text, "the function body could not be parsed", coord=span)
            self._builder.opaques = [lost]
            body = c_ast.Compound([lost], span)
        if deep:
            self._builder.opaques += cut_deep_statements(body)
        return body

    def _body_later(self, piece: FunctionOutline, names: dict[str, str], span: Span) -> list[Any]:
        """The statements of a body, read when the whole unit was; `names` are those around it."""
        self._names.enter()
        self._names.add(names)
        self._builder.opaques = []
        items: list[Any] = self._body(piece, span).block_items
        self._names.leave()
        return items

    def _span(self, start: int, stop: int) -> Any:
        tokens = self._tokens
        return self._places.span(
            tokens.places[start], tokens.places[stop - 1], len(tokens.texts[stop - 1])
        )

    def _report(self, index: int, message: str, advice: str) -> None:
        span = self._span(index, index + 1)
        self.problems.append(Problem(span.path, message, advice, Damage.PARTIAL, span))


def _has_parameters(texts: Sequence[str]) -> bool:
    """Whether a member may be a function: parentheses of `char data[sizeof(T)];` and of
    `Array<sizeof(T)> all;` are no parameters.
    """
    nests = {} if "operator" in texts else _NESTS  # of `operator<(...)`, `operator[](...)`
    depth = 0
    for text in texts:
        depth += nests.get(text, 0)
        if text == "(" and depth <= 0:
            return True
    return False


def _outside(tokens: Tokens, functions: Iterable[FunctionOutline]) -> Iterator[str]:
    """The words of a file that stand in no body of a function, each with its kind."""
    at = 0
    for item in sorted(functions, key=lambda item: item.body):
        yield from tokens.texts[at : item.body]
        yield from tokens.kinds[at : item.body]
        at = max(at, item.stop)
    yield from tokens.texts[at:]
    yield from tokens.kinds[at:]


def _place_functions(declared: Iterable[Any], scope: tuple[str, ...]) -> None:
    """Say of the functions in a class that is parsed with what is declared with it where they are:
    `typedef struct A { A(int); } A;`.
    """
    work = [(node, scope) for node in declared]
    while work:
        node, around = work.pop()
        if isinstance(node, nodes.Function):
            node.scope = (*around, *node.scope)
            continue
        if isinstance(node, nodes.ClassDefinition) and node.name:
            around = (*around, node.name)
        work += [(each, around) for each in node]
