"""`warplint server`: a language server for editors, on the standard streams."""

from __future__ import annotations

import click

from ..config.errors import UsageError


@click.command("server", short_help="Serve an editor: diagnostics while one types.")
def command() -> int:
    """Speak the Language Server Protocol on stdin and stdout, for one editor.

    It shows findings, fixes, suppressions, costs of accesses and resources of kernels, of the text
    as it is in the editor. Settings come from the nearest configuration file, and from the editor.
    It needs `pip install "warplint[lsp]"`.
    """
    try:
        from ..server.serving import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        advice = 'install it with `pip install "warplint[lsp]"`'
        message = "the language server needs pygls, which is not installed"
        raise UsageError(message, advice) from None
    serve()
