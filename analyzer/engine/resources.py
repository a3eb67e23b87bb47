"""One run of `resources`: files, binaries and logs in; what each kernel takes out.

In: the paths of sources (`.cu`, `.ptx`, folders) and binaries (cubin, fatbin, objects), build logs
as text, and whether ptxas may be run. Out: the rows, and every problem on the way; a binary that is
damaged or a build that fails costs only what it would have told.
"""

from __future__ import annotations

import os
from dataclasses import field
from typing import TYPE_CHECKING

from ..analyses.launch.evidence import Evidence
from ..findings.rule import Input
from ..source.collection import collection_paused
from ..source.files import read_regular, read_start
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from ..source.words import plural
from .guard import Stage, attempt
from .inputs import Inputs, collect_inputs
from .kernel_usage import asked_of, compiled_by_us, rows_without_source
from .launches_elsewhere import read_together
from .processes.copies import work_of_copies
from .processes.workers import processors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analyses.pointers.work import Work
    from ..config.settings import Settings
    from ..ir.kernel import Module
    from ..ir.usage import Usage
    from ..resources.cubin import CompiledKernel
    from ..resources.ptxas_log import BuildLog
    from ..resources.ptxas_run import Compiler
    from .inputs import InputFile
    from .kernel_usage import AskedKernel, KernelUsage

_LARGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class Row:
    """What a run of `resources` found for one kernel; no module where no source was read."""

    usage: KernelUsage
    module: Module | None = None
    work: Work | None = None  # of its hot loop


@dataclass(slots=True)
class ResourceRun:
    """What a run over its inputs found out about their resources."""

    rows: list[Row] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    logs: list[tuple[str, BuildLog]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asked of a run of `resources`; `chosen` when the architecture was."""

    paths: Sequence[str]
    logs: Sequence[tuple[str, str]]  # name and text
    settings: Settings
    chosen: bool
    compiler: Compiler | None


def find_resources(asked: Asked) -> ResourceRun:
    """The run of `resources`: what every kernel of the inputs takes."""
    run = ResourceRun()
    binaries = [path for path in asked.paths if _is_binary(path)]
    inputs = collect_inputs([path for path in asked.paths if path not in binaries])
    run.problems += inputs.problems
    evidence = Evidence()
    for path in binaries:
        evidence.add(_read_binary(path, run), path)
    for name, text in asked.logs:
        from ..resources.ptxas_log import read_log

        log = read_log(text)
        run.logs.append((name, log))
        evidence.add([*log.kernels], name)
    _read_sources(inputs, asked, evidence, run)
    return run


def _read_sources(inputs: Inputs, asked: Asked, evidence: Evidence, run: ResourceRun) -> None:
    """The rows of every source; what binaries and logs have beyond them comes last."""
    settings = asked.settings
    seen: set[tuple[str | None, int]] = set()
    for reading in read_together(inputs.files, settings):
        run.problems += reading.problems
        if reading.module is None:
            continue
        own = Evidence([*evidence.rungs], dict(evidence.origins))
        own.add(_compiled(reading.file, asked, run), reading.file.path)
        for row in _rows(reading.module, own, asked):
            seen.add((row.usage.symbol, row.usage.arch))
            run.rows.append(row)
    for usage in rows_without_source(evidence, settings.arch, chosen=asked.chosen):
        if (usage.symbol, usage.arch) not in seen:
            run.rows.append(Row(usage))


def _rows(module: Module, evidence: Evidence, asked: Asked) -> Iterator[Row]:
    """The kernels of one file, worked out by as many processes as there are processors."""
    from ..analyses.pointers.work import hot_work
    from ..analyses.storage.source_registers import estimated_usage
    from .file_check import facts_of

    settings = asked.settings
    kernels = [*asked_of(module.kernels, evidence, settings.arch, chosen=asked.chosen)]

    def own_numbers(wanted: AskedKernel) -> tuple[list[Usage], Work | None]:
        # Blocks are not inferred from shared arrays, which takes longer than all the rest.
        facts = facts_of(wanted.kernel, module, settings, infer=False)
        return [estimated_usage(facts, arch) for arch in wanted.arches], hot_work(facts)

    with collection_paused():
        numbers = work_of_copies(own_numbers, kernels, processors())
    for kernel, (usages, work) in zip(kernels, numbers, strict=True):
        for usage in kernel.rows(evidence, usages):
            yield Row(usage, module, work)


# ---- binaries ----------------------------------------------------------------------------------


def _is_binary(path: str) -> bool:
    from ..resources.fatbin import is_binary

    try:
        return is_binary(read_start(path, 4))
    except OSError:
        return False


def _read_binary(path: str, run: ResourceRun) -> list[CompiledKernel]:
    from ..resources.elf import BinaryError
    from ..resources.fatbin import Binary, read_binary

    def read() -> Binary | Problem:
        try:
            return read_binary(read_regular(path, _LARGEST))
        except (BinaryError, OSError) as error:
            advice = "pass a cubin, a fatbin, or an object or program with CUDA kernels"
            reason = getattr(error, "strerror", None) or str(error)
            return Problem(path, reason, advice, Damage.FATAL)

    binary = attempt(read, Stage("reading the binary", path, Damage.FATAL))
    if isinstance(binary, Problem):
        run.problems.append(binary)
        return []
    for reason, count in binary.skipped.items():
        message = f"{plural(count, 'entry')} not read: {reason}"
        run.problems.append(Problem(path, message, "the rest was read", Damage.PARTIAL))
    return binary.kernels


# ---- our own builds ----------------------------------------------------------------------------


def _compiled(file: InputFile, asked: Asked, run: ResourceRun) -> list[CompiledKernel]:
    """What ptxas says of one source, where it is there and may be run."""
    from ..resources.ptxas_run import BuildError, compile_cuda, compile_ptx

    compiler, arch = asked.compiler, asked.settings.arch
    if compiler is None or (file.language is Input.CUDA and compiler.nvcc is None):
        return []
    try:
        if file.language is Input.PTX:
            log = compile_ptx(compiler, file.path, arch)
        else:
            log = compile_cuda(compiler, file.path, arch, [*_flags(asked.settings)])
    except BuildError as error:
        advice = "the numbers below come from the file alone; --ptxas never skips ptxas"
        run.problems.append(Problem(file.path, f"ptxas: {error}", advice, Damage.NOTICE))
        return []
    return [*compiled_by_us(log.kernels)]


def _flags(settings: Settings) -> Iterator[str]:
    for name, value in settings.defines.items():
        yield f"-D{name}={value}" if value else f"-D{name}"
    yield from (f"-U{name}" for name in sorted(settings.undefines))
    yield from (f"-I{os.path.abspath(folder)}" for folder in settings.include_paths)
