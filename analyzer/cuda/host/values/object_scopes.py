"""The scope that a method of host code runs in: the members of its object, by two names each.

In: what members hold, by their paths in the object. Out: a scope that has `count`, and `this.count`
for `this->count`, which a parameter may hide. Who binds one of them binds the other one too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.types import UNKNOWN
from ....ir.values import Unknown
from ...lowering.model.scope import LoosePlace, Scope, Typed, ValuePlace

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from ....ir.host import Release
    from ...lowering.model.scope import Binding

_THIS = "this."


class ObjectScope(Scope):
    """The members of the object that a method of host code runs for, each by two names that hold
    the same: its plain one, and one behind `this.`.
    """

    __slots__ = ("freed", "is_variable")

    def __init__(self, parent: Scope | None = None, *, is_variable: bool = False) -> None:
        super().__init__(parent)
        #: Whether the object is a variable of host code: others lie where a pointer leads.
        self.is_variable = is_variable
        self.freed: dict[Hashable, Release] = {}  # what methods gave back, by what tells it apart

    @staticmethod
    def other(name: str) -> str:
        """The other one of the two names."""
        return name[len(_THIS) :] if name.startswith(_THIS) else f"{_THIS}{name}"

    def hold(self, members: Mapping[str, Binding]) -> None:
        """Bind members, which are given by their paths in the object."""
        for path, held in members.items():
            whole, _, inner = path.partition(".")
            if inner:
                self.hold_members(whole, {inner: held})
            self.names[path] = held
        self.hold_members("this", members)

    def loosen(self, names: Iterable[str]) -> None:
        """Anybody may change these members at any time."""
        for name in set(names):
            for path in [p for p in self.names if p == name or p.startswith(f"{name}.")]:
                held = self.names[path]
                if isinstance(held, ValuePlace) and path != "this":
                    loose = LoosePlace(Typed(Unknown(UNKNOWN, f"{path} may change"), held.type))
                    self.names[path] = self.names[self.other(path)] = loose

    def held(self) -> dict[str, Binding]:
        """What the members hold, by their paths."""
        return {path[len(_THIS) :]: self.names[path] for path in self.members_of("this")}
