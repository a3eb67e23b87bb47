"""What `--fix --unsafe-fixes` makes of a fixture.

In: the fixture, its rules and settings, and what was found in it. Out: complaints: a finding that
offers an edit and is still there after it, a finding that was not there before, a text that is read
less completely, fixes that go on changing the text. Whether a compiler still takes it is measured
by `bench/fixes.py`, which needs one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.fixing import Fixer, offered
from warplint.analyzer.engine.inputs import Inputs, collect_inputs
from warplint.analyzer.findings.identity import identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from warplint.analyzer.config.settings import Settings
    from warplint.analyzer.engine.inputs import InputFile
    from warplint.analyzer.engine.result import RunResult
    from warplint.analyzer.findings.rule import Rule

_offers = partial(offered, unsafe=True)


def fix_complaints(
    path: Path, rules: Sequence[Rule], settings: Settings, before: RunResult
) -> Iterator[str]:
    """Everything that the fixes of a file do not keep to."""
    promised = Counter(identity(item) for item in before.findings if any(_offers(item)))
    if not promised:
        return
    (file,) = collect_inputs([str(path)]).files

    def of(given: InputFile) -> RunResult:
        return check(Inputs([given]), settings, rules)

    fixed = Fixer(of, _offers).fix(file, path.read_bytes(), before.findings)
    if fixed is None:
        yield "no fix holds"
        return
    after = of(replace(file, data=fixed.after))
    old, new = (Counter(map(identity, result.findings)) for result in (before, after))
    yield from (f"still there after its fix: {item}" for item in promised & new)
    yield from (f"not there before the fix: {item}" for item in new - old)
    if _damage(after) > _damage(before):
        yield "read less completely after the fix"
    if Fixer(of, _offers).fix(file, fixed.after, after.findings) is not None:
        yield "fixes go on after the first run"


def _damage(result: RunResult) -> tuple[int, int]:
    (item,) = result.inputs
    return len(item.problems), item.unanalysed_count
