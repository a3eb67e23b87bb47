from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.findings.fingerprint import line_hashes
from warplint.analyzer.source.text import SourceText

# GitHub's own vectors (github/codeql-action, src/fingerprints.test.ts).
VECTORS = [
    (
        " a\nb\n  \t\tc\n d",
        ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
    ),
    (
        " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
        [
            "8b7cf3e952e7aeb2:1",
            "b1ae1287ec4718d9:1",
            "bff680108adb0fcc:1",
            "c6805c5e1288b612:1",
            "b86d3392aea1be30:1",
            "e6ceba753e1a442:1",
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), VECTORS)
def test_vectors_of_github(text: str, expected: list[str]) -> None:
    assert list(line_hashes(text, range(1, len(expected) + 1)).values()) == expected


def rolling(text: str) -> dict[int, str]:
    """GitHub's algorithm as it is written there: one hash rolled over the text."""
    units = text.encode("utf-16-le", "surrogatepass")
    codes = [int.from_bytes(units[i : i + 2], "little") for i in range(0, len(units), 2)]
    window, lines = [0] * 100, [-1] * 100
    first = pow(37, 100, 1 << 64)
    state = {"hash": 0, "index": 0}
    counts: dict[str, int] = {}
    found: dict[int, str] = {}

    def output() -> None:
        value = f"{state['hash']:x}"
        counts[value] = counts.get(value, 0) + 1
        found[lines[state["index"]]] = f"{value}:{counts[value]}"
        lines[state["index"]] = -1

    def update(code: int) -> None:
        index = state["index"]
        begin, window[index] = window[index], code
        state["hash"] = (state["hash"] * 37 + code - first * begin) % (1 << 64)
        state["index"] = (index + 1) % 100

    number, line_start, after_return = 0, True, False
    for code in [*codes, 65535]:
        if code in (32, 9) or (after_return and code == 10):
            after_return = False
            continue
        after_return = code == 13
        code = 10 if after_return else code
        if lines[state["index"]] != -1:
            output()
        if line_start:
            line_start = False
            number += 1
            lines[state["index"]] = number
        line_start = code == 10
        update(code)
    for _ in range(100):
        if lines[state["index"]] != -1:
            output()
        update(0)
    return found


@given(st.text(st.sampled_from("ab{} \t\n\r漢😀"), max_size=400))
def test_windows_give_what_rolling_gives(text: str) -> None:
    expected = rolling(text)
    assert line_hashes(text, list(expected)) == expected


@given(st.text(max_size=60))
def test_every_line_of_a_source_text_has_a_hash(text: str) -> None:
    lines = range(1, len(SourceText("k.cu", text).line_starts) + 1)
    assert line_hashes(text, lines).keys() == set(lines)


def test_lines_that_a_text_lacks_have_no_hash() -> None:
    assert line_hashes("a\nb\n", [3, 4, 99]).keys() == {3}
    assert line_hashes("a\n", []) == {}
