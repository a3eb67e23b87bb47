"""What `mkdocs build` needs besides the pages of docs/: pages of rules, and links that lead on.

In: the configuration `mkdocs.yml`. Out, through the functions that MkDocs calls by name: a page for
each rule, written from the rule; a page that has every module in a sentence, the first of its own
text; the documents of the repository's root as `project/NAME`; and links between documents as the
site has them. A link to a file that is no page leads to the
repository, whose address is `Repository` in `[project.urls]` of pyproject.toml, and is plain text
without one.
"""

from __future__ import annotations

import ast
import posixpath
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from warplint.analyzer.findings.addresses import project_url
from warplint.analyzer.report.rule_page import rule_markdown
from warplint.rules import load_rules

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
ROOMS = ("grammars", "analyzer", "rules")
MODULES = """\
# Every module in a sentence

The sentence is the first of the module's own text. What a room is for, and which rooms may ask it,
is said in the [architecture](../../ARCHITECTURE.md); here one finds the file in it."""
PROJECT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
_CODE_OR_LINK = re.compile(
    r"^```.*?^```|`[^`\n]+`|(?<!!)\[(?P<text>[^\]\n]+)\]\((?P<target>[^)\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The addresses, where they are known."""
    config.site_url = project_url("Documentation") or None
    config.repo_url = project_url("Repository") or None
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that no file of docs/ holds."""
    from mkdocs.structure.files import File

    for uri, text in generated_pages().items():
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links that lead between documents of the repository lead between pages."""
    pages = {each.src_uri for each in files}
    return relinked(markdown, page.file.src_uri, pages, config.repo_url or "")


def relinked(markdown: str, uri: str, pages: set[str], repository: str) -> str:
    """A document of the repository, at its place in a site of these pages."""
    return _CODE_OR_LINK.sub(partial(_link, uri, pages, repository), markdown)


def generated_pages() -> dict[str, str]:
    """By their place in the site: the rules with an index, and the documents of the root."""
    rules = sorted(load_rules().values(), key=lambda rule: rule.code)
    rows = [f"| [`{rule.code}`]({rule.code}.md) | {rule.name} | {rule.summary} |" for rule in rules]
    table = "\n".join(["| Code | Name | What it finds |", "|---|---|---|", *rows])
    pages = {f"rules/{rule.code}.md": rule_markdown(rule) for rule in rules}
    pages["rules/index.md"] = f"# Rules\n\n{table}\n"
    pages["architecture/modules.md"] = module_index()
    for name in PROJECT:
        pages[f"project/{name}"] = (ROOT / name).read_text(encoding="utf-8")
    return pages


def module_index() -> str:
    """Every room that holds modules, each with its modules and their first sentences."""
    lines = [MODULES, ""]
    for folder in sorted({path.parent for room in ROOMS for path in (ROOT / room).rglob("*.py")}):
        modules = [path for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]
        if modules:
            lines += [f"## `{folder.relative_to(ROOT).as_posix()}/`", ""]
            lines += ["| Module | What it holds |", "|---|---|", *map(_module_row, modules), ""]
    return "\n".join(lines).rstrip() + "\n"


def _module_row(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence = " ".join(text.partition("\n\n")[0].split()).replace("|", r"\|")
    return f"| `{path.name}` | {sentence} |"


def _link(uri: str, pages: set[str], repository: str, found: re.Match[str]) -> str:
    target = found["target"]
    if target is None or target.startswith(("#", "https:", "http:")):
        return found[0]
    path, mark, anchor = target.partition("#")
    place = _in_repository(uri)
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    on_site = _in_site(meant)
    if on_site in pages:
        link = posixpath.relpath(on_site, posixpath.dirname(uri) or ".")
        return f"[{found['text']}]({link}{mark}{anchor})"
    if (ROOT / meant).exists():
        kind = "tree" if (ROOT / meant).is_dir() else "blob"
        link = f"({repository.rstrip('/')}/{kind}/main/{meant})"
        return f"[{found['text']}]{link}" if repository else found["text"]
    return found[0]  # MkDocs says that it leads nowhere


def _in_repository(uri: str) -> str:
    return uri.removeprefix("project/") if uri.startswith("project/") else f"docs/{uri}"


def _in_site(path: str) -> str:
    if path == "README.md":
        return "index.md"
    return path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"
