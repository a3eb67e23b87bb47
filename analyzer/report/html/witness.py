"""The witness of a finding as a time line: a lane for each thread, its steps from top to bottom.

In: the flows of a finding. Out: lanes side by side. What threads do in one lane happens in that
order; between lanes nothing orders the steps, which is what the finding says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .markup import Html, element, joined

if TYPE_CHECKING:
    from ...findings.finding import Finding
    from ...findings.witness import ThreadFlow


def witness(finding: Finding) -> Html:
    """The witness of a finding as a time line on the HTML page; nothing without one."""
    if not finding.flows:
        return Html()
    lanes = joined(_lane(finding, flow) for flow in finding.flows)
    return element("div", lanes, class_="lanes")


def _lane(finding: Finding, flow: ThreadFlow) -> Html:
    steps = []
    for step in flow.steps:
        elsewhere = step.span.source is not finding.span.source
        where = f"{step.span.path}:{step.span.line}" if elsewhere else f"line {step.span.line}"
        shown = element("code", _one_line(step.span.text), class_="step")
        steps.append(element("li", element("b", where), " ", step.message, shown))
    title = element("div", flow.name, class_="thread")
    return element("section", title, element("ol", joined(steps)), class_="lane")


def _one_line(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"


_MOST = 80
