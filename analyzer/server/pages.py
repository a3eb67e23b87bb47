"""The pages of rules as files that an editor can open.

In: a rule. Out: the URI of a Markdown file with its page, in the folder where results are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...grammars.stored import cache_folder, store

if TYPE_CHECKING:
    from ..findings.rule import Rule


def page_uri(rule: Rule) -> str | None:
    """Where the page of a rule is; None where no file can be written."""
    path = cache_folder().absolute() / "pages" / f"{rule.code}.md"
    title = f"# {rule.code} {rule.name}\n\n{rule.summary}\n\n"
    return path.as_uri() if store(path, (title + rule.page).encode()) else None
