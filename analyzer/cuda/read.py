"""CUDA C++ → kernels: parse, then lower every `__global__` function.

In: a source text and options. Out: an IR module. A template kernel is lowered once for each
distinct instance launched in the file (up to a limit), otherwise once with its parameters open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ir.kernel import Module
from ..source.problem import Damage, Problem
from .lowering.kernel import lower_kernel
from .lowering.launches import Seen, find_launches
from .lowering.program import GLOBAL, Program
from .lowering.type_reader import TypeReader
from .parse import ParseOptions, parse_cuda

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..source.text import SourceText
    from . import nodes

INSTANCE_LIMIT = 8  # instances of one template kernel that are analysed


@dataclass(frozen=True, slots=True)
class CudaOptions:
    """What the preprocessor is told."""

    defines: Mapping[str, str] = field(default_factory=dict)
    undefines: frozenset[str] = frozenset()
    include_paths: tuple[Path, ...] = ()
    arch: int = 90


def read_cuda(source: SourceText, options: CudaOptions | None = None) -> Module:
    """The module of one file; nothing a file contains makes this raise."""
    options = options or CudaOptions()
    unit = parse_cuda(
        source,
        ParseOptions(
            defines=options.defines,
            undefines=options.undefines,
            include_paths=options.include_paths,
            arch=options.arch,
        ),
    )
    module = Module(source, "cuda", problems=list(unit.problems))
    program = Program(unit.functions, unit.declarations)
    reader = TypeReader(program)
    hosts = [function for function in unit.functions if GLOBAL not in function.decl.funcspec]
    seen = list(find_launches(hosts, program, reader))
    module.launches = [item.launch for item in seen]
    for function in unit.functions:
        if GLOBAL in function.decl.funcspec and function.body is not None:
            _lower_instances(module, function, program, reader, options.arch, seen)
    return module


def _lower_instances(
    module: Module,
    function: nodes.Function,
    program: Program,
    reader: TypeReader,
    arch: int,
    seen: list[Seen],
) -> None:
    own = [item for item in seen if item.launch.kernel == function.decl.name]
    instances: dict[tuple[str, ...], list[Seen]] = {}
    if function.template is not None:
        for item in own:
            instances.setdefault(item.launch.template_arguments, []).append(item)
    for group in list(instances.values())[:INSTANCE_LIMIT] or [own]:
        try:
            first = group[0] if function.template is not None and group else None
            kernel = lower_kernel(function, program, reader, arch, first)
        except RecursionError:
            module.problems.append(
                Problem(
                    module.source.path,
                    f"kernel {function.decl.name} is nested too deeply to be analysed",
                    "split the expression or the statement",
                    Damage.PARTIAL,
                    function.header,
                    function.decl.name,
                )
            )
            return
        kernel.launches = [item.launch for item in group]
        module.kernels.append(kernel)
