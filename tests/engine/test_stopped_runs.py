"""What a run that was stopped may say of headers that it read by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warplint.analyzer.config.project import Profile
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import Means, check_inputs
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.engine.processes.workers import Done
from warplint.rules.warp.legacy_warp_intrinsic import RULE, check

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "__global__ void k(int *p) { *p = __shfl(*p, 0, 8); }\n"
MACRO = "#define __shfl(v, lane, width) __shfl_sync(0xffffffffu, v, lane, width)\n"


class Stopping:
    """Does the work up to a number of files, and is stopped then."""

    def __init__(self, most: int | None) -> None:
        self.most = most

    def shared_work(self, task: Any, progress: Any = None) -> Done[Any]:
        del progress
        done = {at: task.function(each) for at, each in enumerate(task.arguments[: self.most])}
        return Done(done, 15 if len(done) < len(task.arguments) else 0)


def found(folder: Path, most: int | None) -> list[str]:
    inputs = collect_inputs([str(folder)])
    profile = Profile(Settings(), (replace(RULE, check=check),))
    means = Means(workers=Stopping(most), partial=True, elsewhere={})
    result = check_inputs(inputs, lambda _: profile, arch=90, means=means)
    return [finding.rule.code for finding in result.findings]


def test_headers_are_left_to_the_sources_that_the_run_did_not_come_to(tmp_path: Path) -> None:
    (tmp_path / "k.cuh").write_text(HEADER)
    assert found(tmp_path, None) == ["WRP005"]
    source = tmp_path / "user.cu"
    source.write_text(f'{MACRO}#include "k.cuh"\nvoid f(int *p) {{ k<<<1, 32>>>(p); }}\n')
    assert found(tmp_path, None) == []
    assert found(tmp_path, 1) == []
    source.write_text("int unrelated;\n")
    assert found(tmp_path, 1) == ["WRP005"]
