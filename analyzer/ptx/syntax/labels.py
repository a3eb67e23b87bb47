"""Which label a jump means: labels are local to the innermost braces around them (PTX ISA 4.3).

Inline assembly makes this matter: `{ wait: … @!p bra wait; }` may stand in one function many times.
In: a function's statements. Out: for a place in them and a name, the label. A jump sees the labels
of its own scope, before and after it, and those of the scopes around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from .tree import Instruction, Label, Loc, Name, ScopeEnd, ScopeStart, Targets

if TYPE_CHECKING:
    from .tree import Operand, Statement


LabelKey: TypeAlias = "tuple[int, str]"  # one label of a function: its scope and its text
_MOST_LISTED = 65_536  # labels of all tables, each as often as a jump goes through it
_JUMPS = frozenset({"bra", "brx"})


class Labels:
    """The labels of one PTX function, and who jumps to them."""

    def __init__(self, statements: tuple[Statement, ...]) -> None:
        self.positions: dict[LabelKey, int] = {}  # index of each label's statement
        self.lists: dict[str, Targets] = {}  # label of a `.branchtargets` → the list
        self.last_use: dict[LabelKey, int] = {}  # index of the last statement that jumps there
        self.targets: dict[int, list[int]] = {}  # by index of the jump, those of its labels
        self.unfollowed: set[int] = set()  # by index, jumps through tables that are not followed
        self.again: list[Label] = []  # labels that their scope has already
        self._parents = [-1]
        self._starts: dict[int, int] = {}  # index of a `{` → its scope
        uses = self._collect(statements)
        for index, scope, name in uses:
            key = self.find(scope, name)
            if key is not None:
                self.last_use[key] = max(index, self.last_use.get(key, 0))
                self.targets.setdefault(index, []).append(self.positions[key])

    def _collect(self, statements: tuple[Statement, ...]) -> list[tuple[int, int, str]]:
        """Note labels and lists; the jumps, as index, scope and name."""
        uses: list[tuple[int, int, str]] = []
        indexed: list[tuple[int, int, str]] = []
        scope = 0
        for index, statement in enumerate(statements):
            if statement.__class__ is Instruction:
                mnemonic = statement.opcode.mnemonic
                if mnemonic in _JUMPS:
                    jumps, at = (uses, 0) if mnemonic == "bra" else (indexed, 1)
                    jumps.append((index, scope, _text(statement.operands, at)))
            elif statement.__class__ is Loc:
                continue
            elif isinstance(statement, ScopeStart):
                self._parents.append(scope)
                scope = self._starts[index] = len(self._parents) - 1
            elif isinstance(statement, ScopeEnd):
                scope = max(self._parents[scope], 0)
            elif isinstance(statement, Label):
                self._label(index, scope, statement, statements[index + 1 : index + 2])
        left = _MOST_LISTED
        for index, inside, name in indexed:
            listed = self.lists.get(name)
            names = listed.names if listed is not None else ()
            if len(names) > left:
                self.unfollowed.add(index)
                continue
            left -= len(names)
            uses += [(index, inside, target.text) for target in names]
        return uses

    def _label(
        self, index: int, scope: int, label: Label, following: tuple[Statement, ...]
    ) -> None:
        key = (scope, label.name.text)
        if key in self.positions:
            self.again.append(label)
        self.positions.setdefault(key, index)
        if following and isinstance(following[0], Targets):
            self.lists[label.name.text] = following[0]

    def find(self, scope: int, name: str) -> LabelKey | None:
        """The label that a name means inside a scope."""
        while scope >= 0:
            key = (scope, name)
            if key in self.positions:
                return key
            scope = self._parents[scope]
        return None

    def enter(self, index: int) -> int:
        """The scope that the `{` at an index opens."""
        return self._starts.get(index, 0)

    def leave(self, scope: int) -> int:
        """The scope around a scope."""
        return max(self._parents[scope], 0)


def _text(operands: tuple[Operand, ...], index: int) -> str:
    operand = operands[index] if index < len(operands) else None
    return operand.text if isinstance(operand, Name) else ""
