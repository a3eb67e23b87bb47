"""Which rules apply: codes (`SHM001`), names (`bank-conflict`), families (`SHM`), or `ALL`.

In: the rules there are and what a command line and a configuration select and ignore. Out: the
codes to apply. Without a selection those apply that are on by default. Ignoring wins over
selecting, except that a rule which the command line selects is not undone by a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..findings.rule import Rule
    from .configuration import Configuration


def chosen_codes(rules: Mapping[str, Rule], line: Configuration, file: Configuration) -> set[str]:
    """The codes of the rules that the command line and the configuration file choose."""
    if line.select is not None:
        codes = all_codes(rules, line.select)
    else:
        codes = {code for code, rule in rules.items() if rule.default}
        if file.select is not None:
            codes = all_codes(rules, file.select)
        codes |= all_codes(rules, file.extend_select)
        codes -= all_codes(rules, file.ignore)
    codes |= all_codes(rules, line.extend_select)
    return codes - all_codes(rules, line.ignore)


def all_codes(rules: Mapping[str, Rule], selectors: Iterable[str] | None) -> set[str]:
    """The codes of the rules that any of a user's selectors means."""
    return {code for selector in selectors or () for code in matching_codes(rules, selector)}


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
    """The rule that a user names by this code or name, in a setting or on the command line."""
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
    advice = "`warplint rules` lists all rules"
    return UsageError(f"unknown rule `{text}`", f"{near} {advice}".strip())
