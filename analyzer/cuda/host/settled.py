"""Variables of host code that are known where a condition holds: `case 4:` of `switch (n)`.

In: the functions that are run, and names with the number that each holds on the way that is taken.
Out: the scopes are changed so that they hold it, and so does what was declared with them before,
`dim3 block(n);`, as long as nothing else may write what has a part in it; `leave` undoes that at
the end of the way. Also in: such a number that is the size of a type. Out: whether the way is for
another type than the function template is run for. Also in: the statements of a `switch`. Out:
where each way through them ends. Also in: a variable that is not known. Out: it as one that a
condition may divide or limit. Not handled: variables that are set to something made of them later.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...ir.values import Unknown
from ...source.records import dataclass
from ..lowering.model.scope import (
    LambdaValue,
    MultiplePlace,
    Scope,
    ValuePlace,
)
from ..names.conventions import ELEMENT_SIZE
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .values.values import held, multiple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...ir.host import HostPointer
    from ...source.text import Span
    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Binding
    from ..lowering.types.constant_arithmetic import Number
    from .values.object_scopes import ObjectScope

    Bind = Callable[[str, CType, Any, Scope], Binding]

_WIDTHS = (1, 2, 4, 8, 16)


@dataclass(slots=True)
class Frame:
    """One function of host code being run."""

    outermost: Scope
    escaped: frozenset[str]  # variables whose address is taken
    changing: frozenset[str] = frozenset()  # variables that are assigned somewhere
    returned: list[Number | None] = field(default_factory=list)
    pointers: list[HostPointer | None] = field(default_factory=list)  # returned as well
    lambdas: dict[int, LambdaValue] = field(default_factory=dict)  # not called yet
    loose: bool = False  # a round of the loop may have ended early
    is_lambda: bool = False
    body: Any = None  # of a function
    made: dict[str, tuple[Scope, Any]] = field(default_factory=dict)  # by name, the initialiser
    references: set[str] = field(default_factory=set)  # variables that are such
    given: dict[str, Any] = field(default_factory=dict)  # by parameter, the caller's argument
    call: Span | None = None  # that it is run for, and the scope around that
    outside: Scope | None = None
    this: ObjectScope | None = None  # the members of the object that it is run for
    left: list[dict[str, Binding]] = field(default_factory=list)  # those, where it returns
    ended: bool = True  # control comes to the end of its body
    kept: set[str] = field(default_factory=set)  # variables that it returns: they do not end

    def may_change(self, name: str) -> bool:
        """Whether anything but its declaration may write a variable."""
        return name in self.changing or name in self.escaped

    @property
    def pointer(self) -> HostPointer | None:
        """What the function returns, where that is one pointer."""
        pointers = set(self.pointers)
        return pointers.pop() if len(pointers) == 1 else None

    def leave_by(self, returned: Any) -> None:
        """Control leaves the function here, with such a result."""
        if self.this is not None:
            self.left.append(self.this.held())
        if returned is not None:
            self.kept.update(nodes.identifiers(returned))

    def declare(self, name: str, scope: Scope, init: Any) -> None:
        """Note what a variable is declared with, in the order of the declarations."""
        self.made.pop(name, None)
        if init is not None:
            self.made[name] = (scope, init)


@dataclass(frozen=True, slots=True)
class Settled:
    """A variable of host code, what it held before, and what it holds on this way."""

    scope: Scope
    name: str
    before: Binding
    now: Binding


def settle(
    frames: list[Frame], scope: Scope, found: Iterable[tuple[str, int]], bind: Bind
) -> list[Settled]:
    """Let variables of host code hold these numbers, and what is made of them follow."""
    settled: list[Settled] = []
    for name, number in found:
        binding = scope.find(name)
        if not isinstance(binding, ValuePlace) or not isinstance(binding.value.value, Unknown):
            continue
        if any(name in frame.escaped for frame in frames):
            continue
        place = scope.binder(name)
        if place is None:
            continue
        settled.append(_hold(place, name, held(number, binding.type)))
        if not any(frame.may_change(name) for frame in frames):
            settled += _follow(frames, scope, name, bind)
    return settled


def open_variable(scope: Scope, name: str) -> MultiplePlace | None:
    """A host variable that is not known, as one of which it may be known what divides and limits
    it.
    """
    found = scope.find(name)
    if isinstance(found, MultiplePlace):
        return found
    if not isinstance(found, ValuePlace) or not isinstance(found.value.value, Unknown):
        return None
    return multiple(name, found.type, 1, found.value.value)


def decided_with(frame: Frame, condition: Any) -> set[str]:
    """Variables of a host function that a condition is made of, and what else is made of those."""
    made = {name: set(nodes.identifiers(init)) for name, (_, init) in frame.made.items()}
    parts = set(nodes.identifiers(condition))
    for name in reversed(made):  # what a variable is made of was declared before
        if name in parts:
            parts |= made[name]
    for name, others in made.items():
        if others & parts:
            parts.add(name)
    return parts


def is_for_another_type(frame: Frame, found: Iterable[tuple[str, int]]) -> bool:
    """Whether host code that launches (a function template) comes by with types of other sizes
    than a branch is for, going by the name of the number that decides: `if (bytes == 4)`, with two
    bytes for each `T`.
    """
    sizes = {type.size for type in frame.outermost.types.values()}
    if not sizes or None in sizes:
        return False
    return any(
        number in _WIDTHS and number not in sizes and ELEMENT_SIZE.fullmatch(name)
        for name, number in found
    )


def leave(settled: list[Settled]) -> None:
    """Forget the numbers settled for host variables, where nothing else was written over them."""
    for each in reversed(settled):
        if each.scope.names.get(each.name) is each.now:
            each.scope.names[each.name] = each.before


def _follow(frames: list[Frame], scope: Scope, name: str, bind: Bind) -> Iterator[Settled]:
    """Read the initialisers that a variable has a part in again."""
    known = {name}
    in_force = {id(each) for each in scope.outwards()}
    for frame in frames:
        for made, (place, init) in frame.made.items():
            binding = place.names.get(made)
            if id(place) not in in_force or binding is None or isinstance(binding, LambdaValue):
                continue
            parts = set(nodes.identifiers(init))
            if not parts & known:
                continue
            if any(each.may_change(part) for each in frames for part in (made, *parts)):
                continue
            yield _hold(place, made, bind(made, binding.type, init, place))
            known.add(made)


def _hold(scope: Scope, name: str, now: Binding) -> Settled:
    before = scope.names[name]
    scope.names[name] = now
    return Settled(scope, name, before, now)


def ends_of_cases(items: list[Any]) -> list[int]:
    """For each statement of a switch in host code the end of those that may be run from it on: the
    first that leaves for sure, if no label stands among them, which others may jump to.
    """
    ends, end = [len(items)] * len(items), len(items)
    if any(isinstance(each, c_ast.Label) for each in items):
        return ends
    for index in reversed(range(len(items))):
        inner = items[index]
        while parts := getattr(inner, "stmts", None) or getattr(inner, "block_items", None):
            inner = parts[-1]  # of a case, or of the block that it is
        if isinstance(inner, c_ast.Break | c_ast.Return):
            end = index + 1
        ends[index] = end
    return ends
