"""Links from findings to pages of rules: one place says where the site is."""

from __future__ import annotations

import importlib.metadata
from email.message import Message
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.findings.addresses import project_url, rule_url
from warplint.analyzer.report.formats.sarif_rules import Catalogues, descriptor
from warplint.analyzer.server.session import Options
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SITE = "https://docs.example.org/warplint"


@pytest.fixture
def urls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    def state(*values: str) -> None:
        package = Message()
        for value in values:
            package["Project-URL"] = value
        monkeypatch.setattr(importlib.metadata, "metadata", lambda _name: package)
        project_url.cache_clear()

    yield state
    project_url.cache_clear()


def test_no_address_no_link(urls: Callable[..., None]) -> None:
    urls()
    assert rule_url("SHM001") == ""
    rules = load_rules()
    assert descriptor(rules["SHM001"], Catalogues(rules.values())).help_uri is None
    assert Options().rule_url == ""


def test_a_link_for_each_rule(urls: Callable[..., None]) -> None:
    urls("Repository, https://example.org/code", f"Documentation, {SITE}/")
    assert project_url("Repository") == "https://example.org/code"
    assert rule_url("SHM001") == f"{SITE}/rules/SHM001.html"
    rules = load_rules()
    made = descriptor(rules["SHM001"], Catalogues(rules.values()))
    assert made.help_uri == f"{SITE}/rules/SHM001.html"
    assert Options().rule_url == f"{SITE}/rules/{{code}}.html"


def test_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Message:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "metadata", missing)
    project_url.cache_clear()
    assert project_url("Documentation") == ""
    project_url.cache_clear()
