"""What a client is able to do, and the settings that it sends.

In: the parameters of `initialize`, and settings as plain data. Out: a `Client` and `Options`. What
a setting may be is checked here; one that cannot be used is reported, and its default holds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pygls.uris import to_fs_path

from ..source.records import dataclass
from .positions import ENCODINGS
from .session import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from lsprotocol import types

KINDS = {
    "configuration": dict,
    "isolated": bool,
    "inlayHints": bool,
    "codeLens": bool,
    "ruleUrl": str,
    "suppressionReason": str,
    "debounce": int,  # milliseconds
}


_LONGEST = 10_000  # milliseconds to wait for: a workspace cannot put checks off for good


@dataclass(frozen=True, slots=True)
class Client:
    """What an editor, as client of the language server, can do."""

    encoding: str = "utf-16"
    root: str = "."
    pulls: bool = False  # it asks for diagnostics
    refreshes_diagnostics: bool = False
    refreshes_hints: bool = False
    refreshes_lenses: bool = False
    resolves_edits: bool = False
    shows_documents: bool = False
    watches_files: bool = False

    @staticmethod
    def of(params: types.InitializeParams) -> Client:
        """What a client says of itself."""
        can = params.capabilities
        document, workspace, window = can.text_document, can.workspace, can.window
        action = document.code_action if document else None
        resolving = action.resolve_support if action else None
        diagnostics = workspace.diagnostics if workspace else None
        hints = workspace.inlay_hint if workspace else None
        lenses = workspace.code_lens if workspace else None
        watching = workspace.did_change_watched_files if workspace else None
        showing = window.show_document if window else None
        return Client(
            encoding=_encoding(can),
            root=_root(params),
            pulls=bool(document and document.diagnostic),
            refreshes_diagnostics=bool(diagnostics and diagnostics.refresh_support),
            refreshes_hints=bool(hints and hints.refresh_support),
            refreshes_lenses=bool(lenses and lenses.refresh_support),
            resolves_edits=bool(resolving and "edit" in resolving.properties),
            shows_documents=bool(showing and showing.support),
            watches_files=bool(watching and watching.dynamic_registration),
        )


def _encoding(can: types.ClientCapabilities) -> str:
    """The first one of the client's that we know, as pygls chooses it, too."""
    offered = (can.general.position_encodings if can.general else None) or ()
    words = [str(getattr(each, "value", each)) for each in offered]
    return next((word for word in words if word in ENCODINGS), "utf-16")


def _root(params: types.InitializeParams) -> str:
    """The folder of buffers that have no file."""
    folders = [folder.uri for folder in params.workspace_folders or ()]
    uris = [*folders, *([params.root_uri] if params.root_uri else [])]
    paths = [path for uri in uris if (path := path_of(uri)) is not None]
    return paths[0] if paths else params.root_path or os.getcwd()


def path_of(uri: str) -> str | None:
    """The path of a document; None for what is no file."""
    try:
        path = to_fs_path(uri) if urlsplit(uri).scheme == "file" else None
    except ValueError:  # such as `file://[`
        return None
    return None if path is None or "\0" in path else path


def options_of(settings: Any, warn: Callable[[str], None]) -> Options:
    """The options that an editor's settings say."""
    if settings is None:
        return Options()
    if not isinstance(settings, dict):
        warn("the settings are no object: the defaults hold")
        return Options()
    known: dict[str, Any] = {}
    for name, value in settings.items():
        kind = KINDS.get(name)
        if kind is None:
            warn(f"unknown setting `{name}`: it is one of {', '.join(KINDS)}")
        elif type(value) is not kind:
            warn(f"setting `{name}` is to be of the type {kind.__name__}")
        else:
            known[name] = value
    if known.get("ruleUrl") and not known["ruleUrl"].startswith(("https://", "http://")):
        warn("setting `ruleUrl` is to be an address that begins with https:// or http://")
        del known["ruleUrl"]
    default = Options()
    return Options(
        configuration=known.get("configuration", default.configuration),
        isolated=known.get("isolated", default.isolated),
        hints=known.get("inlayHints", default.hints),
        lenses=known.get("codeLens", default.lenses),
        rule_url=known.get("ruleUrl", default.rule_url),
        reason=_one_line(known.get("suppressionReason", default.reason)),
        debounce=min(max(known.get("debounce", round(default.debounce * 1000)), 0), _LONGEST)
        / 1000,
    )


def _one_line(reason: str) -> str:
    """A reason as the end of a comment, in which it cannot end the line or go on in the next."""
    shown = "".join(each if each.isprintable() else " " for each in reason)
    return " ".join(shown.split()).rstrip("\\ ")
