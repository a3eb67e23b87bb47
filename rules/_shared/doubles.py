"""Findings about floats that are computed in double precision.

In: groups of operations (`analyses/arithmetic/promoted_floats.py`). Out: the finding, with what
makes them double, what that costs on the architecture, and what to write so that none is left.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Fact, Finding, Fix, Part, Related
from ...analyzer.findings.verifying import compiled
from ...analyzer.hardware.arithmetic_rates import floats_per_double
from ...analyzer.ir.operations import Pure
from ...analyzer.source.words import listed, plural
from .doubts import doubts_about
from .gains import double_gain, severity_by_gain, stated
from .places import call_sites

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analyzer.analyses.arithmetic.double_arithmetic import DoubleArithmetic
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.rule import Rule

MANY = 4  # lines of a kernel that are reported as one finding, and causes that are spelt out


def double_finding(
    rule: Rule, facts: KernelFacts, groups: Sequence[DoubleArithmetic], advice: str = ""
) -> Finding:
    """What is computed in double precision in a group, or in several, and what to write instead."""
    from ...analyzer.analyses.doubts.registry import OF_FLOATS

    first = groups[0]
    place = (*first.calls, *first.operations)[0]
    count = sum(len(each.operations) for each in groups)
    where = f" in {len(groups)} places" if len(groups) > 1 else ""
    text = f"{plural(count, 'operation')} in double precision on floats{where}: {_causes(groups)}"
    rate = floats_per_double(facts.options.arch)
    name = facts.architecture.name
    cost = (
        Fact(
            "floats_per_double",
            rate,
            f"{name} does {rate} operations on floats in the time of one on doubles",
        ),
    )
    gain = double_gain(facts, groups)
    return Finding(
        rule,
        place.location.span,
        (Part(text),),
        facts.kernel.label,
        severity_by_gain(rule.severity, gain),
        label="computed in double precision",
        evidence=(
            Fact("operations", count),
            Fact("constants", list(first.constants)),
            *(cost if rate is not None else ()),
        ),
        related=(*call_sites(place.location), *map(_and_here, groups[1:])),
        fixes=(Fix(advice or _as_floats(first)),),
        verify=compiled(facts, "add -Xptxas -warn-double-usage"),
        doubts=doubts_about(facts, OF_FLOATS, facts),
        gain=stated(gain),
    )


def _and_here(group: DoubleArithmetic) -> Related:
    return Related(group.operations[0].location.span, "and here")


def _causes(groups: Sequence[DoubleArithmetic]) -> str:
    """`pow` is called for doubles and 0.1 is double."""
    calls = chain.from_iterable(map(_called, groups))
    numbers = list(dict.fromkeys(chain.from_iterable(map(_constants, groups))))
    said = [f"`{name}` is called for doubles" for name in dict.fromkeys(calls)]
    if numbers:
        said.append(f"{listed(numbers, MANY)} {'is' if len(numbers) == 1 else 'are'} double")
    return listed(said, MANY)


def _called(group: DoubleArithmetic) -> list[str]:
    return [each.name if isinstance(each, Pure) else each.opcode.value for each in group.calls]


def _constants(group: DoubleArithmetic) -> list[str]:
    """The constants of a finding on doubles, as one would write them."""
    return [repr(float(number)) for number in group.constants]


def _as_floats(group: DoubleArithmetic) -> str:
    """What to write so that no operation of the group is left in double precision."""
    functions = dict.fromkeys(each.name for each in group.calls if isinstance(each, Pure))
    written = []
    if functions:
        names = listed([f"{name}f" for name in functions], MANY)
        product = ", or multiply" if "pow" in functions else ""
        written.append(f"call {names} with floats only{product}")
    if numbers := _constants(group):
        written.append(f"write {', '.join(f'{each}f' for each in numbers)}")
    return "; ".join(written) or "use floats"
