"""Which lines a comment speaks of, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import Inputs, collect_inputs, standard_input
from warplint.analyzer.findings.suppressions import read_suppressions
from warplint.analyzer.source.text import SourceText
from warplint.rules import load_rules

if TYPE_CHECKING:
    from pathlib import Path

    from warplint.analyzer.engine.result import RunResult

RULES = tuple(rule for rule in load_rules().values() if rule.default)


def read(text: str) -> list[tuple[str, int, int]]:
    found, _ = read_suppressions(SourceText("k.cu", text))
    return [(",".join(s.text for s in item.selectors), item.first, item.last) for item in found]


def run(text: str, rules: tuple[str, ...] | None = None) -> RunResult:
    chosen = RULES if rules is None else tuple(load_rules()[code] for code in rules)
    inputs = Inputs([standard_input(text.encode(), "k.cu")])
    return check(inputs, replace(Settings(), block=(32, 1, 1)), chosen)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;  // warplint: ignore[X] why", [("X", 1, 1)]),
        ("a;  /* warplint: ignore[X, Y,Z] */ b;", [("X,Y,Z", 1, 1)]),
        ("// warplint: ignore[X]\n\n// more\n/* and\nmore */ a;\nb;", [("X", 5, 5)]),
        ("a;  // warplint: ignore-next-line[X]\nb;", [("X", 2, 2)]),
        ("/// warplint: ignore[X]\r\na;\r\n", [("X", 2, 2)]),
        ("//! text warplint: ignore[X]\na;", [("X", 2, 2)]),
        ("// warplint: ignore[X]", [("X", 1, 1)]),
        ("// warplint: ignore[X] \\\n goes on\na;", [("X", 3, 3)]),
        ("// warplint: ignore-begin[X]\na;\n// warplint: ignore-end[X]\n", [("X", 1, 3)]),
        ("// warplint: ignore-begin[X]\na;\n// warplint: ignore-end\n", [("X", 1, 3)]),
        (
            "// warplint: ignore-begin[X]\n// warplint: ignore-begin[Y]\n"
            "// warplint: ignore-end[X]\n// warplint: ignore-end[Y]\n",
            [("X", 1, 3), ("Y", 2, 4)],
        ),
        ('f("// warplint: ignore[X]");', []),
        ('f(R"x(\n// warplint: ignore[X])x");', []),
        ("c = '\"'; // warplint: ignore[X]", [("X", 1, 1)]),
        ("n = 1'000; // warplint: ignore[X]", [("X", 1, 1)]),
        ("// mywarplint: ignore[X]", []),
        ("/* warplint: ignore[X]", []),
    ],
)
def test_lines_that_a_comment_speaks_of(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert read(text) == expected


@given(st.text(st.sampled_from("/*\"\\\n\r R(x)'[]-,"), max_size=40), st.integers(0, 40))
def test_any_text_is_read_and_spans_lie_in_it(text: str, at: int) -> None:
    source = SourceText("k.cu", text[:at] + "// warplint: ignore[X] y" + text[at:])
    found, flaws = read_suppressions(source)
    for item in found:
        assert item.span.text.startswith("warplint: ignore")
        assert [selector.span.text for selector in item.selectors] == ["X"]
        assert 1 <= item.first <= item.last <= len(source.line_starts)
    assert all(0 <= flaw.span.start < flaw.span.end <= len(source.text) for flaw in flaws)


KERNEL = """\
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.x][0] = out[0];%s
}
"""


def test_suppressed_findings_are_kept_apart() -> None:
    result = run(KERNEL % "  // warplint: ignore[bank-conflict] once")
    assert result.findings == ()
    ((finding, suppression),) = result.suppressed
    assert (finding.rule.code, suppression.reason) == ("SHM001", "once")


def test_a_rule_that_was_not_applied_is_not_called_unused() -> None:
    text = KERNEL % "  // warplint: ignore[SYN001]"
    assert [f.rule.code for f in run(text).findings] == ["SHM001", "SUP001"]
    assert run(text, ("SUP001",)).findings == ()
    assert run(text.replace("SYN001", "ALL"), ("SHM001", "SUP001")).findings == ()


def test_suppressions_can_be_suppressed() -> None:
    text = KERNEL % "  // warplint: ignore[SHM001, SYN001, SUP001]"
    result = run(text)
    assert result.findings == ()
    assert {finding.rule.code for finding, _ in result.suppressed} == {"SHM001", "SUP001"}


def test_a_file_that_was_not_read_completely_is_not_judged() -> None:
    text = KERNEL % "  // warplint: ignore[SYN001]\n    @@ what @@;"
    assert [f.rule.code for f in run(text).findings] == ["SHM001"]


HIDDEN = "#if 0\n// warplint: ignore-file[SHM001] %s\n#endif\n"


def test_what_no_condition_keeps_suppresses_nothing_and_is_not_called_unused() -> None:
    result = run(HIDDEN % "hidden" + KERNEL % "")
    assert [f.rule.code for f in result.findings] == ["SHM001"]
    assert not result.suppressed
    other = run("#if 0\nint a;  // warplint: ignore[SYN001]\n#endif\n" + KERNEL % "")
    assert [f.rule.code for f in other.findings] == ["SHM001"]
    kept = run((HIDDEN % "kept").replace("#if 0", "#if 1") + KERNEL % "")
    assert not kept.findings


def test_what_another_file_keeps_of_a_header_is_suppressed_there(tmp_path: Path) -> None:
    guarded = f"#ifdef WITH_KERNEL\n{KERNEL % '  // warplint: ignore[SHM001] once'}#endif\n"
    (tmp_path / "k.cuh").write_text(guarded, encoding="utf-8")
    (tmp_path / "k.cu").write_text('#define WITH_KERNEL\n#include "k.cuh"\n', encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("k.cu", "k.cuh")]
    result = check(collect_inputs(paths), replace(Settings(), block=(32, 1, 1)), RULES)
    assert not result.findings
    assert [finding.rule.code for finding, _ in result.suppressed] == ["SHM001"]
