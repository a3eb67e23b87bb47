"""The settings of a run as the analyses of one file see them.

In: a module and the settings. Out: the options of its facts. The analyses are imported when they
are needed: who only looks up a result does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analyses.launch.assumed_launch import AnalysisOptions
    from ..config.settings import Settings
    from ..ir.kernel import Module


def options_of(
    module: Module, settings: Settings, kernel: str, *, shown: bool = False, infer: bool = True
) -> AnalysisOptions:
    """What the analyses of a file are told; of a kernel its configured block as well."""
    from ..analyses.launch.assumed_launch import LAUNCH_LIMIT, SHOWN_LAUNCHES, AnalysisOptions

    settings = settings.at(module.source.path)
    return AnalysisOptions(
        arch=settings.arch,
        block=settings.block,
        grid=settings.grid,
        configured=settings.configured_block(kernel),
        thresholds=settings.thresholds,
        launches=SHOWN_LAUNCHES if shown else LAUNCH_LIMIT,
        evidence=settings.evidence,
        infer=infer,
        kernel_size=settings.kernel_size,
        doubted=settings.show_possible,
    )
