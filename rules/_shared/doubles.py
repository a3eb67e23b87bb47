"""Findings about floats that are computed in double precision.

In: a group of operations (`analyses/arithmetic/promoted_floats.py`). Out: the finding, with what it
costs on the architecture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related
from ...analyzer.findings.verifying import compiled
from ...analyzer.hardware.arithmetic_rates import floats_per_double
from ...analyzer.source.words import plural
from .doubts import doubts_about
from .gains import double_gain, severity_by_gain
from .places import call_sites

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analyzer.analyses.arithmetic.promoted_floats import Promoted
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.rule import Rule


def double_finding(
    rule: Rule,
    facts: KernelFacts,
    group: Promoted,
    what: str,
    *,
    advice: str = "",
    others: Sequence[Promoted] = (),
) -> Finding:
    """What is computed in double precision, there and in `others`, what that costs, and what to
    write.
    """
    from ...analyzer.analyses.doubts.registry import OF_FLOATS

    place = group.call or group.operations[0]
    count = sum(len(each.operations) for each in (group, *others))
    rate = floats_per_double(facts.options.arch)
    name = facts.architecture.name
    cost = (
        Fact(
            "floats_per_double",
            rate,
            f"{name} does {rate} operations on floats in the time of one on doubles",
        ),
    )
    gain = double_gain(facts, (group, *others))
    return Finding(
        rule,
        place.location.span,
        (Part(f"{plural(count, 'operation')} in double precision {what}"),),
        facts.kernel.label,
        severity_by_gain(rule.severity, gain),
        label="computed in double precision",
        evidence=(
            Fact("operations", count),
            Fact("constants", list(group.constants)),
            *(cost if rate is not None else ()),
        ),
        related=(*call_sites(place.location), *map(_and_here, others)),
        fixes=(Fix(advice or _as_floats(group)),),
        verify=compiled(facts, "add -Xptxas -warn-double-usage"),
        doubts=doubts_about(facts, OF_FLOATS, facts),
        gain=gain,
    )


def _and_here(group: Promoted) -> Related:
    return Related(group.operations[0].location.span, "and here")


def constants_of(group: Promoted) -> list[str]:
    """The constants of a finding on doubles, as one would write them."""
    return [repr(float(number)) for number in group.constants]


def _as_floats(group: Promoted) -> str:
    constants = constants_of(group)
    return f"write {', '.join(f'{each}f' for each in constants)}" if constants else "use floats"
