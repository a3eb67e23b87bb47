"""Where the project is on the web: `[project.urls]` of pyproject.toml alone says so.

In: the metadata of the installed package. Out: an address, or nothing where none was given or the
package is not installed. Pages of rules are below `Documentation`, as `mkdocs build` lays them.
"""

from __future__ import annotations

from functools import cache


@cache
def project_url(label: str) -> str:
    """The address with this label (`Documentation`, `Repository`), or an empty text."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        stated = metadata("warplint").get_all("Project-URL") or ()
    except PackageNotFoundError:
        return ""
    for each in stated:
        name, _, address = str(each).partition(", ")
        if name == label:
            return address.rstrip("/")
    return ""


def rule_url(code: str) -> str:
    """The page of a rule, or an empty text while no address is known."""
    site = project_url("Documentation")
    return f"{site}/rules/{code}.html" if site else ""
