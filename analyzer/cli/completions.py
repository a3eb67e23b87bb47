"""`warplint completions SHELL`: the script by which a shell completes our commands."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")

_VARIABLE = "_WARPLINT_COMPLETE"


@click.command("completions", short_help="Print a shell completion script.")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script with which SHELL completes commands, options and rules.

    bash: `warplint completions bash > ~/.local/share/bash-completion/completions/warplint`;
    zsh: the same into a file `_warplint` on your $fpath;
    fish: into `~/.config/fish/completions/warplint.fish`.
    """
    from click.shell_completion import get_completion_class

    from .main import command_line
    from .shared.output import write_report

    kind = get_completion_class(shell)
    assert kind is not None  # click knows the three
    write_report(kind(command_line, {}, "warplint", _VARIABLE).source() + "\n", None, exact=True)
    return 0
