"""One input file to one module of kernels, whatever the file holds.

In: an `InputFile` and the settings. Out: a `Reading`: the module, or none, and every problem on
the way there. The front ends are imported when the first file of their language is read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ..analyses.launch.kernel_size import most_inlined
from ..findings.rule import Input
from ..ir.kernel_identity import Exports
from ..source.collection import give_back
from ..source.file_probes import recorded
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from .guard import Stage, attempt
from .inputs import is_python

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..config.settings import Settings
    from ..cuda.held_units import HeldUnit, HeldUnits
    from ..cuda.keeping import Keeping
    from ..cuda.read import CudaOptions
    from ..ir.kernel import Kernel, Module
    from ..ir.kernel_identity import DistantLaunch
    from ..source.file_probes import Probe
    from ..source.text import SourceText, Span
    from .inputs import InputFile

    _Text = tuple[SourceText, list[Problem]]  # and what was noted about it

Answer = TypeVar("Answer")

_LOST_ADVICE = {
    Input.CUDA: "if a macro causes this, pass its header's folder with -I or define it with -D",
    Input.PTX: "check the file with ptxas",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One input of a run as far as it could be read."""

    file: InputFile
    module: Module | None
    problems: tuple[Problem, ...]
    source: SourceText | None = None

    @property
    def status(self) -> str:
        """`full`, `partial` or `none`, as for kernels."""
        if self.module is None:
            return "none"
        kernels = {kernel.status for kernel in self.module.kernels}
        damaged = any(problem.damage is not Damage.NOTICE for problem in self.problems)
        if damaged and kernels <= {"none"}:
            return "none"
        return "full" if kernels <= {"full"} and not damaged else "partial"


def read_input(
    file: InputFile,
    settings: Settings,
    elsewhere: Sequence[DistantLaunch] = (),
    keeping: Keeping | None = None,
    units: HeldUnits | None = None,
) -> Reading:
    """The module of one file; never raises. `elsewhere` are launches of its kernels by others."""
    settings = settings.at(file.path)
    held = None if units is None else units.take(file.path)
    text: tuple[SourceText | None, list[Problem]] | Problem
    text = attempt(lambda: _read_text(file), _reading(file)) if held is None else held.text
    if isinstance(text, Problem):
        return Reading(file, None, (text,))
    source, problems = text[0], [*text[1]]
    if source is None:
        return Reading(file, None, tuple(problems))
    if not source.text and (file.language is Input.PTX or file.data is not None):
        # What a compiler wrote, or what came through a pipe, was lost on the way.
        return Reading(file, None, tuple(map(_grave, problems)))
    stage = Stage(f"the {file.language.value} front end", file.path, Damage.FATAL)
    if held is None:
        read = partial(_read_module, source, file.language, settings, elsewhere, keeping)
    else:
        read = partial(_read_held, held, settings, elsewhere)
    module = attempt(read, stage)
    if isinstance(module, Problem):
        return Reading(file, None, (*problems, module), source)
    if settings.launches:
        from .kernels.stated_launches import state_launches

        state_launches(module, settings.launches)
    problems += [_weighed(problem, module.kernels) for problem in module.problems]
    problems += [_lost(kernel, file.path) for kernel in module.kernels if kernel.status == "none"]
    return Reading(file, module, tuple(problems), source)


def read_exports(
    file: InputFile, settings: Settings, units: HeldUnits | None = None
) -> tuple[SourceText | None, Exports]:
    """What a file says to others; nothing where it cannot be read. It is held for who wants it."""
    if units is None or file.path not in units.wanted or file.language is Input.PTX:
        return _asked(file, settings, _exports, Exports())
    with recorded() as probes:
        ask = partial(_held_exports, units=units, path=file.path, probes=probes)
        return _asked(file, settings, ask, Exports())


def read_paths(file: InputFile, settings: Settings) -> tuple[SourceText | None, tuple[str, ...]]:
    """What is read for a file: its own path and those of its headers; none where that fails."""
    return _asked(file, settings, _paths, ())


def _asked(
    file: InputFile,
    settings: Settings,
    ask: Callable[[_Text, Input, Settings], Answer],
    nothing: Answer,
) -> tuple[SourceText | None, Answer]:
    """What a text tells beside its kernels; `read_input` reports why there is nothing."""
    give_back()
    settings = settings.at(file.path)
    text = attempt(lambda: _read_text(file), _reading(file))
    if isinstance(text, Problem) or text[0] is None:
        return None, nothing
    source, problems = text[0], text[1]
    found = attempt(lambda: ask((source, problems), file.language, settings), _reading(file))
    return source, nothing if isinstance(found, Problem) else found


def _reading(file: InputFile) -> Stage:
    return Stage("reading", file.path, Damage.FATAL)


def _grave(problem: Problem) -> Problem:
    return replace(problem, damage=Damage.FATAL, advice="exclude the file, or save it again")


def _weighed(problem: Problem, kernels: Sequence[Kernel]) -> Problem:
    """Statements lost in kernels that were read otherwise are remarks on these kernels; what was
    lost elsewhere, too, is placed there.
    """
    if problem.damage is not Damage.PARTIAL or problem.span is None:
        return problem
    for each in (problem, *problem.others):
        if each.span is not None and not _is_told_of(each.span, kernels):
            return replace(each, others=())
    return replace(problem, damage=Damage.NOTICE, others=())


def _is_told_of(lost: Span, kernels: Sequence[Kernel]) -> bool:
    """Whether a kernel that was read otherwise says that a statement of its body is lost."""
    return any(
        kernel.status == "partial"
        and kernel.body_span.covers(lost)
        # At its end, or before its body, who knows what was lost.
        and kernel.span.end <= lost.start < kernel.body_span.end
        for kernel in kernels
    )


def _lost(kernel: Kernel, path: str) -> Problem:
    return Problem(
        path,
        f"kernel {kernel.name} could not be parsed",
        _LOST_ADVICE[Input(kernel.language)],
        Damage.PARTIAL,
        kernel.span,
        kernel.name,
    )


def _read_text(file: InputFile) -> tuple[SourceText | None, list[Problem]]:
    from ..source.reader import decode_source, read_source

    read = read_source(file.path) if file.data is None else decode_source(file.path, file.data)
    source, problems = read
    if source is None or not is_python(file.path):
        return read
    from ..cuda.python_strings import cuda_of_python

    strings, remarks = cuda_of_python(source)
    return strings, [*problems, *remarks]


def _read_module(
    source: SourceText,
    language: Input,
    settings: Settings,
    elsewhere: Sequence[DistantLaunch],
    keeping: Keeping | None,
) -> Module:
    if language is Input.PTX:
        from ..ptx.read import read_ptx

        return read_ptx(source, elsewhere)
    from ..cuda.read import read_cuda

    return read_cuda(source, _cuda_options(source.path, settings), elsewhere, keeping)


def _read_held(held: HeldUnit, settings: Settings, elsewhere: Sequence[DistantLaunch]) -> Module:
    from ..cuda.read import read_cuda

    source = held.text[0]
    options = _cuda_options(source.path, settings)
    return read_cuda(source, options, elsewhere, held=held.unit)


def _exports(text: _Text, language: Input, settings: Settings) -> Exports:
    source, _ = text
    if language is Input.PTX:
        from ..ptx.read import ptx_exports

        return ptx_exports(source.text)
    from ..cuda.read import read_unit

    return read_unit(source, _cuda_options(source.path, settings), events=False).exports


def _held_exports(
    text: _Text, _: Input, settings: Settings, *, units: HeldUnits, path: str, probes: set[Probe]
) -> Exports:
    from ..cuda.held_units import HeldUnit
    from ..cuda.read import read_unit

    unit = read_unit(text[0], _cuda_options(text[0].path, settings), events=True)
    units.hold(path, HeldUnit(text, unit, probes))
    return unit.exports


def _paths(text: _Text, language: Input, settings: Settings) -> tuple[str, ...]:
    source, _ = text
    if language is Input.PTX:
        return (source.path,)
    from ..cuda.read import preprocess_cuda

    sources = preprocess_cuda(source, _cuda_options(source.path, settings)).places.sources
    return tuple(dict.fromkeys(each.path for each in sources))


def _cuda_options(path: str, settings: Settings) -> CudaOptions:
    from pathlib import Path

    from ..cuda.read import CudaOptions

    known = settings.compile_commands
    flags = None if known is None else known.flags_for(path)
    defines, undefines, folders = dict(settings.defines), settings.undefines, settings.include_paths
    if flags is not None:
        built = {name: text for name, text in flags.defines.items() if name not in undefines}
        undefines |= flags.undefines - defines.keys()
        defines = {**built, **defines}
        folders += flags.include_paths
    return CudaOptions(
        defines=defines,
        undefines=undefines,
        include_paths=tuple(map(Path, folders)),
        arch=settings.arch,
        most_inlined=most_inlined(settings.kernel_size),
        qualifier_macros=settings.qualifier_macros,
    )
