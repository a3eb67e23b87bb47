"""Reads a whole PTX text with plain Lark, the reference for the parser that cuts statements.

Lark lexes and parses the file with the start rule `module` of `ptx.lark`; every subtree that the
parser proper reads by its shape is built here from its own tokens. The result is a list of printed
statements, in which the two parsers are compared: function headers, statements, operands.
"""

from __future__ import annotations

from typing import Any

from lark import Token, Tree

from warplint.analyzer.ptx.syntax.printer import print_header, print_operand
from warplint.analyzer.ptx.syntax.statement_patterns import fold, lark_parser
from warplint.analyzer.ptx.syntax.tree import (
    Atoms,
    Function,
    Header,
    Instruction,
    Item,
    Label,
    Loc,
    Prototype,
    PtxModule,
    Registers,
    ScopeEnd,
    ScopeStart,
    Section,
    Statement,
    Targets,
    Variables,
)


def outline_by_lark(text: str) -> list[str]:
    """What plain Lark reads, statement by statement."""
    tree = lark_parser().parse(text, start="module")
    out: list[str] = []
    for item in tree.children:
        assert isinstance(item, Tree)
        if item.data == "function":
            header = item.children[0]
            assert isinstance(header, Tree)
            out.append(_header(build(header)))
            if len(item.children) > 1:
                _body(item.children[1], out)
        else:
            out.append(_statement(item, text))
    return out


def build(tree: Tree[Token]) -> Any:
    """The syntax node of a subtree, from its own names and numbers."""
    atoms = Atoms()
    found: dict[int, str] = {}
    for token in tree.scan_values(is_atom):
        found[token.start_pos] = str(token)
    index_of = {position: number for number, position in enumerate(sorted(found))}
    part, _ = fold(tree, index_of)
    return part.bind([atoms[found[position]] for position in sorted(found)])


def is_atom(value: object) -> bool:
    """Whether a leaf of a tree is a name or a number."""
    return isinstance(value, Token) and value.type in ("NAME", "NUMBER")


def _body(tree: Any, out: list[str]) -> None:
    """A body's statements, braces included; an explicit stack, since braces nest."""
    work: list[Any] = [tree]
    while work:
        node = work.pop()
        if isinstance(node, str) and not isinstance(node, Token):
            out.append(node)
        elif node.data == "scope":
            out.append("{")
            work.append("}")
            work.extend(reversed(node.children))
        else:
            out.append(_statement(node, ""))


def _statement(tree: Tree[Token], text: str) -> str:
    match tree.data:
        case "instruction":
            guard, opcode, operands = tree.children
            assert isinstance(operands, Tree)
            written = "" if guard is None else "@" + "".join(_words(guard))
            return _line(f"{written} {opcode}", ", ".join(map(print_operand, build(operands))))
        case "registers":
            return _registers(*build(tree))
        case "variables":
            linkage, space, qualifiers, type_, declarators = build(tree)
            names = ", ".join(one.name.text for one in declarators)
            return _line(*linkage, space, str(qualifiers), type_, names)
        case "label":
            return f"{tree.children[0]}:"
        case "prototype":
            header = tree.children[0]
            assert isinstance(header, Tree)
            return _header(build(header))
        case "section":
            return f".section {tree.children[0]}"
        case _:
            return _line(*(word for word in _words(tree) if word != ";"))


def _words(tree: Any) -> list[str]:
    return [str(token) for token in tree.scan_values(lambda value: isinstance(value, Token))]


def _line(*words: str) -> str:
    return " ".join(" ".join(word for word in words if word).split())


def _header(header: Header) -> str:
    return _line(print_header(header))


def _registers(vector: str, type_: str, names: Any) -> str:
    words = [name.text + (f"<{count.text}>" if count else "") for name, count in names]
    return _line(".reg", vector, type_, ", ".join(words))


# ---- the same from the parser proper -------------------------------------------------------------


def outline(module: PtxModule) -> list[str]:
    """What the parser proper read, in the words of `outline_by_lark`."""
    out: list[str] = []
    for item in module.items:
        if isinstance(item, Function):
            out.append(_header(item.header))
            if item.body is not None:
                out += ["{", *map(_own, item.body), "}"]
        else:
            out.append(_own(item))
    return out


def _own(statement: Statement | Item) -> str:
    match statement:
        case Instruction(opcode, operands, guard):
            written = ""
            if guard is not None:
                written = f"@{'!' if guard.negated else ''}{guard.predicate.text}"
            return _line(f"{written} {opcode.text}", ", ".join(map(print_operand, operands)))
        case Registers(vector, type_, names):
            return _registers(vector, type_, names)
        case Variables(linkage, space, qualifiers, type_, declarators):
            names = ", ".join(one.name.text for one in declarators)
            return _line(*linkage, space, str(qualifiers), type_, names)
        case Label(name):
            return f"{name.text}:"
        case Prototype(header):
            return _header(header)
        case Section(name):
            return f".section {name}"
        case Targets(directive, names):
            return _line(directive, *(name.text for name in names))
        case Loc(_, text):
            return _line(".loc", text.replace(",", " ").replace("+", " "))
        case ScopeStart():
            return "{"
        case ScopeEnd():
            return "}"
        case _:
            text = getattr(statement, "text", "unread")
            return _line(getattr(statement, "name", ""), text.replace(",", " "))
