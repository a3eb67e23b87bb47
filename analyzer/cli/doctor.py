"""`warplint doctor`: what a bug report needs, and why something does not work here."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from .shared.options import report_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .shared.options import Report

_NEEDED = ("lark", "pycparser", "click", "networkx")
_SERVER = ("pygls", "lsprotocol")


@click.command("doctor", short_help="Show versions, paths and the configuration in force.")
@report_options(["text", "json"])
def command(*, report: Report) -> int:
    """Show versions, paths, stored results, tools found, and the configuration in force.

    Nothing is changed, and nothing is sent anywhere.
    """
    from ..report.formats.json_report import dump
    from .shared.output import write_report

    facts = {
        "warplint": _warplint(),
        "python": f"{sys.version.split()[0]} ({sys.executable})",
        **{name: _version(name) for name in _NEEDED},
        "server": _server(),
        "ptxas": _ptxas(),
        "git": _git(),
        "rules": _rules(),
        "stored results": _stored(),
        "configuration": _configuration(),
    }
    write_report(dump(facts) if report.format == "json" else _text(facts), report.output)
    return 0


def _text(facts: Mapping[str, str]) -> str:
    width = max(map(len, facts))
    return "".join(f"{name:<{width}}  {value}\n" for name, value in facts.items())


def _warplint() -> str:
    from ... import __file__, __version__

    return f"{__version__} ({os.path.dirname(os.path.abspath(__file__))})"


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _server() -> str:
    versions = {name: _version(name) for name in _SERVER}
    if "not installed" in versions.values():
        return "not installed: `pip install warplint[lsp]` for `warplint server`"
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _ptxas() -> str:
    from ..resources.ptxas_run import find_compiler

    found = find_compiler()
    return "not found: only `resources --ptxas` needs it" if found is None else found.ptxas


def _git() -> str:
    from ..source.programs import find_program

    return find_program("git") or "not found: only --diff-base and --staged need it"


def _rules() -> str:
    from ...rules import load_rules
    from ..config.project import usable_rules

    rules = usable_rules(()).values()
    own = len(load_rules())
    brought = f", {len(rules) - own} of them from other packages" if len(rules) > own else ""
    return f"{len(rules)}, {sum(rule.default for rule in rules)} on by default{brought}"


def _stored() -> str:
    from ...grammars.stored import cache_folder, kept
    from ..source.words import plural

    count, size = kept()
    folder = cache_folder()
    near = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    refused = "" if os.access(near, os.W_OK) else ", which cannot be written"
    return f"{plural(count, 'file')}, {size:,} bytes in {folder}{refused}"


def _configuration() -> str:
    from ..config.architecture import architecture_name
    from ..config.errors import UsageError
    from ..config.project import CommandLine, Project

    project = Project(CommandLine())
    try:
        path, arch = project.run.path, project.settings.arch
    except UsageError as error:
        return f"cannot be used: {error.message}"
    return f"{path or 'none'} (architecture {architecture_name(arch)})"
