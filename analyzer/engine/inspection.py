"""One run of `inspect`: every file read, something described for each of its kernels or functions.

In: files, settings and a function from a kernel to rows. Out: the rows of all kernels with the
file each came from, and the problems met. What a row is, only the caller knows.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from ..analyses.launch.allowance import OutOfWorkError
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from .guard import Stage, attempt_all
from .inputs import is_shared
from .kernels.cut_short import advice_on_size
from .kernels.shares import Shares
from .launches_elsewhere import read_together
from .result import InputResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..config.settings import Settings
    from ..ir.kernel import FunctionInfo, Kernel, Launch, Module
    from .inputs import Inputs
    from .reading import Reading

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Inspection(Generic[Row]):
    """What a run of `inspect` found: the rows of all kernels in order, and the inputs read."""

    rows: tuple[Row, ...]
    inputs: tuple[InputResult, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all inputs, in their order."""
        return tuple(problem for item in self.inputs for problem in item.problems)


def inspect_kernels(
    inputs: Inputs,
    settings: Settings,
    what: str,
    describe: Callable[[Kernel, Module], Iterable[Row]],
    *,
    uncalled: bool = False,
) -> Inspection[Row]:
    """Apply `describe` to every kernel; `what` names it should it fail. No kernel costs more work
    than in a check. With `uncalled`, device functions that nothing calls are looked at, too.
    """
    rows: list[Row] = []
    results: list[InputResult] = []
    for reading in read_together(inputs.files, settings):
        problems: list[Problem] = []
        module = reading.module
        kernels = [*module.kernels] if module is not None else []
        if module is not None and uncalled:
            kernels += module.uncalled()
        at = settings.at(reading.file.path)
        for found in _described(reading, kernels, at, what, describe):
            if isinstance(found, Problem):
                problems.append(found)
            else:
                rows.extend(found)
        results.append(_result(reading, problems))
    return Inspection(tuple(rows), (*results, *_refused(inputs)))


def _described(
    reading: Reading,
    kernels: Sequence[Kernel],
    settings: Settings,
    what: str,
    describe: Callable[[Kernel, Module], Iterable[Row]],
) -> Iterator[list[Row] | Problem]:
    """The rows of each kernel of a file, or why there are none."""
    module = reading.module
    if module is None:
        return

    def described(kernel: Kernel) -> list[Row] | Problem:
        stage = Stage(what, reading.file.path, Damage.PARTIAL, kernel.label, kernel.span)
        try:
            return attempt_all(partial(describe, kernel, module), stage)
        except OutOfWorkError:
            return _left_out(stage, settings.kernel_size)

    shared = partial(is_shared, checked=module.source)
    for _, found in Shares(kernels, settings.kernel_size).in_turn(described, shared):
        yield found


def _left_out(stage: Stage, kernel_size: int) -> Problem:
    return Problem(
        stage.path,
        f"kernel {stage.kernel} is not shown: too much work",
        advice_on_size(kernel_size),
        stage.damage,
        stage.span,
        stage.kernel,
    )


def inspect_functions(inputs: Inputs, settings: Settings) -> Inspection[FunctionInfo]:
    """Every kernel and device function of the files, as written.

    A definition in a header that several files include is one row, with the launches of all.
    """
    rows: dict[tuple[str, int, str], FunctionInfo] = {}
    results: list[InputResult] = []
    for reading in read_together(inputs.files, settings):
        for function in reading.module.functions if reading.module else ():
            key = (os.path.realpath(function.span.path), function.span.start, function.name)
            rows[key] = _merged(rows[key], function) if key in rows else function
        results.append(_result(reading, ()))
    return Inspection(tuple(rows.values()), (*results, *_refused(inputs)))


def _merged(known: FunctionInfo, again: FunctionInfo) -> FunctionInfo:
    """One definition as two files see it: what both have is in it once."""
    places = set(map(_place, known.launches))
    launches = [item for item in again.launches if _place(item) not in places]
    names = {item.name for item in known.instances}
    instances = [item for item in again.instances if item.name not in names]
    return replace(
        known,
        launches=(*known.launches, *launches),
        instances=(*known.instances, *instances),
    )


def _place(launch: Launch) -> tuple[str, int]:
    return launch.span.path, launch.span.start


def _result(reading: Reading, problems: Iterable[Problem]) -> InputResult:
    """An input with what was wrong with it, and then with what was asked of it."""
    kernels = len(reading.module.kernels) if reading.module else 0
    met = (*reading.problems, *problems)
    return InputResult(reading.file.path, reading.status, kernels, 0, problems=met)


def _refused(inputs: Inputs) -> list[InputResult]:
    """The paths that name no file to read."""
    return [InputResult(p.path, "none", 0, 0, problems=(p,)) for p in inputs.problems]
