"""A witness in SARIF: one code flow, in it a thread flow for each thread of the witness.

In: the flows of a finding. Out: at most one `codeFlow` (SARIF 2.1.0, 3.36): all its thread flows
together show one defect. GitHub keeps a thousand steps of a result; a longer witness keeps the
beginning and the end of each of its flows, because the defect stands at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...source.words import plural
from .sarif_records import (
    CodeFlow,
    Location,
    Message,
    ThreadFlow,
    ThreadFlowLocation,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...findings import witness
    from .sarif_places import Places

#: GitHub keeps so many steps of one result.
MOST_STEPS = 1_000


def code_flows(flows: Sequence[witness.ThreadFlow], places: Places) -> tuple[CodeFlow, ...]:
    """The code flow of a witness; none without one."""
    shown = [flow for flow in flows if flow.steps]
    if not shown:
        return ()
    room = max(2, MOST_STEPS // len(shown))
    return (CodeFlow(tuple(_thread_flow(flow, room, places) for flow in shown[: MOST_STEPS // 2])),)


def _thread_flow(flow: witness.ThreadFlow, room: int, places: Places) -> ThreadFlow:
    steps = list(enumerate(flow.steps))
    left_out = len(steps) - room
    if left_out > 0:
        steps = [*steps[: room // 2], *steps[-(room - room // 2) :]]
    note = f"; {plural(left_out, 'step')} not shown" if left_out > 0 else ""
    locations = tuple(
        ThreadFlowLocation(
            Location(places.location(step.span), message=Message(f"{flow.name}: {step.message}")),
            execution_order=index + 1,
        )
        for index, step in steps
    )
    return ThreadFlow(flow.name, Message(flow.name + note), locations)
