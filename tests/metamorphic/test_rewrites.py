"""What is found does not depend on names, comments, blanks, namespaces or the order of functions.

Every fixture and example is rewritten so that it stays the same program, and checked again: the
same rules speak of the same kernels, as surely, with the same numbers. One rewrite for each file,
chosen by the hash of its name; all of them with `WARPLINT_METAMORPHIC=full`.
"""

from __future__ import annotations

import os
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fixture_runner import read_markers, rules_for, settings_of
from metamorphic import cuda_rewrites, ptx_rewrites
from metamorphic.reserved import reserved_names

from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Certainty, Severity
from warplint.analyzer.findings.rule import Category
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fixture_runner import Markers

    from warplint.analyzer.findings.finding import Finding

TESTS = Path(__file__).parents[1]
FIXTURES = sorted((TESTS / "fixtures").glob("*/*/*"))
FILES = [path for path in FIXTURES if path.suffix in (".cu", ".ptx")]
EXAMPLES = sorted((TESTS.parent / "examples").glob("*.cu"))
ALL = os.environ.get("WARPLINT_METAMORPHIC") == "full"

CUDA: dict[str, Callable[[str], str | None]] = {
    "comments": cuda_rewrites.without_comments,
    "misleading": cuda_rewrites.with_misleading_comments,
    "one line": cuda_rewrites.on_one_line,
    "a token a line": cuda_rewrites.a_token_a_line,
    "namespace": cuda_rewrites.in_namespace,
    "order": cuda_rewrites.reordered,
}
PTX: dict[str, Callable[[str], str | None]] = {
    "names": ptx_rewrites.renamed,
    "comments": ptx_rewrites.without_comments,
    "blanks": ptx_rewrites.indented,
}
NAMES, MACROS = "names", "macros"
LINES = ("one line", "a token a line")
Meaning = tuple[str, str, Severity, Certainty, tuple[tuple[str, object], ...]]


def rewrites_of(path: Path) -> list[str]:
    """All rewrites of a file, the one to be tested in front: new names for every second file."""
    names = list(PTX) if path.suffix == ".ptx" else [NAMES, MACROS, *CUDA]
    number = int(sha256("/".join(path.parts[-2:]).encode()).hexdigest(), 16)
    start = number // 2 % len(names) if number % 2 else 0
    return names[start:] + names[:start]


@pytest.mark.parametrize("path", [*FILES, *EXAMPLES], ids=lambda path: "/".join(path.parts[-2:]))
def test_a_rewritten_file_has_the_same_findings(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    markers = read_markers(text)
    expected: Counter[Meaning] | None = None
    for name in rewrites_of(path):
        rewritten = rewrite(path, name, text, markers)
        if rewritten is None or rewritten[0] == text:
            continue
        if expected is None:
            expected = found_in(path, text, markers, tmp_path / "as-it-is", {})
        other, names = rewritten
        found = found_in(path, other, markers, tmp_path / name.replace(" ", "-"), names)
        assert told(found, name) == told(expected, name), name
        if not ALL:
            break
    assert expected is not None, "no rewrite applies"


def rewrite(
    path: Path, name: str, text: str, markers: Markers
) -> tuple[str, Mapping[str, str]] | None:
    """The text rewritten, and what its names are called in it."""
    log = frozenset(word for line in markers.log for word in line.split())
    given = " ".join(markers.arguments or [])
    left = reserved_names() | log | frozenset(given.replace("=", " ").split())
    if markers.log and name not in (MACROS, "comments", "order"):
        return None  # the log has names of kernels and numbers of lines in it
    if name == NAMES:
        return cuda_rewrites.renamed(text, left, "names")
    if name == MACROS:
        other = cuda_rewrites.through_macros(text, left)
    else:
        other = (PTX if path.suffix == ".ptx" else CUDA)[name](text)
    return None if other is None else (other, {})


def found_in(
    path: Path, text: str, markers: Markers, folder: Path, names: Mapping[str, str]
) -> Counter[Meaning]:
    """The findings of a text that stands where a fixture stands."""
    folder.mkdir()
    for header in path.parent.glob("*.cuh"):
        (folder / header.name).write_text(header.read_text(encoding="utf-8"), encoding="utf-8")
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    rules = [rule for rule in rules_for(path, load_rules()).values() if is_about_code(rule.code)]
    settings = settings_of(markers).changed(show_possible=True)
    result = check(collect_inputs([str(copy)]), settings, rules)
    return Counter(meaning(finding, names) for finding in result.findings)


def told(found: Counter[Meaning], rewrite: str) -> object:
    """What must be the same. Findings of one line are joined, and of several doubts about it one is
    shown: where lines change, it is which rules speak of which kernels for sure.
    """
    if rewrite not in LINES:
        return found
    return {meaning[:2] for meaning in found if meaning[3] is Certainty.DEFINITE}


def is_about_code(code: str) -> bool:
    """Not about suppressions, which are comments."""
    return load_rules()[code].category is not Category.REPORT and not code.startswith("SUP")


def meaning(finding: Finding, names: Mapping[str, str]) -> Meaning:
    """What a finding says but for words and places."""
    back = {new: old for old, new in names.items()}
    head, angle, _ = finding.kernel.partition("<")
    numbers = tuple(
        (fact.name, fact.value)
        for fact in finding.evidence
        if isinstance(fact.value, int | float) and "line" not in fact.name
    )
    return (
        finding.rule.code,
        back.get(head, head) + angle,
        finding.severity,
        finding.certainty,
        numbers,
    )
