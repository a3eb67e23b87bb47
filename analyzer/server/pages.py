"""The pages of rules as files that an editor can open.

In: a rule. Out: the URI of a Markdown file with its page, in the folder where results are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...grammars.stored import cache_folder
from ..source.replacing import replace_whole

if TYPE_CHECKING:
    from ..findings.rule import Rule


def page_uri(rule: Rule) -> str | None:
    """The URI of a rule's page for an editor; None where no file can be written."""
    path = cache_folder().absolute() / "pages" / f"{rule.code}.md"
    title = f"# {rule.code} {rule.name}\n\n{rule.summary}\n\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_whole(str(path), (title + rule.page).encode())
    except OSError:
        return None
    return path.as_uri()
