"""Prints a syntax tree as PTX: the same tokens as the text it came from, laid out afresh.

In: a module or one statement. Out: text. Comments are gone; `Unread` statements are printed as they
stand in the source. Nesting of operands is bounded by the parser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tree import (
    Address,
    AddressOf,
    Arguments,
    Binary,
    Cast,
    Conditional,
    Directive,
    Function,
    Header,
    Instruction,
    Label,
    Loc,
    Name,
    Number,
    Pair,
    ParameterDeclaration,
    Parentheses,
    Performance,
    Prototype,
    PtxModule,
    Registers,
    ScopeEnd,
    ScopeStart,
    Section,
    Targets,
    Unary,
    Unread,
    Variables,
    Vector,
)

if TYPE_CHECKING:
    from .tree import Item, Operand, Statement


def print_module(module: PtxModule) -> str:
    """The whole PTX module as text."""
    return "\n".join(_item(module, item) for item in module.items) + "\n"


def _item(module: PtxModule, item: Item) -> str:
    if not isinstance(item, Function):
        return print_statement(module, item)
    head = print_header(item.header)
    if item.body is None:
        return f"{head};"
    lines = [print_statement(module, statement) for statement in item.body]
    return "\n".join([f"{head}\n{{", *lines, "}"])


def print_statement(module: PtxModule, statement: Statement | Section) -> str:
    """One PTX statement as text, with its semicolon."""
    match statement:
        case Instruction():
            return _instruction(statement)
        case Label(name):
            return f"{name.text}:"
        case Loc(_, text):
            return f".loc {text}"
        case ScopeStart():
            return "{"
        case ScopeEnd():
            return "}"
        case Registers(vector, type_, names):
            words = [one.text + (f"<{count.text}>" if count else "") for one, count in names]
            return " ".join(filter(None, [".reg", vector, type_, ", ".join(words)])) + ";"
        case Variables():
            return _variables(statement)
        case Targets(directive, names):
            return f"{directive} {', '.join(name.text for name in names)};"
        case Prototype(header):
            return print_header(header) + ";"
        case Directive(name, text):
            return f"{name} {text}" + (";" if name in (".pragma", ".alias") else "")
        case Section(name, contents):
            return f".section {name} {{{contents}}}"
        case Unread(start, end):
            return module.source.text[start:end]


def _instruction(instruction: Instruction) -> str:
    operands = ", ".join(map(print_operand, instruction.operands))
    text = f"{instruction.opcode.text} {operands}".rstrip() + ";"
    guard = instruction.guard
    if guard is None:
        return f"\t{text}"
    return f"@{'!' if guard.negated else ''}{guard.predicate.text} {text}"


def print_operand(operand: Operand) -> str:
    """One PTX operand as text."""
    match operand:
        case Name() | Number():
            return operand.text
        case Unary(operator, inner):
            return f"{operator}{print_operand(inner)}"
        case Binary(operator, left, right):
            return f"{print_operand(left)} {operator} {print_operand(right)}"
        case Conditional(condition, then, otherwise):
            words = map(print_operand, (condition, then, otherwise))
            return "{} ? {} : {}".format(*words)
        case Cast(type_, inner):
            return f"({type_}) {print_operand(inner)}"
        case Parentheses(inner):
            return f"({print_operand(inner)})"
        case Address():
            return _address(operand)
        case AddressOf(what, arguments):
            return print_operand(what) + print_operand(arguments)
        case Vector(elements):
            return "{" + ", ".join(map(print_operand, elements)) + "}"
        case Arguments(elements):
            return "(" + ", ".join(map(print_operand, elements)) + ")"
        case Pair(first, second):
            return f"{print_operand(first)}|{print_operand(second)}"


def _address(address: Address) -> str:
    base = print_operand(address.base)
    if address.subscript:
        inner = print_operand(address.offset) if address.offset is not None else ""
        return f"{base}[{inner}]"
    if address.offset is not None:
        base += address.joint + print_operand(address.offset)
    parts = ", ".join([base, *map(print_operand, address.rest)])
    return f"[{parts}]" + (".unified" if address.unified else "")


def _variables(statement: Variables) -> str:
    words = [*statement.linkage, statement.space]
    words += map(_qualifier, statement.qualifiers)
    words.append(statement.type)
    declarators = []
    for one in statement.declarators:
        value = "" if one.initialiser is None else f" = {one.initialiser.strip()}"
        declarators.append(f"{one.name.text}{_extents(one.extents)}{value}")
    return f"{' '.join(words)} {', '.join(declarators)};"


def _qualifier(words: tuple[str, ...]) -> str:
    """`.align 16`, `.v4`, `.attribute(.managed, .unified(1, 2))`."""
    if words[:2] != (".attribute", "("):
        return " ".join(words)
    attributes: list[list[str]] = []
    for word in words[2:]:
        if word.startswith("."):
            attributes.append([word])
        else:
            attributes[-1].append(word)
    written = [
        name + (f"({', '.join(numbers)})" if numbers else "") for name, *numbers in attributes
    ]
    return f".attribute({', '.join(written)})"


def _extents(extents: tuple[Operand | None, ...]) -> str:
    return "".join("[]" if one is None else f"[{print_operand(one)}]" for one in extents)


def print_header(header: Header) -> str:
    """The text of a PTX function up to its body."""
    words = [*header.linkage, header.kind]
    words += map(_qualifier, header.attributes)
    if header.results is not None:
        words.append(_parameters(header.results))
    words.append(header.name.text)
    if header.parameters is not None:
        words.append(_parameters(header.parameters))
    words += map(_performance, header.performance)
    return " ".join(words)


def _parameters(parameters: tuple[ParameterDeclaration, ...]) -> str:
    return "(" + ", ".join(map(_parameter, parameters)) + ")"


def _parameter(parameter: ParameterDeclaration) -> str:
    words = [parameter.space]
    if parameter.alignment is not None:
        words.append(f".align {parameter.alignment.text}")
    words += [parameter.vector, parameter.type]
    if parameter.pointer is not None:
        words += [".ptr", parameter.pointer.space]
        if parameter.pointer.alignment is not None:
            words.append(f".align {parameter.pointer.alignment.text}")
    words.append(parameter.name.text + _extents(parameter.extents))
    return " ".join(filter(None, words))


def _performance(one: Performance) -> str:
    end = ";" if one.name == ".pragma" and one.values[-1:] == (";",) else ""
    values = one.values[:-1] if end else one.values
    return f"{one.name} {', '.join(values)}".rstrip() + end
