"""Finds what ptxas would refuse in statements that read well.

In: a parsed module. Out: `Diagnostic`s: undeclared names, missing labels, unknown instructions
or modifiers, wrong number, kind or width of operands, features that the module's `.version` and
`.target` do not have. Follows PTX ISA 6 ("Instruction Operands"), 9.4 ("Type Information") and the
table of instructions. An instruction is checked once for each combination of opcode and kinds of
operands. Not checked: values (alignment, ranges), register counts of matrix fragments, vector types
of texture operands, and everything that needs control flow. A name that stands in text that could
not be read may be declared there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...ir.kernel import Diagnostic
from ...source.text import Span
from ...source.words import plural
from ..syntax.labels import Labels
from ..syntax.tree import (
    Function,
    Instruction,
    Name,
    PtxModule,
    Registers,
    ScopeEnd,
    ScopeStart,
    Targets,
    Unread,
    Variables,
    call_parts,
)
from .declarations import check_declarations
from .names import Names, module_names
from .operands import Complaint, check_operands

if TYPE_CHECKING:
    from ..syntax.tree import Opcode, Statement

_WORD = re.compile(r"[\w$%]+", re.ASCII)


#: How functions begin that OptiX links in: a module that calls one is no input of ptxas.
_OF_OPTIX = ("_rt_", "_optix_")


def check_ptx(module: PtxModule) -> list[Diagnostic]:
    """What ptxas would refuse, in the order of the text."""
    checker = _Checker(module)
    for clash in check_declarations(module):
        span = Span(module.source, clash.start, clash.end)
        checker.found.append(Diagnostic(clash.kind, clash.message, span))
    for function in module.functions:
        checker.function(function)
    return sorted(checker.found, key=lambda diagnostic: diagnostic.span.start)


def _unread_words(module: PtxModule) -> frozenset[str]:
    """The words of all text that could not be read."""
    bodies = (function.body or () for function in module.functions)
    every = (*module.items, *(statement for body in bodies for statement in body))
    texts = (module.source.text[each.start : each.end] for each in every if type(each) is Unread)
    return frozenset(word for text in texts for word in _WORD.findall(text))


class _Signature(NamedTuple):
    opcode: Opcode
    guard: str
    operands: tuple[str, ...]


class _Checker:
    def __init__(self, module: PtxModule) -> None:
        self.module = module
        self.found: list[Diagnostic] = []
        self.outside = module_names(module)
        self.names = Names(self.outside)
        self.known: dict[_Signature, tuple[Complaint, ...]] = {}
        self.unread: frozenset[str] | None = None  # found when it is first asked for

    def function(self, function: Function) -> None:
        """Check one body."""
        if function.body is None:
            return
        self.names = names = Names(self.outside)
        for parameter in (*(function.header.parameters or ()), *(function.header.results or ())):
            for twice in names.declare_parameter(parameter):
                message = f"parameter {twice} is declared twice"
                span = Span(self.module.source, function.start, function.header_end)
                self.found.append(Diagnostic("duplicate-declaration", message, span))
        labels = names.labels = Labels(function.body)
        for label in labels.again:
            self._report("duplicate-label", f"label {label.name.text} is defined twice", label)
        for index, statement in enumerate(function.body):
            names.index = index
            if statement.__class__ is Instruction:
                self._instruction(statement)
            else:
                self._other(statement)

    def _other(self, statement: Statement) -> None:
        names = self.names
        if isinstance(statement, Registers):
            for twice in names.declare_registers(statement):
                self._report("duplicate-register", f"register {twice} is declared twice", statement)
        elif isinstance(statement, Variables):
            for twice in names.declare_variables(statement):
                self._report("duplicate-declaration", f"{twice} is declared twice", statement)
        elif isinstance(statement, ScopeStart):
            names.open_scope()
        elif isinstance(statement, ScopeEnd):
            names.close_scope()
        elif isinstance(statement, Targets):
            for name in statement.names:
                known = names.is_label(name.text) or name.text in self.outside.functions
                if not known:
                    self._report("missing-label", f"undefined label {name.text}", statement)

    def _instruction(self, instruction: Instruction) -> None:
        names = self.names
        mnemonic = instruction.opcode.mnemonic
        if mnemonic in ("bra", "brx", "call"):
            self._control(instruction)
            return
        guard = ""
        if instruction.guard is not None:
            guard = names.describe(instruction.guard.predicate)
        signature = _Signature(
            instruction.opcode, guard, tuple(map(names.describe, instruction.operands))
        )
        complaints = self.known.get(signature)
        if complaints is None:
            complaints = check_operands(self.module, instruction, guard, signature.operands)
            if not any(complaint.kind == "undeclared" for complaint in complaints):
                self.known[signature] = complaints
        for complaint in complaints:
            if complaint.kind == "undeclared":
                for name in names.undeclared(instruction):
                    self._undeclared(name, instruction)
            else:
                self._report(complaint.kind, complaint.message, instruction)

    def _control(self, instruction: Instruction) -> None:
        names = self.names
        guard = instruction.guard
        if guard is not None and names.describe(guard.predicate) != "pred":
            self._report(
                "undeclared-register" if names.describe(guard.predicate) == "?" else "operand-type",
                f"{guard.predicate.text} is not a predicate",
                instruction,
            )
        if instruction.opcode.mnemonic == "call":
            self._call(instruction)
            return
        target = instruction.operands[-1] if instruction.operands else None
        count = 1 if instruction.opcode.mnemonic == "bra" else 2
        if len(instruction.operands) != count:
            message = f"{instruction.opcode.text} takes {plural(count, 'operand')}"
            self._report("operand-count", message, instruction)
        elif not isinstance(target, Name) or not names.is_label(target.text):
            text = getattr(target, "text", "such")
            self._report("missing-label", f"undefined label {text}", instruction)

    def _call(self, instruction: Instruction) -> None:
        results, callee, arguments = call_parts(instruction.operands)
        if callee is None:
            self._report("operand-count", "a call needs the name of a function", instruction)
            return
        for operand in (*results, *arguments):
            if self.names.describe(operand) == "?":
                self._undeclared(getattr(operand, "text", "an operand"), instruction)
        function = self.outside.functions.get(callee.text)
        if function is None:
            known = callee.text.startswith(_OF_OPTIX) or self._may_be_declared(callee.text)
            if not known and self.names.describe(callee) == "?":
                self._report(
                    "undeclared-function", f"undefined function {callee.text}", instruction
                )
            return
        declared = len(function.header.parameters or ())
        if declared != len(arguments):
            message = f"{callee.text} takes {declared} arguments, {len(arguments)} are given"
            self._report("operand-count", message, instruction)
        if len(function.header.results or ()) != len(results):
            self._report("operand-count", f"the results of {callee.text} differ", instruction)

    def _undeclared(self, name: str, instruction: Instruction) -> None:
        if not self._may_be_declared(name):
            self._report("undeclared-register", f"{name} is not declared", instruction)

    def _may_be_declared(self, name: str) -> bool:
        """Whether text that was not read holds a name, or the prefix of a row of registers."""
        if self.unread is None:
            self.unread = _unread_words(self.module)
        return name in self.unread or name.rstrip("0123456789") in self.unread

    def _report(self, kind: str, message: str, statement: Statement) -> None:
        span = Span(self.module.source, statement.start, statement.end)
        self.found.append(Diagnostic(kind, message, span))
