"""What each rule of `ptx.lark` builds, as functions from atoms to syntax nodes.

In: the parts of a rule's children, in the order of the grammar; tokens as text. Out: a `Part`,
whose `bind` makes the node from a list of atoms. Nothing here looks at an atom's text: that is what
makes one parse serve every statement of the same shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .tree import (
    Address,
    AddressOf,
    Arguments,
    Binary,
    Cast,
    Conditional,
    Declarator,
    Header,
    Pair,
    ParameterDeclaration,
    Parentheses,
    Performance,
    PointerAttribute,
    Unary,
    Vector,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Bind = Callable[[Sequence[Any]], Any]
    Children = list[Any]

_DEPTH = 64
_new = tuple.__new__  # the commonest node; a named tuple's own constructor takes twice as long


class DeepExpressionError(Exception):
    """An expression in PTX is nested more deeply than any compiler writes."""


class Part(NamedTuple):
    """A builder of PTX nodes; `atom` is its index if it is only that, else -1; `kind` for rules."""

    bind: Bind
    depth: int
    atom: int = -1
    kind: str = ""
    parts: tuple[Any, ...] = ()


def rule(name: str) -> Callable[[Children, Any], Part]:
    """The builder of a rule of the PTX grammar."""
    return _RULES[name]


def _part(bind: Bind, children: Sequence[Part | None], kind: str, *parts: Any) -> Part:
    depth = 1 + max((child.depth for child in children if child is not None), default=0)
    if depth > _DEPTH:
        raise DeepExpressionError
    return Part(bind, depth, -1, kind, parts)


def _optional(part: Part | None) -> Bind:
    return (lambda atoms: None) if part is None else part.bind


def _all(parts: Sequence[Part | None]) -> Bind:
    """The tuple of what the parts build."""
    binds = [_optional(part) for part in parts]
    if len(binds) == 2:
        first, second = binds
        return lambda atoms: (first(atoms), second(atoms))
    return lambda atoms: tuple([bind(atoms) for bind in binds])


# ---- operands ------------------------------------------------------------------------------------


def _atom(children: Children, _: Any) -> Part:
    return children[0]  # type: ignore[no-any-return]


def _operands(children: Children, _: Any) -> Part:
    """All operands of an instruction; in the commonest case they are its atoms, in order."""
    parts = [_whole_operand(child) for child in children if child is not None]
    only_atoms = [part.atom for part in parts] == list(range(len(parts)))
    return _part(tuple if only_atoms else _all(parts), parts, "operands")


def _no_operands(_: Sequence[Any]) -> tuple[()]:
    return ()


def _whole_operand(part: Part) -> Part:
    """`p|q` between commas names two destinations; `(a, b)` between commas is an argument list."""
    if part.kind == "binary":
        operator, left, right = part.parts
        if operator == "|" and left.atom >= 0 and right.atom >= 0:
            first, second = left.bind, right.bind
            return _part(lambda atoms: Pair(first(atoms), second(atoms)), [part], "pair")
    return part


def _binary(children: Children, _: Any) -> Part:
    left, operator, right = children
    a, b = _inner(left), _inner(right)
    return _part(
        lambda atoms: Binary(operator, a(atoms), b(atoms)),
        [left, right],
        "binary",
        operator,
        left,
        right,
    )


def _inner(part: Part) -> Bind:
    """A group inside an expression is a pair of parentheses."""
    if part.kind == "group" and len(part.parts) == 1:
        inner = part.parts[0].bind
        return lambda atoms: Parentheses(inner(atoms))
    return part.bind


def _unary(children: Children, _: Any) -> Part:
    operator, operand = children
    inner = _inner(operand)
    return _part(lambda atoms: Unary(operator, inner(atoms)), [operand], "unary", operator, operand)


def _cast(children: Children, _: Any) -> Part:
    type_, operand = children
    inner = _inner(operand)
    return _part(lambda atoms: Cast(type_, inner(atoms)), [operand], "cast")


def _conditional(children: Children, _: Any) -> Part:
    condition, then, otherwise = map(_inner, children)
    return _part(
        lambda atoms: Conditional(condition(atoms), then(atoms), otherwise(atoms)),
        children,
        "conditional",
    )


def _group(children: Children, _: Any) -> Part:
    parts = [child for child in children if child is not None]
    elements = _all(parts) if parts else _no_operands
    return _part(lambda atoms: Arguments(elements(atoms)), parts, "group", *parts)


def _vector(children: Children, _: Any) -> Part:
    parts = [child for child in children if child is not None]
    elements = _all(parts) if parts else _no_operands
    return _part(lambda atoms: Vector(elements(atoms)), parts, "vector")


def _subscript(children: Children, _: Any) -> Part:
    name, index = children
    base, offset = name.bind, _inner(index)
    return _part(
        lambda atoms: Address(base(atoms), "", offset(atoms), (), True), children, "subscript"
    )


def _address_of(children: Children, _: Any) -> Part:
    what, group = children
    first, arguments = what.bind, group.bind
    return _part(lambda atoms: AddressOf(first(atoms), arguments(atoms)), children, "address of")


def _address(children: Children, _: Any) -> Part:
    *parts, unified = children
    base, joint, offset = _split_address(parts[0])
    rest = _all(parts[1:]) if len(parts) > 1 else _no_operands
    first = _inner(base)
    if unified or len(parts) > 1:
        second = _optional(offset)
        bind: Bind = lambda atoms: Address(  # noqa: E731
            first(atoms), joint, second(atoms), rest(atoms), False, bool(unified)
        )
    elif offset is None:
        bind = lambda atoms: _new(  # noqa: E731
            Address, (first(atoms), "", None, (), False, False)
        )
    else:
        second = _inner(offset)
        bind = lambda atoms: _new(  # noqa: E731
            Address, (first(atoms), joint, second(atoms), (), False, False)
        )
    return _part(bind, parts, "address")


def _split_address(part: Part) -> tuple[Part, str, Part | None]:
    """Base, sign and displacement of `a+4`, `a-4`, `a+-4`, `a`."""
    if part.kind == "binary" and part.parts[0] in ("+", "-"):
        operator, left, right = part.parts
        if operator == "+" and right.kind == "unary" and right.parts[0] == "-":
            return left, "+-", right.parts[1]
        return left, operator, right
    return part, "", None


# ---- declarations --------------------------------------------------------------------------------


def _registers(children: Children, _: Any) -> Part:
    vector, type_, *registers = children
    names = _all(registers)
    return _part(lambda atoms: (vector or "", type_, names(atoms)), registers, "registers")


def _register(children: Children, _: Any) -> Part:
    name, _less, count, _greater = children
    first, second = name.bind, _optional(count)
    return _part(lambda atoms: (first(atoms), second(atoms)), [name], "register")


def _variables(children: Children, _: Any) -> Part:
    words = [child for child in children if isinstance(child, str)]
    qualifiers = [child for child in children if isinstance(child, Part) and child.kind == "words"]
    declarators = [
        child for child in children if isinstance(child, Part) and child.kind == "declarator"
    ]
    *linkage, space, type_ = words
    written, declared = _all(qualifiers), _all(declarators)
    return _part(
        lambda atoms: (tuple(linkage), space, written(atoms), type_, declared(atoms)),
        declarators,
        "variables",
    )


def _words(*words: str) -> Callable[[Children, Any], Part]:
    """Directive words around atoms, kept as a tuple of texts: `(".align", "16")`."""

    def build(children: Children, _: Any) -> Part:
        pieces = [child for child in children if child is not None]

        def bind(atoms: Sequence[Any]) -> tuple[str, ...]:
            out = list(words)
            for piece in pieces:
                if isinstance(piece, str):
                    out.append(piece)
                elif piece.kind == "words":
                    out.extend(piece.bind(atoms))
                else:
                    out.append(piece.bind(atoms).text)
            return tuple(out)

        return _part(bind, [p for p in pieces if isinstance(p, Part)], "words", *words)

    return build


def _alignment(children: Children, _: Any) -> Part:
    """`.align 16`: a number inside parameters, words among the qualifiers of a variable."""
    number = children[0].bind
    return _part(lambda atoms: (".align", number(atoms).text), children, "words", number)


def _declarator(children: Children, _: Any) -> Part:
    name, *extents, initialiser = children
    first, dimensions = name.bind, _all(extents) if extents else _no_operands
    text = None if initialiser is None else ""
    return _part(
        lambda atoms: Declarator(first(atoms), dimensions(atoms), text), [name], "declarator"
    )


def _extent(children: Children, _: Any) -> Part:
    inner = None if children[0] is None else _inner(children[0])
    return _part(inner or (lambda atoms: None), [], "extent")


def _initialiser(_: Children, _meta: Any) -> Part:
    return _part(lambda atoms: None, [], "initialiser")


# ---- functions -----------------------------------------------------------------------------------


def _parameter(children: Children, _: Any) -> Part:
    space, alignment, vector, type_, pointer, name, *extents = children
    align = _optional(None if alignment is None else Part(alignment.parts[0], 0))
    points, first = _optional(pointer), name.bind
    dimensions = _all(extents) if extents else _no_operands
    return _part(
        lambda atoms: ParameterDeclaration(
            space,
            align(atoms),
            vector or "",
            type_,
            points(atoms),
            first(atoms),
            dimensions(atoms),
        ),
        [name],
        "parameter",
    )


def _pointer(children: Children, _: Any) -> Part:
    space, alignment = children
    align = _optional(None if alignment is None else Part(alignment.parts[0], 0))
    return _part(lambda atoms: PointerAttribute(space or "", align(atoms)), [], "pointer")


def _parameters(children: Children, _: Any) -> Part:
    parts = [child for child in children if child is not None]
    return _part(_all(parts) if parts else _no_operands, parts, "parameters")


def _performance(children: Children, _: Any) -> Part:
    name, *values = children
    parts = [value for value in values if value is not None]
    bind = _all(parts) if parts else _no_operands
    return _part(
        lambda atoms: Performance(name, tuple([value.text for value in bind(atoms)])),
        parts,
        "performance",
    )


def _header_pragma(children: Children, _: Any) -> Part:
    name, *strings = children
    node = Performance(name, tuple(text for text in strings if text is not None))
    return _part(lambda atoms: node, [], "performance")


def _header(children: Children, _: Any) -> Part:
    kinds = [child.kind if isinstance(child, Part) else child for child in children]
    at = next(i for i, kind in enumerate(kinds) if kind in (".entry", ".func", ".callprototype"))
    linkage = tuple(children[:at])
    attributes = [child for child in children[at + 1 :] if child and child.kind == "words"]
    results, name, parameters = children[at + 1 + len(attributes) :][:3]
    performance = [c for c in children[at + 4 + len(attributes) :] if c is not None]
    binds = (_all(attributes), _optional(results), _optional(parameters), _all(performance))

    def bind(atoms: Sequence[Any]) -> Header:
        first, second, third, fourth = (bound(atoms) for bound in binds)
        return Header(linkage, children[at], first, second, name.bind(atoms), third, fourth)

    return _part(bind, [], "header")


_RULES: dict[str, Callable[[Children, Any], Part]] = {
    "operands": _operands,
    "atom": _atom,
    "binary": _binary,
    "unary_operator": _unary,
    "cast": _cast,
    "conditional": _conditional,
    "group": _group,
    "vector": _vector,
    "subscript": _subscript,
    "address_of": _address_of,
    "address": _address,
    "registers": _registers,
    "register": _register,
    "variables": _variables,
    "alignment": _alignment,
    "vector_width": _words(),
    "attributes": _words(".attribute", "("),
    "managed": _words(".managed"),
    "unified_attribute": _words(".unified"),
    "declarator": _declarator,
    "extent": _extent,
    "initialiser": _initialiser,
    "braces": _initialiser,
    "parameter": _parameter,
    "pointer": _pointer,
    "parameters": _parameters,
    "performance": _performance,
    "header_pragma": _header_pragma,
    "header": _header,
}
