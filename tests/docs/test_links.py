"""Every link of every document leads somewhere, to a heading too; the site has the same links."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from source_tree import ROOT, loaded

DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "editors").glob("*/README.md"),
]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def links_of(text: str) -> list[str]:
    return LINK.findall(CODE.sub("`x`", FENCE.sub("", text)))


@cache
def anchors_of(path: Path) -> frozenset[str]:
    """The names of a document's headings, as GitHub and MkDocs make them."""
    headings = HEADING.findall(FENCE.sub("", path.read_text(encoding="utf-8")))
    plain = [re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in headings]
    return frozenset(re.sub(r"\s", "-", heading) for heading in plain)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    broken = []
    for target in links_of(path.read_text(encoding="utf-8")):
        if re.match(r"https://[\w.-]+(/|$)", target):
            continue
        place, _, anchor = target.partition("#")
        meant = (path.parent / place).resolve() if place else path
        known = anchors_of(meant) if anchor and meant.suffix == ".md" else {anchor}
        if not meant.exists() or not meant.is_relative_to(ROOT) or anchor not in known:
            broken.append(target)
    assert broken == []


def test_what_a_broken_link_is() -> None:
    assert links_of("[a](b.md) `[c](d.md)` ![e](f.png)\n```\n[g](h.md)\n```\n") == ["b.md", "f.png"]
    assert "exit-codes" in anchors_of(ROOT / "docs" / "use.md")
    assert "kernel-size" in anchors_of(ROOT / "docs" / "configuration.md")


# ---- the site ------------------------------------------------------------------------------------


@cache
def hooks() -> Any:
    return loaded(ROOT / "docs" / "site_hooks.py")


PAGES = {"use.md", "index.md", "how_to/teacher.md", "project/SECURITY.md", "project/CHANGELOG.md"}


@pytest.mark.parametrize(
    ("uri", "link", "wanted"),
    [
        ("how_to/teacher.md", "[a](../use.md#exit-codes)", "[a](../use.md#exit-codes)"),
        ("project/SECURITY.md", "[a](docs/use.md)", "[a](../use.md)"),
        ("project/SECURITY.md", "[a](CHANGELOG.md)", "[a](CHANGELOG.md)"),
        ("use.md", "[a](../SECURITY.md#x)", "[a](project/SECURITY.md#x)"),
        ("use.md", "[a](../README.md)", "[a](index.md)"),
        ("use.md", "[a](../action.yml)", "[a](https://host/repository/blob/main/action.yml)"),
        ("use.md", "[a](../rules)", "[a](https://host/repository/tree/main/rules)"),
        ("use.md", "[a](nowhere.md)", "[a](nowhere.md)"),
        ("use.md", "[a](https://x.org/b.md)", "[a](https://x.org/b.md)"),
        ("use.md", "`[a](../README.md)`", "`[a](../README.md)`"),
    ],
)
def test_links_of_the_site(uri: str, link: str, wanted: str) -> None:
    assert hooks().relinked(link, uri, PAGES, "https://host/repository/") == wanted


def test_without_an_address_a_file_is_text() -> None:
    assert hooks().relinked("see [it](../action.yml)", "use.md", PAGES, "") == "see it"


def test_every_page_is_in_the_navigation_or_left_out() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"^ +- (?:[\w ]+: )?([\w/]+\.md)$", text, re.MULTILINE))
    left_out = re.findall(r"^  ([\w*/]+\.md)$", text, re.MULTILINE)
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    there = written | set(hooks().generated_pages())
    assert named <= there
    assert [page for page in there - named if not any(Path(page).match(p) for p in left_out)] == []


def test_every_module_has_its_sentence() -> None:
    rows = re.findall(r"^\| `(\w+\.py)` \| (.*) \|$", hooks().module_index(), re.MULTILINE)
    assert [name for name, sentence in rows if not sentence] == []
    ours = {path.name for path in (ROOT / "analyzer").rglob("*.py")} - {"__init__.py"}
    assert ours <= {name for name, _ in rows}
