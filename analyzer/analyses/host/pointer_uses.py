"""Pointers that go where they must not: to the other side, or after they were given back.

In: the events of a file's host code. Out: host memory that a kernel gets, device memory that the
host follows, memory that is given back by a function of the other kind; pointers that are used, or
given back, after they were given back; memory that the host reads or writes while a launch or an
asynchronous copy may still work on it. Not handled: arrays of pointers.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from ...cuda.names.host_memory import FOLLOWING, TAKERS
from ...ir.host import HostCall, HostLaunch, Residence
from ...source.records import dataclass
from .followed_parameters import may_be_followed

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from ...ir.host import HostAccess, HostArgument, HostPointer
    from ...source.text import Span
    from .facts import HostFacts

_Found = TypeVar("_Found")

_SHARED = frozenset({Residence.MANAGED, Residence.PINNED})


class Misuse(Enum):
    """What is wrong with where host code lets a pointer go."""

    TO_KERNEL = "host pointer to kernel"
    FOLLOWED = "device pointer followed"
    GIVEN_BACK = "given back by another function"


@dataclass(frozen=True, slots=True)
class MixedUp:
    """A pointer of host code on the wrong side: of the host in a kernel, of the device on
    the host.
    """

    misuse: Misuse
    span: Span
    pointer: HostPointer
    user: str  # the kernel or function that gets it; empty for the host itself


@dataclass(frozen=True, slots=True)
class UseAfterFree:
    """A fact: a pointer that host code uses after it has freed it."""

    span: Span
    pointer: HostPointer
    user: str
    again: bool  # given back a second time
    #: Of that, what else the function has of the kind that nothing gives back: perhaps meant.
    left: tuple[str, ...] = ()


def mixed_up(facts: HostFacts) -> Iterator[MixedUp]:
    """The pointers that host code uses on the wrong side, in the order of the file's host code."""
    yield from _once(_mixed_up(facts), lambda each: (each.span, each.misuse))


def _mixed_up(facts: HostFacts) -> Iterator[MixedUp]:
    for launch in facts.launches:
        for at, argument in enumerate(launch.arguments):
            pointer = argument.pointer
            if pointer is None or not pointer.allocation.residence.on_host:
                continue
            if may_be_followed(facts, launch, at):
                yield MixedUp(Misuse.TO_KERNEL, _place(argument, launch), pointer, launch.kernel)
    for call in facts.calls:
        yield from _of_call(call)
    for access in facts.accesses:
        if access.pointer.allocation.residence is Residence.DEVICE:
            yield MixedUp(Misuse.FOLLOWED, access.span, access.pointer, "")


def _of_call(call: HostCall) -> Iterator[MixedUp]:
    suited = TAKERS.get(call.name)
    for argument in call.arguments:
        pointer = argument.pointer
        if pointer is None:
            continue
        where = pointer.allocation.residence
        if suited is not None and where not in suited:
            yield MixedUp(Misuse.GIVEN_BACK, call.span, pointer, call.name)
        if call.name in FOLLOWING and where is Residence.DEVICE:
            yield MixedUp(Misuse.FOLLOWED, _place(argument, call), pointer, call.name)


def used_after_free(facts: HostFacts) -> Iterator[UseAfterFree]:
    """The pointers that host code uses, or gives back, after they were given back."""
    yield from _once(_used_after_free(facts), lambda each: each.span)


def _used_after_free(facts: HostFacts) -> Iterator[UseAfterFree]:
    users: tuple[HostCall | HostLaunch, ...] = (*facts.launches, *facts.calls)
    for user in users:
        name = user.kernel if isinstance(user, HostLaunch) else user.name
        for at, argument in enumerate(user.arguments):
            freed = None if argument.pointer is None else argument.pointer.freed
            # Macros that repeat what they check do so where it has failed.
            if argument.pointer is None or freed is None or freed.span == user.span:
                continue
            if isinstance(user, HostLaunch) and not may_be_followed(facts, user, at):
                continue
            left = _left(facts, user, argument.pointer) if isinstance(user, HostCall) else ()
            place, again = _place(argument, user), name in TAKERS
            yield UseAfterFree(place, argument.pointer, name, again, left)
    for access in facts.accesses:
        if access.pointer.freed is not None:
            yield UseAfterFree(access.span, access.pointer, "", again=False)


def _left(facts: HostFacts, call: HostCall, pointer: HostPointer) -> tuple[str, ...]:
    """The names of what a function has of the kind that is given back twice, and that nothing in
    the file gives back, as far as all that is given back is known.
    """
    takers = [each for each in facts.reached_calls if each.name in TAKERS]
    taken = {of.allocation.site for each in takers for of in _pointers(each)}
    if any(not _pointers(each) for each in takers if each.function == call.function):
        return ()
    users: tuple[HostCall | HostLaunch, ...] = (*facts.calls, *facts.launches)
    here = [each for each in users if each.function == call.function]
    held = [of.allocation for each in here for of in _pointers(each)]
    held += [each.made for each in here if isinstance(each, HostCall) and each.made is not None]
    known = pointer.allocation
    alike = (
        each for each in held if (each.residence, each.maker) == (known.residence, known.maker)
    )
    return tuple(dict.fromkeys(each.name for each in alike if each.site not in taken))


def _pointers(user: HostCall | HostLaunch) -> list[HostPointer]:
    return [each.pointer for each in user.arguments if each.pointer is not None]


def accesses_too_early(facts: HostFacts) -> Iterator[HostAccess]:
    """Accesses of the host to memory that work under way may still use; the first of each place
    where it was begun.
    """
    early = (
        access
        for access in facts.reached_accesses
        if access.begun is not None and access.pointer.allocation.residence in _SHARED
    )
    yield from _once(early, lambda access: (access.begun, access.pointer.allocation.site))


def _once(found: Iterable[_Found], key: Callable[[_Found], Hashable]) -> Iterator[_Found]:
    """The first of each kind: a function is run for each of its callers."""
    seen: set[Hashable] = set()
    for each in found:
        if key(each) not in seen:
            seen.add(key(each))
            yield each


def _place(argument: HostArgument, user: HostCall | HostLaunch) -> Span:
    return user.span if argument.span is None else argument.span
