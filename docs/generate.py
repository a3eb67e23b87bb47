"""Writes docs/commands.md, configuration.md, doubts.md, architecture/facts.md and the README's
rule table.

`python docs/generate.py` writes them anew; a test compares them with what it would write. The texts
are those of `--help`, of the table of configuration keys, of the rules and of the registry of
doubts, so that they cannot differ. Of the README only what stands between its two markers is
written.
"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warplint.analyzer.analyses.doubts.question.doubt import Effect
from warplint.analyzer.analyses.doubts.registry import all_registered, doubts_about
from warplint.analyzer.analyses.facts import KernelFacts, LaunchFacts
from warplint.analyzer.cli.main import command_line
from warplint.analyzer.cli.shared.headings import heading_of
from warplint.analyzer.config.keys import KEYS
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
RULES_BEGIN = "<!-- rules: written by docs/generate.py from rules/; change them there -->\n"
RULES_END = "<!-- end of rules -->\n"
NOTE = "<!-- Written by docs/generate.py from the program itself: change it there. -->"


FACTS_INTRODUCTION = """\
A rule's `check` gets a `KernelFacts` and nothing else. Everything is computed when it is first
asked for, and kept. Each room of `analyzer/analyses/` adds what may be asked from it on: an
analysis says by the class that it takes (`PointerFacts`, `WarpLaunch`, ...) what it depends on; it
may stand in any later room.

`facts.kernel`, `facts.module` and `facts.options` are the kernel, its file and what the user said;
`launch.facts` leads back from a launch to its kernel, `launch.launch` is the launch itself."""


DOUBTS_INTRODUCTION = """\
Two threads that meet at one place with nothing to order them are a fact. Whether it does harm is
not always known; nor is what a mask, a stride or a product is in every launch. Each reason that may
speak against a report is a *doubt* with a name. The rules ask them in order; a finding is definite
when none holds.

`warplint check --show-possible` shows the other findings, each with the doubts that hold: in the
text as `doubt:`, in JSON, JSON Lines and SARIF as `doubts`. `warplint explain --verdict FILE:LINE`
prints every question about the conflicts of a line and its answer, also where nothing was reported.
The names stay the same from version to version."""

DOUBTS_TITLES = {
    Effect.BENIGN: "Not reported unless `--show-possible` is given",
    Effect.POSSIBLE: "Reported as possible",
}


def pages() -> dict[str, str]:
    """The path, from docs/, and the text of every page."""
    return {
        "commands.md": commands_page(),
        "configuration.md": configuration_page(),
        "doubts.md": doubts_page(),
        "architecture/facts.md": facts_page(),
        "../README.md": readme((HERE.parent / "README.md").read_text(encoding="utf-8")),
    }


def readme(text: str) -> str:
    """The README with a row for each rule, in the order of their codes."""
    before, _, rest = text.partition(RULES_BEGIN)
    _, end, after = rest.partition(RULES_END)
    if not end:
        raise ValueError(f"README.md: the markers {RULES_BEGIN!r} and {RULES_END!r} are missing")
    return f"{before}{RULES_BEGIN}{rule_rows()}{end}{after}"


def rule_rows() -> str:
    """The table of rules, and which of them are off."""
    rules = sorted(load_rules().values(), key=lambda rule: rule.code)
    lines = ["| Code | Name | What it finds |", "|---|---|---|"]
    lines += [f"| `{rule.code}` | {rule.name} | {_cell(rule.summary)} |" for rule in rules]
    off = ", ".join(f"`{rule.code}`" for rule in rules if not rule.default)
    return "\n".join([*lines, "", f"Off unless selected: {off}.", ""])


def doubts_page() -> str:
    """Every doubt: its reason, and the rules whose findings it is asked about."""
    rules = load_rules().values()
    asked = {rule.code: doubts_about(rule.judged) for rule in rules}
    lines = [NOTE, "", "# Doubts", "", DOUBTS_INTRODUCTION, ""]
    for effect, title in DOUBTS_TITLES.items():
        lines += [f"## {title}", "", "| Doubt | Reason | Rules |", "|---|---|---|"]
        for doubt in all_registered():
            if doubt.effect is effect:
                codes = ", ".join(code for code, doubts in asked.items() if doubt in doubts)
                codes = codes or "all of what costs time"
                lines.append(f"| `{doubt.name}` | {_cell(doubt.reason)} | {codes} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def commands_page() -> str:
    """Every command with its arguments and options."""
    context = click.Context(command_line, info_name="warplint", terminal_width=100)
    lines = [NOTE, "", "# Commands", "", _text(command_line.help or ""), ""]
    lines += [_text(command_line.epilog or ""), ""]
    for command, inner in _commands(command_line, context):
        lines += _command(command, inner)
    return "\n".join(lines).rstrip() + "\n"


def _commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """The commands of a group and of the groups in it."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, terminal_width=100)
        yield command, inner
        if isinstance(command, click.Group):
            yield from _commands(command, inner)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f"## `{context.command_path}`"
    yield ""
    yield f"    {context.command_path} {pieces}"
    yield ""
    yield _text(command.help or "")
    yield ""
    sections: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1] and "--help" not in parameter.opts:
            sections.setdefault(heading_of(parameter), []).append(record)
    for heading, rows in sections.items():
        yield f"| {'Option' if len(sections) == 1 else heading} | Meaning |"
        yield "|---|---|"
        yield from (f"| `{_cell(option)}` | {_cell(meaning)} |" for option, meaning in rows)
        yield ""


def facts_page() -> str:
    """What a rule may ask of a kernel and of a launch, by the room that answers."""
    lines = [NOTE, "", "# What `facts` offers", ""]
    lines += [FACTS_INTRODUCTION, ""]
    for title, top in (("A kernel", KernelFacts), ("One of its launches", LaunchFacts)):
        lines += [f"## {title}: `{top.__name__}`", ""]
        for level in reversed(top.__mro__[:-1]):
            rows = list(_members(level))
            if rows:
                room = level.__module__.removeprefix("warplint.").replace(".", "/")
                lines += [f"From `{room}.py`:", "", "| Name | What it is |", "|---|---|", *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


def _members(level: type) -> Iterator[str]:
    """A row for each public property and method that a class defines."""
    for name, member in vars(level).items():
        function = getattr(member, "func", getattr(member, "fget", member))
        if name.startswith("_") or not callable(function) or _is_abstract(member):
            continue
        called = "" if function is not member else "(...)"
        summary = " ".join((function.__doc__ or "").strip().split("\n\n")[0].split())
        yield f"| `{name}{called}` | {_cell(summary)} |"


def _is_abstract(member: object) -> bool:
    """Whether a later class defines it."""
    return bool(getattr(member, "__isabstractmethod__", False))


def configuration_page() -> str:
    """Every key of a configuration file."""
    lines = [NOTE, "", (HERE / "configuration_intro.md").read_text(encoding="utf-8").rstrip(), ""]
    for key in KEYS:
        lines += [f"### `{key.name}`", "", key.help, "", f"Default: {_default(key.default)}", ""]
        lines += ["```toml", key.example, "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _default(text: str) -> str:
    return f"`{text}`" if text[0] in '"[{0123456789' or text in ("true", "false") else text


def _text(text: str) -> str:
    return click.formatting.wrap_text(cleandoc(text), 96, preserve_paragraphs=True)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", r"\|").split())


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
