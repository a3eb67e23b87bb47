"""The names a statement may use, and what kind of thing an operand is, for the checks.

`Names.describe` turns an operand into a short word: a register's type ("b32", "pred"), "#" and "#f"
for constants, "special:u32", "variable:shared", "parameter", "label", "function", "[…]" around
addresses, "{a,b}" for vectors, "?" for a name that nothing declares. Operands that look alike to
the checks are the same word.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...source.records import dataclass
from ..syntax.labels import Labels
from ..syntax.special_registers import special_registers
from ..syntax.tree import (
    Address,
    Arguments,
    Function,
    Name,
    Number,
    Pair,
    Unary,
    Variables,
    Vector,
)

if TYPE_CHECKING:
    from ..syntax.tree import Instruction, Operand, ParameterDeclaration, PtxModule, Registers


@dataclass(slots=True)
class ModuleScope:
    """The names that a PTX module declares outside of functions."""

    variables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)


def module_names(module: PtxModule) -> ModuleScope:
    """What a PTX module declares outside of its functions."""
    scope = ModuleScope()
    for item in module.items:
        if isinstance(item, Variables):
            for declarator in item.declarators:
                scope.variables[declarator.name.text] = f"variable:{item.space[1:]}"
        elif isinstance(item, Function):
            scope.functions.setdefault(item.name, item)
    return scope


class Names:
    """What the names mean at one place of a PTX function."""

    def __init__(self, outside: ModuleScope) -> None:
        self._outside = outside
        self.labels = Labels(())
        self.index = 0  # of the statement that is looked at
        self._scope = 0
        self._words: dict[str, str] = {}  # registers, variables and parameters of the function
        self._banks: dict[str, tuple[str, int]] = {}
        self._scopes: list[list[tuple[dict[str, Any], str, object]]] = []
        self._own: list[set[str]] = [set()]

    # ---- declarations ----------------------------------------------------------------------

    def is_label(self, name: str) -> bool:
        """Whether the function has the label."""
        return self.labels.find(self._scope, name) is not None

    def declare_parameter(self, parameter: ParameterDeclaration) -> list[str]:
        """Enter a parameter of the function; its name, when another one has it already."""
        word = "parameter"
        if parameter.space == ".reg":
            word = _register_word(parameter.type, parameter.vector)
        self._enter(self._words, parameter.name.text, word)
        return self._claim(parameter.name.text)

    def _claim(self, name: str) -> list[str]:
        """Note a name as declared in this scope; the name, when it was there already."""
        if name in self._own[-1]:
            return [name]
        self._own[-1].add(name)
        return []

    def declare_registers(self, statement: Registers) -> list[str]:
        """Enter registers; the names that the same scope declares already."""
        twice: list[str] = []
        for name, count in statement.names:
            banked = count is None and not self._scopes and self._bank(name.text)
            claimed = self._claim(name.text)
            twice += [name.text] if banked else claimed
            word = _register_word(statement.type, statement.vector)
            if count is None:
                self._enter(self._words, name.text, word)
            else:
                self._enter(self._banks, name.text, (word, count.whole))
        return twice

    def declare_variables(self, statement: Variables) -> list[str]:
        """Enter variables of a body; the names that the same scope declares already."""
        twice: list[str] = []
        word = "parameter" if statement.space == ".param" else f"variable:{statement.space[1:]}"
        for declarator in statement.declarators:
            self._enter(self._words, declarator.name.text, word)
            twice += self._claim(declarator.name.text)
        return twice

    def _enter(self, table: dict[str, Any], name: str, value: object) -> None:
        if self._scopes:
            self._scopes[-1].append((table, name, table.get(name)))
        table[name] = value

    def open_scope(self) -> None:
        """A `{`."""
        self._scope = self.labels.enter(self.index)
        self._scopes.append([])
        self._own.append(set())

    def close_scope(self) -> None:
        """A `}`: what its scope declared is forgotten."""
        self._scope = self.labels.leave(self._scope)
        if not self._scopes:
            return
        self._own.pop()
        for table, name, old in reversed(self._scopes.pop()):
            if old is None:
                table.pop(name, None)
            else:
                table[name] = old

    # ---- operands --------------------------------------------------------------------------

    def describe(self, operand: Operand) -> str:
        """The word for an operand."""
        if operand.__class__ is Name:
            return self._words.get(operand.text) or self._name(operand)
        if operand.__class__ is Number:
            return "#f" if operand.floating else "#"
        match operand:
            case Address(base, joint, offset, rest, subscript):
                if subscript:
                    return self.describe(base)
                inner = self.describe(base)
                if joint:
                    inner += "+" + (self.describe(offset) if offset is not None else "?")
                for part in rest:
                    inner += ";" + self.describe(part)
                return f"[{inner}]"
            case Vector(elements) | Arguments(elements):
                return "{" + ",".join(map(self.describe, elements)) + "}"
            case Pair(first, second):
                return f"{self.describe(first)}|{self.describe(second)}"
            case Unary("!", inner):
                return "!" + self.describe(inner)
            case Unary(operator, inner):
                word = self.describe(inner)
                return word if word.startswith("#") else operator + word
            case _:
                return "#"

    def _name(self, name: Name) -> str:
        text = name.text
        if text == "_":
            return "_"
        bank = self._bank(text)
        if bank:
            return bank
        row = special_registers().get(name.base)
        if row is not None:
            if text == "WARP_SZ":
                return "special:warp size"
            wide = bool(row.components) and not name.component
            return f"special:{row.type}" + (" vector" if wide else "")
        if name.component:
            base = self._words.get(name.base) or self._bank(name.base)
            if base and base.startswith("{"):
                return base[1:-1].split(",")[0]
            return base or "?"
        if text in self._outside.variables:
            return self._outside.variables[text]
        if text in self._outside.functions:
            return "function"
        return "label" if self.is_label(text) else "?"

    def _bank(self, text: str) -> str | None:
        base = text.rstrip("0123456789")
        digits = text[len(base) :]
        for cut in range(len(digits)):
            bank = self._banks.get(base + digits[:cut])
            number = digits[cut:]
            plain = number == "0" or number[0] != "0"
            if bank and plain and len(number) < 10 and int(number) < bank[1]:
                self._remember(base + digits[:cut], text, bank[0])
                return bank[0]
        return None

    def _remember(self, bank: str, text: str, word: str) -> None:
        """Find a register of the outermost scope at once next time."""
        if not self._scopes:
            self._words[text] = word

    def undeclared(self, instruction: Instruction) -> list[str]:
        """The names of an instruction that nothing declares."""
        found: list[str] = []
        work: list[object] = [*instruction.operands]
        if instruction.guard is not None:
            work.append(instruction.guard.predicate)
        while work:
            part = work.pop()
            if isinstance(part, Name):
                if self.describe(part) == "?":
                    found.append(part.text)
            elif isinstance(part, tuple):
                work.extend(part)
        return sorted(set(found))


def _register_word(type_: str, vector: str) -> str:
    """`.v2 .u32` → `{u32,u32}`."""
    word = type_[1:]
    return "{" + ",".join([word] * int(vector[2:])) + "}" if vector else word
