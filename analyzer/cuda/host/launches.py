"""Launches in host code and in kernels: which kernel, with which grid, block and shared memory.

In: the functions of a file that may launch. Out: for each `kernel<<<...>>>` (and
`cudaLaunchKernel`, its cooperative form, `cudaLaunchKernelEx`) a `Seen` for each kernel that it may
be of and each distinct configuration: the IR's Launch, and the kernel's template parameters bound.
What is not a constant where control comes by (`walk.py`) is None, never a guess.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial, reduce
from math import lcm
from typing import TYPE_CHECKING, Any

from ...ir.host_formulas import LaunchFormulas
from ...ir.kernel import Launch
from ...source.numbers import whole
from ...source.records import dataclass
from ..lowering.model.scope import KnownParts, Scope
from ..lowering.program.callees import callee_name
from ..lowering.resolution.templates import bind_open
from ..syntax import nodes
from ..syntax.nodes.c_ast import c_ast
from .checks import LaunchChecks
from .memory_walk import MemoryWalk, better_known
from .objects import HostObjects, leaves
from .overloads import Overloads
from .state import CONFIGURED
from .values.configurations import is_configuration, may_be_cooperative, shape
from .values.divisors import divisor_of
from .values.formulas import Sizes, canonical
from .values.instances import bind_template, explicit_arguments
from .values.kernels import (
    argument_words,
    bare,
    kernel_name,
    kernels_named,
    qualifiers,
    text_of,
)
from .values.values import (
    AXES,
    UNKNOWN_DIMENSIONS,
    HostValues,
    expanded,
    held_by_axes,
    names_in,
    not_known,
    quotients,
    unknown_of,
)
from .walk import HostWalk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from ...ir.host import HostEvent, HostPointer
    from ...ir.host_formulas import Formula, Shape
    from ...ir.kernel import PartialDimensions
    from ...ir.values import Entry, Value
    from ..lowering.model.ctypes import CType
    from ..lowering.model.scope import Quotient
    from ..lowering.program.program import Program
    from ..lowering.state.context import Context
    from ..lowering.types.type_reader import TypeReader
    from .overloads import Names

ARGUMENTS_LIMIT = 4  # distinct arguments of one launch of one shape that are told apart
UNNAMED = ""  # the kernel of a launch through a pointer that may hold any


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch met in host code, with what its kernel's template parameters are bound to."""

    launch: Launch
    bound: Scope
    within: tuple[str, ...] = ()  # what stands before the kernel's name, `gauss::wide::`
    around: tuple[str, ...] = ()  # the namespaces of the function that launches it
    types: tuple[CType, ...] = ()  # of the arguments
    written: int = 0  # template arguments that stand there

    @property
    def names(self) -> Names:
        """What decides which function it names: several may have that name."""
        launch = self.launch
        return launch.kernel, self.within, self.around, self.written, launch.passed


@dataclass(frozen=True, slots=True)
class HostReading:
    """What host code launches, by name and through pointers, and what else it does on its way."""

    launches: list[Seen]
    unnamed: list[Seen]  # launches through pointers that may hold any kernel
    events: tuple[HostEvent, ...]
    overloads: Overloads  # what launches may mean
    #: What it rests on of the bodies of functions: the names that they use (`CallEffects.used`).
    uses: Mapping[nodes.Function, AbstractSet[str] | None]


def read_host(
    functions: Iterable[nodes.Function],
    program: Program,
    reader: TypeReader,
    text: str,
    *,
    all_seen: bool = True,
    events: bool = True,
) -> HostReading:
    """Every launch in these host functions, in every instance of them that the file shows;
    `all_seen` says that all headers were found, `events` that what else the host does is asked for.
    """
    hosts = [function for function in functions if function.body is not None]
    found: dict[int, dict[Launch, Seen]] = {}
    values = HostValues(program, reader)
    overloads = Overloads(program.functions, reader)
    launches = _Launches(program, reader, values, overloads)

    def record(node: Any, scope: Scope) -> None:
        for seen in launches.read(node, scope, hosting):
            known = found.setdefault(id(node), {})
            first = known.setdefault(seen.launch, seen)
            if first.launch.formulas != seen.launch.formulas:  # now of one call, now of another
                known[seen.launch] = replace(first, launch=replace(first.launch, formulas=None))
            if first.launch.sizes != seen.launch.sizes:
                there = known[seen.launch].launch
                agreed = replace(there, sizes=_agreed(there.sizes, seen.launch.sizes))
                known[seen.launch] = replace(known[seen.launch], launch=agreed)
            if first.launch.template_formulas != seen.launch.template_formulas:
                untied = replace(known[seen.launch].launch, template_formulas=())
                known[seen.launch] = replace(known[seen.launch], launch=untied)
            if not seen.launch.conditional and known[seen.launch].launch.conditional:
                always = replace(known[seen.launch].launch, conditional=False)
                known[seen.launch] = replace(known[seen.launch], launch=always)

    hosting = HostWalk(program, reader, values, record)
    if events:
        hosting.checked = LaunchChecks(hosts, program, all_seen=all_seen).checked()
    hosting.run(hosts, text)
    noted: tuple[HostEvent, ...] = ()
    if events:
        hosting.run_others()
        following = MemoryWalk(program, reader, values)
        following.reads_again(hosting)
        following.run_all(hosts)
        noted = better_known(hosting.events, following.events)
    alive: list[Seen] = []
    ruled_out: list[Seen] = []
    for node in hosting.launches:
        joined = _joined(list(found.get(id(node), {}).values()))
        (ruled_out if node in hosting.ruled_out else alive).extend(joined)
    others = {each.launch.kernel for each in alive}
    seen = alive + [each for each in ruled_out if each.launch.kernel not in others]
    named = [launch for launch in seen if launch.launch.kernel != UNNAMED]
    unnamed = [launch for launch in seen if launch.launch.kernel == UNNAMED]
    return HostReading(named, unnamed, noted, overloads, hosting.uses)


def _agreed(first: Sizes, second: Sizes) -> Sizes:
    """The sizes that are the same number in both: of two buffers that change places, neither."""
    return tuple(
        one if isinstance(one, int) and one == other else None
        for one, other in zip(first, second, strict=False)
    )


def _joined(launches: list[Seen]) -> Iterator[Seen]:
    """The launches at one place; those that differ in too many ways in their arguments as one."""
    alike: dict[Launch, list[Seen]] = {}
    for seen in launches:
        alike.setdefault(replace(seen.launch, arguments=()), []).append(seen)
    for group in alike.values():
        if len(group) <= ARGUMENTS_LIMIT:
            yield from group
            continue
        columns = zip(*(seen.launch.arguments for seen in group), strict=True)
        common = tuple(column[0] if len(set(column)) == 1 else None for column in columns)
        sizes = reduce(_agreed, (seen.launch.sizes for seen in group))
        conditional = all(seen.launch.conditional for seen in group)
        joined = replace(
            group[0].launch,
            arguments=common,
            formulas=None,
            sizes=sizes,
            template_formulas=(),
            conditional=conditional,
        )
        yield replace(group[0], launch=joined)


@dataclass(frozen=True, slots=True)
class _Written:
    """A launch as it is written, its shape as far as it is known."""

    kernel: Any
    given: list[Any]
    grid: PartialDimensions
    block: PartialDimensions
    shared: int | None
    texts: tuple[str, str, str]  # of grid, block and shared memory
    cooperative: bool = False
    shaping: frozenset[str] = frozenset()  # the variables that the block's shape is made of
    axes: Mapping[int | str, Value] = field(default_factory=dict)  # those that it is, by axis
    quotients: tuple[Quotient, ...] = ()  # the grid, where it is rounded down
    #: The expressions of grid and block; None: a variable that has attributes as well holds them.
    configuration: tuple[Any, Any] | None = None
    from_sizes: tuple[bool, bool] = (False, False)  # as `Launch` has it


def _counted(shape: PartialDimensions) -> PartialDimensions:
    """Sizes that nothing has are not known: `<<<-1, 256>>>` fails."""
    x, y, z = (None if each is not None and each < 0 else each for each in shape)
    return x, y, z


class _Launches:
    """Reads launches where control comes by them."""

    def __init__(
        self, program: Program, reader: TypeReader, values: HostValues, overloads: Overloads
    ) -> None:
        self._program = program
        self._reader = reader
        self._values = values
        self._overloads = overloads
        self._objects = HostObjects(program, reader, values)

    def read(self, node: Any, scope: Scope, hosting: HostWalk) -> Iterator[Seen]:
        """A launch as the scope around it has it, once for each kernel that it may be of."""
        written = self._written(node, scope, hosting)
        if written is None:
            return
        types = tuple(self._values.type_of(each, scope) for each in written.given)
        scope, given, members = self._with_members(written.given, types, scope)
        pointers = [self._values.pointers.of(item, scope) for item in given]
        formulas, sizes, tied = self._formulas(written, given, pointers, scope)
        integers = tuple(self._integer(item, scope) for item in given)
        multiples = tuple(map(partial(self._checked, scope), given, integers))
        divisors = tuple(map(partial(self._divisor, written, scope), given, multiples))
        axes = tuple(map(partial(self._axis, written, scope), given, integers))
        for name, bound, arguments in self._kernels(written, types, scope, hosting):
            launch = Launch(
                name,
                _counted(written.grid),
                _counted(written.block),
                written.shared,
                node.coord,
                *written.texts,
                arguments,
                integers,
                written.cooperative,
                divisors,
                tuple(getattr(bare(item), "name", "") in written.shaping for item in given),
                axes,
                multiples=multiples,
                formulas=formulas,
                sizes=sizes,
                allocated=tuple(each is not None for each in pointers),
                template_formulas=tied,
                members=members,
                conditional=hosting.is_conditional,
                clusters=written.configuration is None,
                from_sizes=written.from_sizes,
            )
            within, explicit = qualifiers(written.kernel), explicit_arguments(bare(written.kernel))
            yield Seen(launch, bound, within, hosting.namespace, types, len(explicit))

    def _written(self, node: Any, scope: Scope, hosting: HostWalk) -> _Written | None:
        """What stands at a launch; None when something is missing."""
        if isinstance(node, nodes.Launch):
            return self._shaped(node.kernel, list(node.configuration), list(node.arguments), scope)
        call = list(node.args.exprs) if node.args is not None else []
        function = callee_name(node.name)
        if function in CONFIGURED:
            return self._configured(call, scope) if len(call) > 1 else None
        if len(call) < 4:
            return None
        configuration = [*call[1:3], *call[4:6]]
        cooperative = function == "cudaLaunchCooperativeKernel"
        given = [bare(item) for item in hosting.table(getattr(call[3], "name", "") or "")]
        return self._shaped(call[0], configuration, given, scope, cooperative=cooperative)

    def _shaped(
        self,
        kernel: Any,
        configuration: list[Any],
        given: list[Any],
        scope: Scope,
        *,
        cooperative: bool = False,
    ) -> _Written | None:
        if len(configuration) < 2:
            return None
        numbers = [self._values.number(item, scope) for item in configuration[2:3]] or [0]
        texts = [text_of(item) for item in configuration] + [""] * 3
        return _Written(
            kernel,
            expanded(given, scope),
            self._values.triple(configuration[0], scope),
            self._values.triple(configuration[1], scope),
            whole(numbers[0]),
            (texts[0], texts[1], texts[2]),
            cooperative,
            names_in(configuration[1], scope),
            held_by_axes(configuration[1], scope),
            quotients(configuration[0], scope, self._values),
            (configuration[0], configuration[1]),
            (
                self._values.is_made_of_sizes(configuration[0], scope),
                self._values.is_made_of_sizes(configuration[1], scope),
            ),
        )

    def _configured(self, call: list[Any], scope: Scope) -> _Written:
        """`cudaLaunchKernelEx(&config, kernel, arguments...)`."""
        variable = bare(call[0])
        name = getattr(variable, "name", None)
        known = scope.find(name) if isinstance(name, str) else None
        if isinstance(known, KnownParts) and is_configuration(known.type):
            grid, block, shared = shape(known)
            cooperative = may_be_cooperative(known)
        else:
            grid, block, shared = UNKNOWN_DIMENSIONS, UNKNOWN_DIMENSIONS, None
            cooperative = True
        text = text_of(variable)
        texts = (f"{text}.gridDim", f"{text}.blockDim", f"{text}.dynamicSmemBytes")
        return _Written(call[1], expanded(call[2:], scope), grid, block, shared, texts, cooperative)

    def _kernels(
        self, written: _Written, types: tuple[CType, ...], scope: Scope, hosting: HostWalk
    ) -> Iterator[tuple[str, Scope, tuple[str, ...]]]:
        """The kernels that a launch may be of: name, bound parameters, their arguments in words."""
        name = kernel_name(written.kernel)
        if name and scope.find(name) is None:
            yield name, *self._instance(name, written, types, scope, hosting)
            return
        choice = kernels_named(written.kernel, scope, self._program, self._reader)
        if choice is None:
            yield UNNAMED, Scope(), ()
            return
        for item in choice.kernels:
            yield item.name, item.bound, item.arguments

    def _instance(
        self,
        name: str,
        written: _Written,
        types: tuple[CType, ...],
        scope: Scope,
        hosting: HostWalk,
    ) -> tuple[Scope, tuple[str, ...]]:
        """The kernel's template parameters, bound, and their arguments in words."""
        kernel, bound = bare(written.kernel), Scope()
        explicit = explicit_arguments(kernel)
        within, around = qualifiers(kernel), hosting.namespace
        alike = self._overloads.meant((name, within, around, len(explicit), len(types)), types)
        templates = [each for each in alike if each.template is not None]
        if not templates:
            return bound, tuple(map(text_of, explicit))
        bind_template(templates[0], explicit, types, (bound, scope), self._reader)
        return bound, argument_words(bound, templates[0].template, explicit)

    def _with_members(
        self, given: list[Any], types: tuple[CType, ...], scope: Scope
    ) -> tuple[Scope, list[Any], tuple[Entry, ...]]:
        """The arguments, behind them the numbers and pointers in objects among them, by names of
        their own in a scope of their own.
        """
        inner, every, members = Scope(scope), [*given], []
        for at, (node, type) in enumerate(zip(given, types, strict=True)):
            own = dict(leaves(type))
            known = self._objects.parts(node, type, scope) if own else {}
            for path, held in own.items():
                name = f"{at}.{path}"
                inner.names[name] = known.get(path) or not_known(name, held)
                every.append(c_ast.ID(name, node.coord))
                members.append((at, tuple(path.split("."))))
        return inner, every, tuple(members)

    def _formulas(
        self, written: _Written, given: list[Any], pointers: list[HostPointer | None], scope: Scope
    ) -> tuple[LaunchFormulas | None, Sizes, Sizes]:
        """What grid, block and arguments are made of, where the launch names its configuration, the
        bytes behind arguments that are pointers, and what template arguments are made of.
        """
        from_start = (None if each is None or each.inside else each for each in pointers)
        sizes = tuple(None if each is None else each.allocation.size for each in from_start)
        grid: Shape = UNKNOWN_DIMENSIONS
        block: Shape = UNKNOWN_DIMENSIONS
        arguments: tuple[Formula | None, ...] = ()
        if written.configuration is not None:
            grid, block = (self._values.shape_formulas(n, scope) for n in written.configuration)
            arguments = tuple(self._values.formulas.of(item, scope) for item in given)
        limits = self._values.formulas.limits(scope)
        explicit = explicit_arguments(bare(written.kernel))
        tied = tuple(self._values.formulas.of(each, scope) for each in explicit)
        found, others = canonical(LaunchFormulas(grid, block, arguments), (*sizes, *tied), limits)
        return found, others[: len(sizes)], others[len(sizes) :]

    def _integer(self, node: Any, scope: Scope) -> int | None:
        """A kernel argument that is an integer constant."""
        value = self._values.number(node, scope)
        return value if isinstance(value, int) else None

    def _checked(self, scope: Scope, node: Any, number: int | None) -> int:
        """What the host checks, or makes sure, that a kernel argument is a multiple of."""
        if number is not None:
            return 1
        return divisor_of(node, scope, lambda each: self._integer(each, scope))

    def _divisor(self, written: _Written, scope: Scope, node: Any, multiple: int) -> int:
        """What is known to divide a kernel argument, or may as well: of `n / 256` blocks of 256
        threads none comes to what is left over.
        """
        variable = bare(node)
        found = scope.find(variable.name) if isinstance(variable, c_ast.ID) else None
        return lcm(multiple, *(each.divisor for each in written.quotients if each.held is found))

    def _axis(self, written: _Written, scope: Scope, node: Any, number: int | None) -> int | None:
        """The axis of the block that a kernel argument is the size of, whatever that is: the same
        variable, or the same number.
        """
        held = unknown_of(node, scope)
        for index, axis in enumerate(AXES):
            same = number is not None and number > 1 and number == written.block[index]
            if same or (held is not None and written.axes.get(axis) is held):
                return index
        return None


def instantiate(context: Context, function: nodes.Function, seen: Seen | None, scope: Scope) -> str:
    """Bind a kernel's template parameters as a launch does; the instance's name, "" if none."""
    template = function.template
    if template is None:
        return ""
    if seen is None:
        context.reader.bind_arguments(template, [], scope, Scope())
    else:
        scope.names.update(seen.bound.names)
        scope.types.update(seen.bound.types)
    bind_open(context, template.parameters, scope)
    if seen is None or not seen.launch.template_arguments:
        return ""
    return f"{function.decl.name}<{', '.join(seen.launch.template_arguments)}>"
