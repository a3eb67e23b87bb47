"""What parts the threads of a block before an operation."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.analyses.warp_evaluation.parting_decisions import parting_decisions


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("p[0] = 1; // here", 0),
        ("if (threadIdx.x < n)\np[0] = 1; // here", 1),
        ("if (n > 3)\np[0] = 1; // here", 0),  # all threads alike
        ("if (threadIdx.x < n) if (threadIdx.x > 3)\np[0] = 1; // here", 2),
        ("if (p[threadIdx.x])\np[0] = 1; // here", 1),
        ("if (p[n])\np[0] = 1; // here", 0),
        ("int m = 0; if (threadIdx.x < n) m = 1;\nif (m)\np[0] = 1; // here", 2),
        ("int m = 0; if (n > 3) m = threadIdx.x;\nif (m)\np[0] = 1; // here", 1),
    ],
)
def test_conditions(body: str, count: int) -> None:
    facts = body_facts(body)
    operation = on_line(facts.kernel, "// here")[0]
    found = list(parting_decisions(facts.launches[0], operation))
    assert len(found) == count
    assert len(set(found)) == count


def test_those_next_to_the_operation_come_first() -> None:
    facts = body_facts("if (threadIdx.x < n)\nif (threadIdx.x > 3)\np[0] = 1; // here")
    operation = on_line(facts.kernel, "// here")[0]
    first, second = parting_decisions(facts.launches[0], operation)
    lines = [getattr(each, "location").span.line for each in (first, second)]  # noqa: B009
    assert lines == [3, 2]
