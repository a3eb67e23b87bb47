"""The table of the rules, kept between runs: who looks up a result imports no rule.

In: the rules as their modules define them, once for each state of warplint. Out: the same rules,
each with a check that imports its module when it is called. Rules are pages of text and plain
values; what is kept is `marshal` data, which can do nothing but name modules of this package. A
table that is missing, damaged or of another state of warplint is made anew.
"""

from __future__ import annotations

import contextlib
import importlib
import marshal
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..analyzer.findings.finding import Certainty, Severity
from ..analyzer.findings.rule import Category, Input, Rule, Subject
from ..analyzer.source.records import dataclass
from ..grammars.installation import installation
from ..grammars.stored import cache_folder, load, store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ..analyzer.findings.finding import Finding

_KEPT = 8  # tables: of other installations, and of what was edited since


@dataclass(frozen=True, slots=True)
class StoredCheck:
    """The check of the rule that a module defines."""

    module: str

    def __call__(self, subject: Any) -> Iterable[Finding]:
        """Import the module and do what its check does."""
        found: Iterable[Finding] = importlib.import_module(self.module).check(subject)
        return found


def stored_rules() -> dict[str, Rule] | None:
    """The rules that were kept; None when there are none of this state of warplint."""
    try:
        data = load(_place())
        rows = None if data is None else marshal.loads(data)
        return None if rows is None else {row["code"]: _rule(row) for row in rows}
    except (OSError, ValueError, LookupError, TypeError, EOFError):
        return None


def store_rules(rules: Mapping[str, Rule], modules: Mapping[str, str]) -> None:
    """Keep the rules; `modules` says which module defines the rule of a code."""
    rows = [_row(rule, modules[code]) for code, rule in rules.items()]
    with contextlib.suppress(OSError):  # of a package in an archive, or of another process
        place = _place()
        if store(place, marshal.dumps(rows)):
            tables = sorted(
                place.parent.glob("rules-*.table"), key=lambda path: path.stat().st_mtime
            )
            for path in tables[:-_KEPT]:
                path.unlink()


def _place() -> Path:
    key = sha256(installation().encode()).hexdigest()
    return cache_folder() / f"rules-{key[:20]}.table"


def _row(rule: Rule, module: str) -> dict[str, object]:
    return {
        "module": module if rule.check is not None else None,
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "category": rule.category.value,
        "severity": rule.severity.value,
        "certainty": rule.certainty.value,
        "inputs": sorted(each.value for each in rule.inputs),
        "default": rule.default,
        "subject": rule.subject.value,
        "joins": rule.joins,
        "costly": rule.costly,
        "references": rule.references,
        "page": rule.page,
    }


def _rule(row: dict[str, Any]) -> Rule:
    module = row["module"]
    if module is not None and not module.startswith(f"{__package__}."):
        raise ValueError(module)  # nobody's table gets to import what it likes
    return Rule(
        code=row["code"],
        name=row["name"],
        summary=row["summary"],
        category=Category(row["category"]),
        severity=Severity(row["severity"]),
        certainty=Certainty(row["certainty"]),
        inputs=frozenset(map(Input, row["inputs"])),
        default=row["default"],
        subject=Subject(row["subject"]),
        joins=row["joins"],
        costly=row["costly"],
        references=tuple(row["references"]),
        page=row["page"],
        check=None if module is None else StoredCheck(module),
    )
