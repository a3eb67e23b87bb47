"""Small pieces of wording that several reports share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ...findings.finding import Certainty

if TYPE_CHECKING:
    from ...findings.finding import Assumption, Data, Fact, Finding, StatedDoubt


def doubt(finding: Finding) -> str:
    """The words ` (possible)` after the name of a finding that is not shown to be true."""
    return " (possible)" if finding.certainty is Certainty.POSSIBLE else ""


def value_text(value: Data) -> str:
    """A value for people: three integers are a shape, `32x8x1`."""
    if isinstance(value, list) and len(value) == 3 and all(type(v) is int for v in value):
        return "x".join(map(str, value))
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def assumption_text(assumption: Assumption) -> str:
    """`block 256x1x1 (default; set --block)`, `width = 9 (example value)`, or its own words."""
    if assumption.text:
        return assumption.text
    equals = "" if isinstance(assumption.value, list) else "= "
    return f"{assumption.name} {equals}{value_text(assumption.value)} ({assumption.origin})"


def doubt_text(doubt: StatedDoubt) -> str:
    """`the two values may be equal (values-may-be-equal)`."""
    when = "; not reported by default" if doubt.silences else ""
    return f"{doubt.reason} ({doubt.name}{when})"


def doubt_names(finding: Finding) -> str:
    """` [values-may-be-equal]`, for reports that show a finding in one line."""
    return f" [{', '.join(each.name for each in finding.doubts)}]" if finding.doubts else ""


def doubt_lines(finding: Finding) -> list[str]:
    """A line for each doubt, for reports that show a finding in several lines."""
    return [f"only possible: {doubt_text(each)}" for each in finding.doubts]


def fact_title(fact: Fact) -> str:
    """The name of a fact as words; its text names the unit."""
    return fact.name.removesuffix("_bytes").replace("_", " ")
