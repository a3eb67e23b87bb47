"""Which rules apply: codes (`SHM001`), names (`bank-conflict`), families (`SHM`), or `ALL`.

In: the rules there are and what a user wrote. Out: the rules to apply, sorted by code. Without a
selection those apply that are on by default. Ignoring wins over selecting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..findings.rule import Rule


def select_rules(
    rules: Mapping[str, Rule], select: Sequence[str], ignore: Sequence[str]
) -> tuple[Rule, ...]:
    """The rules that remain, sorted by code."""
    selected = {code for selector in select for code in matching_codes(rules, selector)}
    if not select:
        selected = {code for code, rule in rules.items() if rule.default}
    ignored = {code for selector in ignore for code in matching_codes(rules, selector)}
    return tuple(rules[code] for code in sorted(selected - ignored))


def matching_codes(rules: Mapping[str, Rule], selector: str) -> list[str]:
    """The codes one selector means; raises `UsageError` when there is none."""
    upper = selector.upper()
    if upper == "ALL":
        return list(rules)
    codes = [code for code in rules if upper and code.startswith(upper)]
    codes = codes or [code for code, rule in rules.items() if rule.name == selector.lower()]
    if not codes:
        raise unknown_rule(rules, selector)
    return codes


def find_rule(rules: Mapping[str, Rule], text: str) -> Rule:
    """The one rule with this code or name."""
    if text.upper() in rules:
        return rules[text.upper()]
    for rule in rules.values():
        if rule.name == text.lower():
            return rule
    raise unknown_rule(rules, text)


def unknown_rule(rules: Mapping[str, Rule], text: str) -> UsageError:
    """The error for a code or name that no rule has."""
    families = sorted({code[:3] for code in rules})
    near = did_you_mean(text.upper(), [*rules, *families])
    near = near or did_you_mean(text.lower(), [rule.name for rule in rules.values()])
    advice = "`warplint rules` lists them all"
    return UsageError(f"unknown rule `{text}`", f"{near} {advice}".strip())
