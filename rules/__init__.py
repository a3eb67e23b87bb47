"""The rules: one file each, found by walking the families' folders.

In: the modules `rules/<family>/<rule_name>.py`. Out: `load_rules`, a table from code to `Rule`
with its page and its check filled in; `stored.py` keeps it between runs. A rule file that lacks
something is our bug, so discovery stops with `RuleDefinitionError` naming the file; it never skips
a rule silently.
A module whose name begins with an underscore is shared code of a family, not a rule; `_shared/` is
the code that families share.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ..analyzer.findings.rule import CODE, Category, Rule
from ..analyzer.findings.taxonomies import TAXA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import ModuleType

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class RuleDefinitionError(Exception):
    """A rule file is incomplete or contradicts another one."""


@cache
def load_rules() -> Mapping[str, Rule]:
    """Every rule of the package by its code, in the order of the codes.

    They are read from a table that an earlier run has made, if there is one of these very files.
    """
    from .stored import store_rules, stored_rules

    rules = stored_rules()
    if rules is None:
        modules = list(_rule_modules())
        rules = assemble(modules)
        store_rules(rules, {module.RULE.code: module.__name__ for module in modules})
    return rules


def assemble(modules: Iterable[ModuleType]) -> dict[str, Rule]:
    """The rules that `modules` define, by code; raises when a rule is incomplete or doubled."""
    rules: dict[str, Rule] = {}
    origins: dict[str, str] = {}
    for module in modules:
        rule = rule_of(module)
        for key in (rule.code, rule.name):
            if key in origins:
                raise RuleDefinitionError(
                    f"{module.__name__}: {key} is already taken by {origins[key]}"
                )
            origins[key] = module.__name__
        rules[rule.code] = rule
    return dict(sorted(rules.items()))


def rule_of(module: ModuleType) -> Rule:
    """The rule that one module defines, with its page and check, verified."""
    where = module.__name__
    rule = getattr(module, "RULE", None)
    if not isinstance(rule, Rule):
        raise RuleDefinitionError(f"{where}: define RULE = Rule(...)")
    if not CODE.fullmatch(rule.code):
        raise RuleDefinitionError(f"{where}: code {rule.code!r} is not three letters, three digits")
    if not _NAME.fullmatch(rule.name):
        raise RuleDefinitionError(f"{where}: name {rule.name!r} is not kebab-case")
    if not rule.summary:
        raise RuleDefinitionError(f"{where}: the rule has no summary")
    if not rule.inputs:
        raise RuleDefinitionError(f"{where}: the rule reads neither CUDA nor PTX")
    for name in rule.references:
        if name not in TAXA:
            raise RuleDefinitionError(f"{where}: {name} is no entry of findings/taxonomies.py")
    page = (module.__doc__ or "").strip()
    if not page:
        raise RuleDefinitionError(f"{where}: the module has no docstring, which is the rule's page")
    check = getattr(module, "check", None)
    if check is None and rule.category is not Category.REPORT:
        raise RuleDefinitionError(f"{where}: define check(facts)")
    return replace(rule, page=page, check=check)


def _rule_modules() -> Iterator[ModuleType]:
    """The rule modules of every family; works from a folder, a wheel or a zip file."""
    import pkgutil

    for family in pkgutil.iter_modules(__path__, __name__ + "."):
        if not family.ispkg or _is_shared(family.name):
            continue
        package = importlib.import_module(family.name)
        for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            if not _is_shared(found.name):
                yield importlib.import_module(found.name)


def _is_shared(name: str) -> bool:
    return name.rpartition(".")[2].startswith("_")
