"""What fixing an access gains: its part of what the launch pays with.

In: an access that a rule found fault with, for the launch that it was judged for. Out: a `Gain`,
or None for an access whose cost is not known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...analyzer.findings.gain import Confidence, Gain
from ...analyzer.hardware.throughput import Resource

if TYPE_CHECKING:
    from ...analyzer.analyses.facts import KernelFacts, LaunchFacts
    from ...analyzer.analyses.memory_traffic.kernel_cost import KernelCost
    from .accesses import Evaluated


#: Of a kernel's time: below it a finding is a note, whatever its numbers.
NOTHING = 0.01


def access_gain(facts: KernelFacts, access: Evaluated, *, kept: float = 1.0) -> Gain | None:
    """What an access costs beyond the ideal, of which `kept` is not had from a cache anyhow."""
    launch = _launch(facts, access)
    cost = None if launch is None else launch.cost.of(access.access)
    if launch is None or cost is None:
        return None
    confidence = _confidence(launch)
    if confidence is Confidence.WEIGHTED and cost.counted:
        confidence = Confidence.COUNTED
    units = max(0.0, cost.units * kept - cost.ideal)
    return _gain(launch.cost, cost.resource, units, confidence)


def replay_gain(facts: KernelFacts, access: Evaluated, replays: float) -> Gain | None:
    """What goes when an access is issued once and not `replays` times more."""
    launch = _launch(facts, access)
    block = access.access.block
    if launch is None or block is None:
        return None
    cost = launch.cost
    units = replays * cost.weights.warps() * cost.weights.iterations(block)
    used = {**cost.used, Resource.ISSUE_SLOTS: cost.used[Resource.ISSUE_SLOTS] + units}
    cost = replace(cost, used=used)  # replays are not a part of it
    return _gain(cost, Resource.ISSUE_SLOTS, units, _confidence(launch))


def _launch(facts: KernelFacts, access: Evaluated) -> LaunchFacts | None:
    return next((each for each in facts.launches if each.launch is access.launch), None)


def _gain(cost: KernelCost, resource: Resource, units: float, confidence: Confidence) -> Gain:
    share, time = cost.share(resource, units), cost.saved(resource, units)
    return Gain(share, resource.value, confidence, time)


def _confidence(launch: LaunchFacts) -> Confidence:
    assumed = launch.launch
    stated = assumed.trusted and not (assumed.guessed or assumed.inferred)
    return Confidence.WEIGHTED if stated else Confidence.ASSUMED
