"""What ptxas has no choice about: barriers, static shared memory, parameters, constant bank 0.

In: a parsed PTX module. Out: for each entry a `Usage` whose numbers follow from the text alone, by
rules that were compared with ptxas 11.8 to 13.5 (`bench/exact_resources.py` prints how often they
hold):

- barriers: the highest constant barrier + 1 in every function that the entry can reach, 16 (all
  there are) when a barrier is chosen at run time
- static shared memory: the variables that are reachable, in the order of declaration, each at its
  alignment; rounded up to the alignment of `extern .shared` when the module declares any
- constant bank 0: the driver's part, then the parameters, each at its alignment
- stack frame: `.local` of the entry and of the functions that it calls, which ptxas inlines,
  rounded up to 8 bytes or the largest alignment, and to that end enlarged where it is more than 16;
  without what ptxas keeps in registers (promoted_locals.py). This is exact where nothing that can
  be reached declares any, but for spills; else it is an estimate

Registers are ptxas's choice: they are estimated (register_features.py) and marked so.
Not handled: functions of other modules (-rdc), for which only what is here counts.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.usage import UNKNOWN, Amount, Source, Usage
from ...resources.declared import laid_out
from ...source.records import dataclass
from ..syntax.constants import array_size, evaluate_constant
from ..syntax.ptx_types import bits, type_of
from ..syntax.tree import (
    Address,
    Function,
    Instruction,
    Name,
    Number,
    Targets,
    Variables,
    call_parts,
    make_number,
)
from .promoted_locals import are_promoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..syntax.tree import Declarator, ParameterDeclaration, PtxModule

_ALL_BARRIERS = 16
_VECTOR = {".v2": 2, ".v4": 4, ".v8": 8}
#: Where the parameters begin in constant bank 0, from this architecture on.
_BANK_BASE = ((100, 896), (90, 528), (70, 352), (50, 320), (20, 32))
#: And from 7.0 on before 9.0, when they take more bytes than so many.
_MANY_BYTES, _BASE_OF_MANY = 4352, 6784
#: Bytes that a stack frame is rounded up to, and those that it is aligned to.
_FRAME_UNIT, _FRAME_ALIGNED = 8, 16


@dataclass(slots=True)
class _Summary:
    """One function: what it names, and its own barriers and variables."""

    names: set[str] = field(default_factory=set)
    barriers: int = 0
    local: list[tuple[int, int]] = field(default_factory=list)  # size and alignment
    calls: set[str] = field(default_factory=set)
    indirect: bool = False


class ModuleResources:
    """Barriers, shared memory and frames of a PTX module's entries; those of functions are kept."""

    def __init__(self, module: PtxModule) -> None:
        self._module = module
        self._functions = {f.name: f for f in module.functions if f.body is not None}
        self._summaries: dict[str, _Summary] = {}
        self._outer = [item for item in module.items if isinstance(item, Variables)]
        self._names = self._interesting()
        self._numbers: dict[str, dict[str, float]] = {}

    def usage(self, entry: Function, arch: int) -> Usage:
        """The numbers of one entry."""
        from .spills import expected_spills

        reached = self._reached(entry)
        named = set[str]().union(*(item.names for item in reached))
        parameters = parameter_bytes(entry.header.parameters or ())
        bank = None if parameters is None else _constant_bank(entry, arch)
        local = any(item.local for item in reached)
        frame = self._frame(entry) if local else 0
        registers = self._registers(entry, arch)
        return Usage(
            registers=registers,
            expected_spills=expected_spills(entry, self._numbers_of(entry), arch, registers),
            frame=Amount(frame, Source.ESTIMATE if local else Source.PTX),
            static_shared=_amount(self._static_shared(named)),
            barriers=_amount(max(item.barriers for item in reached)),
            constant_bank=_amount(bank),
            parameters=_amount(parameters),
        )

    def _registers(self, entry: Function, arch: int) -> Amount:
        """An estimate."""
        from ...resources.register_model import estimated_registers, threads_of
        from .register_features import FEATURES, features_for

        features = features_for(self._numbers_of(entry), threads_of(arch))
        return estimated_registers(arch, features, FEATURES)

    def _numbers_of(self, entry: Function) -> dict[str, float]:
        """What estimates are based on, read once for all architectures."""
        from .register_features import entry_numbers

        if entry.name not in self._numbers:
            found = entry_numbers(self._module.source, self._functions, entry)
            self._numbers[entry.name] = found
        return self._numbers[entry.name]

    # ---- reachability --------------------------------------------------------------------------

    def _interesting(self) -> frozenset[str]:
        """Functions and shared variables: the names whose use matters."""
        shared = {
            declarator.name.text
            for item in self._outer
            if item.space == ".shared"
            for declarator in item.declarators
        }
        return frozenset(shared | self._functions.keys())

    def _reached(self, entry: Function) -> list[_Summary]:
        """The entry and every function it can come to."""
        seen = {entry.name}
        work = [entry]
        reached: list[_Summary] = []
        while work:
            summary = self._summary(work.pop())
            reached.append(summary)
            for name in summary.names & self._functions.keys():
                if name not in seen:
                    seen.add(name)
                    work.append(self._functions[name])
        return reached

    def _summary(self, function: Function) -> _Summary:
        known = self._summaries.get(function.name)
        if known is None:
            known = self._summaries[function.name] = self._summarise(function)
        return known

    def _summarise(self, function: Function) -> _Summary:
        summary = _Summary()
        interesting = self._names
        for statement in function.body or ():
            if statement.__class__ is Instruction:
                if statement.opcode.mnemonic == "call":
                    callee = call_parts(statement.operands)[1]
                    if callee is not None:
                        summary.calls.add(callee.text)
                elif statement.opcode.mnemonic in ("bar", "barrier"):
                    summary.barriers = max(summary.barriers, _barriers(statement))
                for operand in statement.operands:
                    name: object = operand
                    if operand.__class__ is Address:
                        name = operand.base
                    if name.__class__ is Name:
                        if name.text in interesting:
                            summary.names.add(name.text)
                    elif name.__class__ is not Number:
                        summary.names.update(_names_in(operand, interesting))
            elif isinstance(statement, Variables):
                if statement.space == ".local":
                    summary.local += _sizes(statement)
                elif statement.space == ".shared":
                    interesting = interesting | {d.name.text for d in statement.declarators}
            elif isinstance(statement, Targets) and statement.directive == ".calltargets":
                summary.names.update(n.text for n in statement.names if n.text in interesting)
        return summary

    def _frame(self, entry: Function) -> int:
        """The local variables of an entry and of what it calls, however deep, once each."""
        seen = {entry.name}
        work = [entry]
        sizes: list[tuple[int, int]] = []
        while work:
            function = work.pop()
            local = self._summary(function).local
            if local and not are_promoted(function, laid_out(local)):
                sizes += local
            for name in self._summary(function).calls & self._functions.keys():
                if name not in seen:
                    seen.add(name)
                    work.append(self._functions[name])
        return _frame_of(sizes)

    # ---- shared memory -------------------------------------------------------------------------

    def _static_shared(self, named: set[str]) -> int:
        variables, most = self._shared
        found = [one for name in named & variables.keys() for one in variables[name]]
        total = laid_out([(size, alignment) for _, size, alignment in sorted(found)])
        return -(-total // most) * most

    @cached_property
    def _shared(self) -> tuple[dict[str, list[tuple[int, int, int]]], int]:
        """Variables in shared memory: place in the file, size, alignment; that of dynamic ones."""
        variables: dict[str, list[tuple[int, int, int]]] = {}
        place, most = 0, 1
        for item in self._declared():
            for declarator in item.declarators:
                place += 1
                size, alignment = _size(item, declarator)
                if size is None:
                    most = max(most, alignment)
                else:
                    variables.setdefault(declarator.name.text, []).append((place, size, alignment))
        return variables, most

    def _declared(self) -> Iterator[Variables]:
        """In the order in which ptxas lays them out: those of functions, then the module's."""
        for item in self._module.items:
            if isinstance(item, Function):
                for statement in item.body or ():
                    if statement.__class__ is Variables and statement.space == ".shared":
                        yield statement
        yield from (item for item in self._outer if item.space == ".shared")


def _frame_of(sizes: list[tuple[int, int]]) -> int:
    """The frame of variables: what is aligned further than the frame needs room to move in it."""
    most = max((alignment for _, alignment in sizes), default=1)
    unit = max(most, _FRAME_UNIT)
    return -(-laid_out(sizes) // unit) * unit + max(most - _FRAME_ALIGNED, 0)


def local_bytes(function: Function) -> int:
    """The bytes of the `.local` variables of one PTX function itself, rounded up to 8."""
    sizes = [
        size
        for statement in function.body or ()
        if isinstance(statement, Variables) and statement.space == ".local"
        for size in _sizes(statement)
    ]
    return -(-laid_out(sizes) // _FRAME_UNIT) * _FRAME_UNIT


def _constant_bank(entry: Function, arch: int) -> int | None:
    """Constant bank 0: the driver's part and the parameters, aligned as addresses in the bank."""
    base = next((base for first, base in _BANK_BASE if arch >= first), None)
    if base is None:
        return None
    sizes = [*parameter_sizes(entry.header.parameters or ())]
    end = laid_out([(base, 1), *sizes])
    if 70 <= arch < 90 and end - base > _MANY_BYTES:
        end = laid_out([(_BASE_OF_MANY, 1), *sizes])
    return end


def _amount(value: int | None) -> Amount:
    return UNKNOWN if value is None else Amount(value, Source.PTX)


def _names_in(operand: object, interesting: frozenset[str]) -> Iterator[str]:
    """The names inside of an operand, at any depth."""
    work = [operand]
    while work:
        item = work.pop()
        if isinstance(item, Name):
            if item.text in interesting:
                yield item.text
        elif isinstance(item, tuple):
            work.extend(item)


def _barriers(instruction: Instruction) -> int:
    """One more than the barrier that is named; all of them when it is chosen at run time."""
    modifiers = instruction.opcode.modifiers
    if "warp" in modifiers or "cluster" in modifiers:
        return 0
    # bar.red has a destination before the barrier.
    place = 1 if "red" in modifiers else 0
    if place >= len(instruction.operands):
        return 1
    number = evaluate_constant(instruction.operands[place])
    if number is None or not 0 <= number < _ALL_BARRIERS:
        return _ALL_BARRIERS
    return number + 1


def _sizes(statement: Variables) -> Iterator[tuple[int, int]]:
    for declarator in statement.declarators:
        size, alignment = _size(statement, declarator)
        if size is not None:
            yield size, alignment


def _size(statement: Variables, declarator: Declarator) -> tuple[int | None, int]:
    """Bytes (None for a dynamic array) and alignment of one variable."""
    width = _width(statement.type)
    alignment = 0
    for qualifier in statement.qualifiers:
        width *= _VECTOR.get(qualifier[0], 1)
        if qualifier[0] == ".align" and len(qualifier) > 1:
            alignment = make_number(qualifier[1]).alignment
    return array_size(width, declarator.extents), alignment or width


def _width(type_: str) -> int:
    return max(1, (bits(type_of(type_.lstrip("."))) + 7) // 8)


def parameter_bytes(parameters: Iterable[ParameterDeclaration]) -> int | None:
    """The bytes of the parameters of a PTX entry; None when a size is no constant."""
    sizes = list(parameter_sizes(parameters))
    return None if any(size < 0 for size, _ in sizes) else laid_out(sizes)


def parameter_sizes(parameters: Iterable[ParameterDeclaration]) -> Iterator[tuple[int, int]]:
    """Size (negative when it is no constant) and alignment of each parameter that PTX declares."""
    for parameter in parameters:
        width = _width(parameter.type) * _VECTOR.get(parameter.vector, 1)
        size = array_size(width, parameter.extents)
        given = parameter.alignment.alignment if parameter.alignment else 0
        yield -1 if size is None else size, given or width
