"""CUDA C++ → kernels: parse, then lower every `__global__` function.

In: a source text and options. Out: an IR module, its device functions described too. A template
kernel is lowered once for each distinct instance launched in the file (up to a limit), otherwise
once with its parameters open.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field, replace
from functools import cache, cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING

from ..ir.fitted_launches import fitted
from ..ir.host import HostAccess, HostCall
from ..ir.kernel import HostStep, Module
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from ..source.tokens import words_of
from . import instance_choice
from .functions import describe_function
from .host.distant_launches import exports_of, incoming, is_judged
from .host.launches import HostReading, Seen, read_host
from .host.overloads import ALIKE_LIMIT
from .host.unnamed_launches import passed_through_pointers
from .host.values.instances import TextualUses, code_of
from .host.values.kernels import is_of_device
from .idle_launches import UnlaunchedKernels, without_idle
from .inlining_shares import InliningShares
from .lowering.model.ctypes import Form
from .lowering.program.program import DEVICE, GLOBAL, Program
from .lowering.state.dispatches import OPERATION_LIMIT as MOST_INLINED
from .lowering.types.type_reader import TypeReader
from .names.launch_marks import shows_launch
from .names.runtime import is_plain_header
from .syntax.coverage import measure
from .units.parse import ParseOptions, default_qualifier_macros, parse_cuda, preprocessed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ..ir.host import HostEvent
    from ..ir.kernel import FunctionInfo, Kernel, Launch
    from ..ir.kernel_identity import DistantLaunch, Exports
    from ..source.preprocessor import Preprocessed
    from ..source.text import SourceText, Span
    from .keeping import Keeping
    from .syntax import nodes
    from .syntax.coverage import Coverage
    from .syntax.later_body import KeptBodies
    from .units.parse import TranslationUnit

OPERATION_LIMIT = 4_000  # operations of a kernel's instances after which no other is begun,
OPEN_LIMIT = 1_000  # and where the file does not settle all template arguments
UNCALLED_LIMIT = 16  # device functions that nothing calls which are looked at
FEWER = 4_000  # operations with which no more calls are inlined into what is no kernel of the file
_NOT_INLINED = frozenset(("__noinline__", "noinline"))


@dataclass(frozen=True, slots=True)
class CudaOptions:
    """What the preprocessor is told; `qualifier_macros` come on top of those of known projects."""

    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: frozenset[str] = frozenset()
    include_paths: tuple[Path, ...] = ()
    arch: int = 90
    most_inlined: int | None = None  # operations of a kernel, where somebody asks for more
    qualifier_macros: Mapping[str, str] = field(default_factory=dict)


def read_cuda(
    source: SourceText,
    options: CudaOptions | None = None,
    elsewhere: Sequence[DistantLaunch] = (),
    keeping: Keeping | None = None,
    held: ReadUnit | None = None,
) -> Module:
    """The module of one file; nothing a file contains makes this raise. `elsewhere` are launches
    in other files that may be of its kernels. What is `held` of it is not read again.
    """
    options = options or CudaOptions()
    bodies = None if keeping is None else keeping.bodies
    unit = parse_cuda(source, _parse_options(options), bodies) if held is None else held.unit
    if keeping is not None:
        keeping.begin(unit, options, elsewhere)
    module = Module(
        source,
        "cuda",
        problems=list(unit.problems),
        unseen=unit.unseen,
        dropped=tuple(span for span in unit.dropped if span.source is source),
        kept_apart=tuple(filter(None, map(_kept_apart, unit.functions))),
        for_hip=unit.for_hip,
    )
    program = _program(unit) if held is None else held.program
    program.bodies = bodies
    reader = TypeReader(program) if held is None else held.reader
    read = partial(_host, unit, program, reader) if held is None else held.its_host
    host = read() if keeping is None else keeping.host(program, reader, read)
    module.host = tuple(event for event in host.events if _is_told_by(event, source))
    module.launches = [item.launch for item in host.launches]
    lowering = _Lowering(module, program, reader, options.arch, host, elsewhere)
    lowering.keeping = keeping
    lowering.undecided_floats = unit.undecided_floats
    most_inlined = options.most_inlined or MOST_INLINED
    lowering.share_out_instances(filter(_is_kernel, unit.functions), most_inlined)
    descriptions: list[Callable[[], FunctionInfo]] = []  # headers hold thousands that few ask for
    for function in unit.functions:
        if function.body is None:
            continue
        covered = partial(_coverage, function, unit.opaque.get(function, ()), bodies)
        if _is_kernel(function):
            descriptions.append(lowering.kernel(function, covered()))
        elif DEVICE in function.decl.funcspec:
            descriptions.append(partial(_device_function, function, covered))
    module.describe = cache(lambda: [describe() for describe in descriptions])
    module.uncalled = partial(lowering.uncalled, unit.functions)
    return module


def _is_kernel(function: nodes.Function) -> bool:
    return function.body is not None and GLOBAL in function.decl.funcspec


def _is_told_by(event: HostEvent, source: SourceText) -> bool:
    """Whether an event is this file's: it stands there, or a call there leads to it in a header."""
    spans = [event.span]
    if isinstance(event, HostAccess):
        spans.append(event.through or event.span)
    elif isinstance(event, HostCall):
        spans += [each.passed_at for each in event.arguments if each.passed_at is not None]
    return any(span.source is source for span in spans)


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A CUDA file as it was parsed, and what its host code does: no kernel of it is lowered."""

    unit: TranslationUnit
    program: Program
    reader: TypeReader
    host: HostReading

    def its_host(self) -> HostReading:
        """What its host code does."""
        return self.host

    @property
    def exports(self) -> Exports:
        """What the file says to others."""
        return exports_of(self.host, self.unit.declarations, self.program, self.reader)


def read_unit(source: SourceText, options: CudaOptions, *, events: bool) -> ReadUnit:
    """A CUDA file without its kernels; `events` says that what else the host does is asked for."""
    unit = parse_cuda(source, _parse_options(options))
    program = _program(unit)
    reader = TypeReader(program)
    return ReadUnit(unit, program, reader, _host(unit, program, reader, events=events))


def _program(unit: TranslationUnit) -> Program:
    program = Program(unit.functions, unit.declarations, unit.by_value, unit.unread, unit.scopes)
    program.reaches_pageable = HostStep.ASKS_FOR_PAGEABLE in unit.steps
    return program


def preprocess_cuda(source: SourceText, options: CudaOptions) -> Preprocessed:
    """The tokens of a CUDA file and of the headers that it reads; nothing is parsed."""
    return preprocessed(source, _parse_options(options))


def _parse_options(options: CudaOptions) -> ParseOptions:
    return ParseOptions(
        defines=options.defines,
        undefines=options.undefines,
        include_paths=options.include_paths,
        arch=options.arch,
        qualifier_macros={**default_qualifier_macros(), **options.qualifier_macros},
    )


def _host(
    unit: TranslationUnit, program: Program, reader: TypeReader, *, events: bool = True
) -> HostReading:
    """What the host does, the launches with the steps of the file."""
    launching = [function for function in unit.functions if _may_launch(function)]
    all_seen = all(map(is_plain_header, unit.missing))
    text = unit.source.text
    host = read_host(launching, program, reader, text, all_seen=all_seen, events=events)
    made = without_idle(host.launches, launching, program, unit.source)
    launches = [replace(each, launch=replace(each.launch, steps=unit.steps)) for each in made]
    return replace(host, launches=launches)


def _may_launch(function: nodes.Function) -> bool:
    """Whether launches are looked for in a function: in device code where it shows some."""
    if not is_of_device(function):
        return True
    return function.coord is not None and shows_launch(function.coord.text)


def _kept_apart(function: nodes.Function) -> Span | None:
    """A definition that the compiler must not inline."""
    kept = not _NOT_INLINED.isdisjoint((*function.decl.funcspec, *function.suffixes))
    return function.coord if kept and function.body is not None else None


def _coverage(
    function: nodes.Function, lost: Iterable[nodes.Opaque], bodies: KeptBodies | None
) -> Coverage:
    """How much of a function was read."""
    measured = partial(measure, function, lost)
    return measured() if bodies is None else bodies.coverage(function, measured)


def _device_function(function: nodes.Function, covered: Callable[[], Coverage]) -> FunctionInfo:
    return describe_function(function, covered())


#: The launches of a kernel, and by template arguments those of its instances.
_Instances = tuple[list["Seen"], dict[tuple[str, ...], list["Seen"]]]


class _Lowering:
    """The kernels of one module, one after the other."""

    def __init__(
        self,
        module: Module,
        program: Program,
        reader: TypeReader,
        arch: int,
        host: HostReading,
        elsewhere: Sequence[DistantLaunch],
    ) -> None:
        self._module = module
        self._program = program
        self._reader = reader
        self._arch = arch
        self._elsewhere = elsewhere
        self.keeping: Keeping | None = None
        self.undecided_floats: frozenset[str] = frozenset()
        # By the id of a function that they name, and by a name that no function in sight has.
        self._seen: dict[int | str, list[tuple[int, Seen]]] = {}
        self._unnamed = host.unnamed
        self._unlaunched = UnlaunchedKernels(module)
        self._instances: dict[int, _Instances] = {}  # by the id of a kernel
        self._groups: dict[int, list[list[Seen]]] = {}  # likewise, the instances to look at
        self._shares = InliningShares(0, MOST_INLINED)
        self._share_out(host)

    def _share_out(self, host: HostReading) -> None:
        """Give each launch, with its place in the file, to the functions that it may name."""
        for item in enumerate(host.launches):
            names = item[1].names
            alike = host.overloads.meant(names, item[1].types)
            named: list[int | str] = [*map(id, alike)] or [names[0]]
            if len(named) > ALIKE_LIMIT:
                self._note_unclear(item[1].launch, len(named))
                continue
            for each in named:
                self._seen.setdefault(each, []).append(item)

    def _note_unclear(self, launch: Launch, kernels: int) -> None:
        """A launch that says nothing of any kernel; said once for each name."""
        message = f"launches of {launch.kernel} may mean {kernels} kernels: they are left out"
        if all(problem.message != message for problem in self._module.problems):
            advice = "name the namespace of the kernel at its launches"
            path = self._module.source.path
            self._module.problems.append(
                Problem(path, message, advice, Damage.NOTICE, launch.span, launch.kernel)
            )

    def _launches_of(self, function: nodes.Function) -> list[Seen]:
        """The launches that may be of this kernel, in the order of the file."""
        found = [*self._seen.get(id(function), ()), *self._seen.get(function.decl.name, ())]
        return [seen for _, seen in sorted(found, key=itemgetter(0))]

    def share_out_instances(self, kernels: Iterable[nodes.Function], most_inlined: int) -> None:
        """Which instances of each template are looked at, and how far calls are inlined there."""
        for function in kernels:
            self._instances[id(function)] = self._instances_of(function)
        most = instance_choice.most_of_each(found for _, found in self._instances.values())
        for key, (own, instances) in self._instances.items():
            self._groups[key] = instance_choice.chosen(instances, most) or [own]
        self._shares = InliningShares(sum(map(len, self._groups.values())), most_inlined)

    def _instances_of(self, function: nodes.Function) -> _Instances:
        """The launches of a kernel, and those of each instance of a template."""
        from .host.kernel_specializations import (
            explicit_instances,
            launches_for,
            named_instances,
        )

        own = self._launches_of(function)
        own += incoming(function, self._elsewhere, self._reader)
        own = launches_for(function, own, self._program, self._reader)
        instances: dict[tuple[str, ...], list[Seen]] = {}
        if function.template is not None:
            found = own or [*explicit_instances(function, self._program, self._reader)]
            named = () if found else named_instances(function, self._uses, self._reader)
            for item in found or (each for each in named if _is_settled(each, function)):
                instances.setdefault(item.launch.template_arguments, []).append(item)
        return own, instances

    @cached_property
    def _uses(self) -> TextualUses:
        """The instances of templates that the text of the file names."""
        return TextualUses(code_of(self._module.source.text))

    def kernel(self, function: nodes.Function, coverage: Coverage) -> Callable[[], FunctionInfo]:
        """Add the instances of one `__global__` function to the module; what it is as written."""
        from .kernel import Target, lower_kernel  # headers without kernels do without it

        own, instances = self._instances[id(function)]
        is_open = _has_numbers(function) and not is_judged(function, self._elsewhere, self._reader)
        kernels: list[Kernel] = []
        groups = self._groups[id(function)]
        for group in groups:
            limit = OPERATION_LIMIT if not group or _is_settled(group[0], function) else OPEN_LIMIT
            if sum(kernel.size for kernel in kernels) > limit:
                break
            first = group[0] if function.template is not None and group else None
            most = self._shares.part()
            target = Target(self._arch, most)
            make = partial(lower_kernel, function, self._program, self._reader, target, first)
            try:
                kernel = self._kept_or_made(function, (len(kernels), most), make, first)
            except RecursionError:
                self._module.problems.append(self._too_deep(function))
                break
            self._shares.spend(kernel.made)
            kernel.statements, kernel.status = coverage.statements, coverage.status
            kernel.undecided_floats = self._speaks_of_undecided_floats(kernel)
            through_pointers = () if own else passed_through_pointers(function, self._unnamed)
            made_by = [item.launch for item in group] if own else [*through_pointers]
            kernel.launches = [fitted(each, kernel) for each in made_by]
            kernel.unlaunched = not made_by and self._unlaunched.has(function)
            if is_open and not (first and _has_its_numbers(first, function)):
                kernel.specimens = partial(self._specimens, function, kernel, first, made_by)
            kernels.append(kernel)
        self._shares.drop(len(groups) - len(kernels))
        if kernels:
            kernels[-1].other_instances = max(len(instances) - len(kernels), 0)
        self._module.kernels += kernels
        launches = [item.launch for item in own]
        return partial(describe_function, function, coverage, kernels, launches)

    def _kept_or_made(
        self,
        function: nodes.Function,
        at: tuple[int, int],
        make: Callable[[], Kernel],
        first: Seen | None,
    ) -> Kernel:
        keeping = self.keeping
        return make() if keeping is None else keeping.kernel(function, at, make, first)

    def _speaks_of_undecided_floats(self, kernel: Kernel) -> bool:
        """Whether its text, or an argument of the template that it is of, names one of them."""
        if not self.undecided_floats:
            return False
        text = f"{kernel.span.text} {kernel.body_span.text} {kernel.instance}"
        return not self.undecided_floats.isdisjoint(words_of(text))

    def _specimens(
        self,
        function: nodes.Function,
        kernel: Kernel,
        seen: Seen | None,
        launches: Sequence[Launch] = (),
    ) -> Iterator[Kernel]:
        """Instances with made-up numbers, in the place of an instance that has open ones."""
        from .kernel import Target, lower_kernel
        from .specimens import choices

        target = Target(self._arch, FEWER)
        bound = None if seen is None else seen.bound
        for choice in choices(function, bound, self._reader, launches):
            try:
                made = lower_kernel(
                    function, self._program, self._reader, target, choice.of(seen, function)
                )
            except RecursionError:
                return
            made.instance, made.chosen = kernel.label, choice.chosen
            made.statements, made.status = kernel.statements, kernel.status
            made.launches = [fitted(each, made) for each in choice.launches]
            made.uncalled, made.unlaunched = kernel.uncalled, kernel.unlaunched
            yield made

    def uncalled(self, functions: Sequence[nodes.Function]) -> list[Kernel]:
        """The device functions of the file that nothing calls, as far as all threads wait there."""
        from .kernel import Target, lower_kernel
        from .uncalled import uncalled

        found: list[Kernel] = []
        target = Target(self._arch, FEWER)
        bodies = None if self.keeping is None else self.keeping.bodies
        for function in uncalled(functions, self._program, self._module.source, bodies):
            make = partial(lower_kernel, function, self._program, self._reader, target, None)
            with suppress(RecursionError):
                kernel = self._kept_or_made(function, (0, FEWER), make, None)
                if kernel.waits:
                    kernel.uncalled = True
                    kernel.undecided_floats = self._speaks_of_undecided_floats(kernel)
                    if _has_numbers(function):
                        kernel.specimens = partial(self._specimens, function, kernel, None)
                    found.append(kernel)
            if len(found) == UNCALLED_LIMIT:
                break
        return found

    def _too_deep(self, function: nodes.Function) -> Problem:
        return Problem(
            self._module.source.path,
            f"kernel {function.decl.name} is nested too deeply to be analysed",
            "split the expression or the statement",
            Damage.PARTIAL,
            function.header,
            function.decl.name,
        )


def _has_numbers(function: nodes.Function) -> bool:
    """Whether it is a template with numbers among its parameters."""
    head = function.template.parameters if function.template is not None else ()
    return any(parameter.kind == "value" for parameter in head)


def _has_its_numbers(seen: Seen, function: nodes.Function) -> bool:
    """Whether a launch says all numbers of a template: there is nothing to make up then."""
    head = function.template.parameters if function.template is not None else ()
    return all(each.name in seen.bound.names for each in head if each.kind == "value")


def _is_settled(seen: Seen, function: nodes.Function) -> bool:
    """Whether a launch says all template arguments."""
    types = {name for name, type in seen.bound.types.items() if type.form is not Form.UNKNOWN}
    bound = seen.bound.names.keys() | types
    head = function.template.parameters if function.template is not None else ()
    return all(parameter.name in bound for parameter in head if not parameter.pack)
