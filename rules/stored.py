"""The table of the rules, kept between runs: who looks up a result imports no rule.

In: the rules as their modules define them, once for each state of warplint. Out: the same rules,
each with a check that imports its module when it is called. Rules are pages of text and plain
values; what is kept is JSON, which can do nothing but name the files of rules in this package. A
table that is missing, damaged or of another state of warplint is made anew.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
from dataclasses import fields
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..analyzer.findings.finding import Certainty, Severity
from ..analyzer.findings.rule import CODE, PAGE_SECTIONS, Category, Input, Joins, Rule, Subject, Tag
from ..analyzer.source.plain_form import FormError, Forms
from ..analyzer.source.records import dataclass
from ..grammars.installation import installation
from ..grammars.stored import cache_folder, load, make_room, store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ..analyzer.findings.finding import Finding

_KEPT = 8  # tables: of other installations, and of what was edited since
_MOST = 1_000_000  # bytes of one
_NAME = re.compile(r"rules-[0-9a-f]{20}\.table")
_HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """The check of a rule as the stored table has it: its module, imported when it is run."""

    module: str

    def __call__(self, subject: Any) -> Iterable[Finding]:
        """Import the module and do what its check does."""
        found: Iterable[Finding] = _imported(self.module).check(subject)
        return found


@dataclass(frozen=True, slots=True)
class StoredRule:
    """A rule as it is kept: its fields, and the file of its check in place of it."""

    module: str  # below this package: "shared_memory.bank_conflict"
    checks: bool  # whether the module has a check
    code: str
    name: str
    summary: str
    category: Category
    severity: Severity
    certainty: Certainty
    inputs: frozenset[Input]
    default: bool
    subject: Subject
    joins: Joins
    each: str
    yields_to: frozenset[str]
    tag: Tag | None
    notes_stand_out: bool
    costly: bool
    uncalled: bool
    judged: tuple[str, ...]
    references: tuple[str, ...]
    page: str


_imported = cache(importlib.import_module)  # asked for each kernel
_ENUMS = (Category, Severity, Certainty, Input, Joins, Subject, Tag)
_ROWS = Forms((StoredRule, *_ENUMS))["list[StoredRule]"]
_OWN = ("module", "checks")
_PLAIN = tuple(field.name for field in fields(StoredRule) if field.name not in _OWN)


def stored_rules() -> dict[str, Rule] | None:
    """The rules that were kept; None when there are none of this state of warplint."""
    try:
        data = load(_place(), _MOST)
        rows = None if data is None else _ROWS.from_plain(json.loads(data))
        if rows is None or {row.module for row in rows} != _rule_files():
            return None
        rules = {row.code: _rule(row) for row in rows}
        return rules if len(rules) == len(rows) else None
    except (OSError, ValueError, RecursionError, FormError):
        return None


def store_rules(rules: Mapping[str, Rule], modules: Mapping[str, str]) -> None:
    """Keep the rules; `modules` says which module defines the rule of a code."""
    rows = [_row(rule, modules[code]) for code, rule in rules.items()]
    with contextlib.suppress(OSError):  # of a package in an archive, or of another process
        place = _place()
        if store(place, json.dumps(_ROWS.to_plain(rows)).encode()):
            own = (entry for entry in os.scandir(place.parent) if _NAME.fullmatch(entry.name))
            make_room(own, _KEPT, _KEPT * _MOST)


def _place() -> Path:
    key = sha256(installation().encode()).hexdigest()
    return cache_folder() / f"rules-{key[:20]}.table"


def _rule_files() -> set[str]:
    """The modules of all rules: a table that leaves one out, or names another, is none."""
    return {
        f"{family}.{name.removesuffix('.py')}"
        for family in os.listdir(_HERE)
        if not family.startswith("_") and os.path.isdir(os.path.join(_HERE, family))
        for name in os.listdir(os.path.join(_HERE, family))
        if name.endswith(".py") and not name.startswith("_")
    }


def _row(rule: Rule, module: str) -> StoredRule:
    inside = module.removeprefix(f"{__package__}.")
    plain = {name: getattr(rule, name) for name in _PLAIN}
    return StoredRule(module=inside, checks=rule.check is not None, **plain)


def _rule(row: StoredRule) -> Rule:
    named = row.name.replace("-", "_") == row.module.partition(".")[2]
    whole = all(f"## {title}\n" in row.page for title in PAGE_SECTIONS)
    if not (named and whole and CODE.fullmatch(row.code)):
        raise FormError(f"{row.module} is not the rule that the table says")
    check = StoredCheck(f"{__package__}.{row.module}") if row.checks else None
    return Rule(**{name: getattr(row, name) for name in _PLAIN}, check=check)
