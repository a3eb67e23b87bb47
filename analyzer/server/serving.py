"""The language server on the standard streams: what the protocol asks, handed to a session.

In: messages of the Language Server Protocol (3.17). Out: answers, diagnostics, and requests of our
own where the client can take them. Everything here is quick: analyses are made by another process.
The server ends with its client: when the pipe is closed, or when the process that the client named
is gone.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, cast

from lsprotocol import converters, types
from pygls.lsp.server import LanguageServer

from ... import __version__
from ..config.project import usable_rules
from ..source.programs import keep_current_folder_out
from .actions import BASELINE_COMMAND, FIX_ALL, KINDS, PAGE_COMMAND, actions_for, fix_all
from .answers import Answers
from .client import Client, options_of, path_of
from .pages import page_uri
from .protocol import Input, Protocol
from .semantic_tokens import MODIFIERS, TYPES
from .session import OpenDocument, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Plain = dict[str, Any]

_LOOK = 1.0  # seconds between two looks at the client's process
_WATCHED = (
    "**/{warplint,.warplint,pyproject}.toml",
    "**/compile_commands.json",
    "**/*.{cu,cuh,ptx,h,hh,hpp,hxx,inl}",
)
_CONVERTER = converters.get_converter()


def serve() -> NoReturn:
    """Serve one client of the language server and end the process."""
    keep_current_folder_out()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it misses the loop that we leave
    server = LanguageServer(
        "warplint",
        __version__,
        protocol_cls=Protocol,
        text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
    )
    Serving(server).register()
    try:
        server.start_io(cast("BinaryIO", Input(sys.stdin.buffer)))
    finally:
        _end(0)


def _end(code: int) -> NoReturn:
    """End at once: a thread may wait for a pipe that nobody closes."""
    os._exit(code)


class Serving:
    """The features of the language server."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._client = Client()
        self._session = Session(self._show, self._warn)
        self._pushed: set[str] = set()
        self._life: asyncio.Task[None] | None = None
        self._ended = False

    def register(self) -> None:
        """Tell the protocol what is answered."""
        plain: dict[str, Callable[..., Any]] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.SHUTDOWN: self._shutdown,
            types.EXIT: self._exit,
            types.TEXT_DOCUMENT_DID_OPEN: self._open,
            types.TEXT_DOCUMENT_DID_CHANGE: self._change,
            types.TEXT_DOCUMENT_DID_SAVE: self._look_again,
            types.TEXT_DOCUMENT_DID_CLOSE: self._close,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._look_again,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._configure,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._look_again,
            types.TEXT_DOCUMENT_HOVER: self._hover,
            types.TEXT_DOCUMENT_INLAY_HINT: self._hints,
            types.TEXT_DOCUMENT_CODE_LENS: self._lenses,
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self._symbols,
            types.TEXT_DOCUMENT_DEFINITION: self._definition,
            types.TEXT_DOCUMENT_REFERENCES: self._references,
            types.CODE_ACTION_RESOLVE: self._resolve,
        }
        for name, handler in plain.items():
            self._server.feature(name)(_function(handler))
        self._server.feature(
            types.TEXT_DOCUMENT_CODE_ACTION,
            types.CodeActionOptions(code_action_kinds=list(KINDS), resolve_provider=True),
        )(_function(self._actions))
        self._server.feature(
            types.TEXT_DOCUMENT_DIAGNOSTIC,
            types.DiagnosticOptions(
                inter_file_dependencies=True, workspace_diagnostics=False, identifier="warplint"
            ),
        )(_function(self._diagnostics))

        self._server.feature(
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
            types.SemanticTokensLegend(list(TYPES), list(MODIFIERS)),
        )(_function(self._tokens))

        def page(code: str) -> str:
            return self._page(code)

        self._server.command(PAGE_COMMAND)(page)

        async def add(job: Any) -> bool:  # pygls asks for a class here: `dict[str, Any]` is none
            return await self._add_to_baseline(job)

        self._server.command(BASELINE_COMMAND)(add)

    # ---- life --------------------------------------------------------------------------------

    def _initialize(self, params: types.InitializeParams) -> None:
        self._client = client = Client.of(params)
        session = self._session
        session.encoding = client.encoding
        session.root = client.root
        session.options = options_of(params.initialization_options, self._warn)
        if params.process_id is not None:
            self._life = asyncio.ensure_future(_follow(params.process_id))

    async def _initialized(self, _params: types.InitializedParams) -> None:
        self._session.begin()
        if self._client.watches_files:
            watchers = [types.FileSystemWatcher(glob_pattern=each) for each in _WATCHED]
            name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            self._server.client_register_capability(
                types.RegistrationParams([types.Registration("watched-files", name, options)])
            )

    def _shutdown(self, _params: None = None) -> None:
        self._ended = True
        self._session.end()

    def _exit(self, _params: None = None) -> NoReturn:
        self._session.end()
        sys.stdout.flush()
        _end(0 if self._ended else 1)

    # ---- documents ---------------------------------------------------------------------------

    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        it = params.text_document
        path = path_of(it.uri)
        self._session.open(OpenDocument(it.uri, path, it.language_id, it.version, it.text))

    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        it = params.text_document
        changes = _CONVERTER.unstructure(params.content_changes)
        self._session.change(it.uri, it.version, changes)

    def _close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._session.close(params.text_document.uri)

    def _look_again(self, _params: Any) -> None:
        self._session.look_again()

    def _configure(self, params: types.DidChangeConfigurationParams) -> None:
        settings = params.settings
        own = settings.get("warplint") if isinstance(settings, dict) else None
        if own is not None:
            self._session.set(options_of(own, self._warn))

    # ---- diagnostics -------------------------------------------------------------------------

    def _show(self) -> None:
        """Hand out what was found, as far as the client does not ask for it itself."""
        session, client = self._session, self._client
        shown = set()
        for uri, picture in session.pictures.items():
            document = session.documents.get(uri)
            if client.pulls and document is not None:
                continue
            if document is None and not picture["diagnostics"]:
                continue
            shown.add(uri)
            self._push(uri, picture["diagnostics"], None if document is None else document.version)
        for uri in self._pushed - shown:
            self._push(uri, [], None)
        self._pushed = shown
        if client.pulls and client.refreshes_diagnostics:
            self._server.workspace_diagnostic_refresh(None)
        if client.refreshes_hints and session.options.hints:
            self._server.workspace_inlay_hint_refresh(None)
        if client.refreshes_lenses and session.options.lenses:
            self._server.workspace_code_lens_refresh(None)

    def _push(self, uri: str, rows: list[Plain], version: int | None) -> None:
        found = [_CONVERTER.structure(row, types.Diagnostic) for row in rows]
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, version)
        )

    async def _diagnostics(
        self, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        session, uri = self._session, params.text_document.uri
        if uri in session.documents:
            await session.settled()
        picture = session.pictures.get(uri)
        rows = [] if picture is None else picture["diagnostics"]
        name = str(session.run)
        if params.previous_result_id == name:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
        items = [_CONVERTER.structure(row, types.Diagnostic) for row in rows]
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=name)

    # ---- questions ---------------------------------------------------------------------------

    def _of(self, uri: str) -> Answers | None:
        """What is known of a document."""
        session = self._session
        document, picture = session.documents.get(uri), session.pictures.get(uri)
        if document is None or picture is None or uri not in session.texts:
            return None
        return Answers(picture, session.texts[uri], document.text, session.encoding)

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        answers = self._of(params.text_document.uri)
        at = params.position
        found = None if answers is None else answers.hover(at.line, at.character)
        return None if found is None else _CONVERTER.structure(found, types.Hover)

    def _hints(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        answers = self._of(params.text_document.uri)
        if answers is None or not self._session.options.hints:
            return []
        rows = answers.hints(params.range.start.line, params.range.end.line)
        return [_CONVERTER.structure(row, types.InlayHint) for row in rows]

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        answers = self._of(params.text_document.uri)
        if answers is None or not self._session.options.lenses:
            return []
        return [_CONVERTER.structure(row, types.CodeLens) for row in answers.lenses()]

    async def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        if params.text_document.uri in self._session.documents:
            await self._session.settled()
        answers = self._of(params.text_document.uri)
        rows = [] if answers is None else answers.symbols()
        return [_CONVERTER.structure(row, types.DocumentSymbol) for row in rows]

    async def _tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens:
        if params.text_document.uri in self._session.documents:
            await self._session.settled()
        answers = self._of(params.text_document.uri)
        return types.SemanticTokens([] if answers is None else answers.tokens())

    def _definition(self, params: types.DefinitionParams) -> list[types.Location]:
        uri, at = params.text_document.uri, params.position
        answers = self._of(uri)
        rows = [] if answers is None else answers.definitions(at.line, at.character)
        rows += self._session.cuda_of(uri, at.line)
        return [_CONVERTER.structure(row, types.Location) for row in rows]

    def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        uri, at = params.text_document.uri, params.position
        answers = self._of(uri)
        places = [] if answers is None else answers.launches(at.line, at.character)
        rows = [{"uri": uri, "range": place} for place in places]
        rows += self._session.ptx_of(uri, at.line)
        return [_CONVERTER.structure(row, types.Location) for row in rows]

    # ---- actions -----------------------------------------------------------------------------

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, place, only = params.text_document.uri, params.range, params.context.only
        if uri in self._session.documents:
            await self._session.settled()
        answers = self._of(uri)
        if answers is None:
            return []
        first = (place.start.line, place.start.character)
        last = (place.end.line, place.end.character)
        rows = list(actions_for(uri, answers.offers(first, last), self._session.options.reason))
        every = answers.offers((0, 0), (sys.maxsize, 0))
        if any(fix["safe"] for offer in every for fix in offer["fixes"]):
            rows.append(fix_all(uri))
        for row in rows:
            for job in (row.get("data"), *row.get("command", {}).get("arguments", ())):
                if isinstance(job, dict):
                    job["run"] = self._session.run  # findings have their numbers in it
        if only is not None:
            rows = [row for row in rows if _is_wanted(row["kind"], only)]
        else:
            rows = [row for row in rows if row["kind"] != FIX_ALL]
        actions = [_CONVERTER.structure(row, types.CodeAction) for row in rows]
        if self._client.resolves_edits:
            return actions
        return [await self._resolve(action) for action in actions]

    async def _resolve(self, action: types.CodeAction) -> types.CodeAction:
        if not isinstance(action.data, dict):
            return action
        answer = await self._session.edits(action.data)
        if "edits" in answer:
            edit = {"changes": answer["edits"]}
            action.edit = _CONVERTER.structure(edit, types.WorkspaceEdit)
        elif self._client.resolves_edits:
            self._warn(f"{action.title}: not done: {answer['why']}")
        else:
            action.disabled = types.CodeActionDisabled(reason=answer["why"])
        return action

    async def _add_to_baseline(self, job: Plain) -> bool:
        """Write a finding down as known; whether that was done."""
        answer = await self._session.edits(job)
        if "why" in answer:
            self._warn(f"not added to the baseline: {answer['why']}")
            return False
        self._session.look_again()
        return True

    def _page(self, code: str) -> str:
        """Show the page of a rule; the answer is its text, for clients that show it themselves."""
        rule = usable_rules(()).get(code)
        if rule is None:
            return ""
        uri = page_uri(rule)
        if uri is not None and self._client.shows_documents:
            self._server.window_show_document(types.ShowDocumentParams(uri, take_focus=True))
        return rule.page

    def _warn(self, message: str) -> None:
        self._server.window_show_message(
            types.ShowMessageParams(types.MessageType.Warning, f"warplint: {message}")
        )


def _function(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method as a function, which pygls writes its marks on."""
    if asyncio.iscoroutinefunction(method):

        async def answered(*params: Any) -> Any:
            return await method(*params)

        return answered

    def called(*params: Any) -> Any:
        return method(*params)

    return called


def _is_wanted(kind: str, only: Sequence[types.CodeActionKind | str]) -> bool:
    words = [each.value if isinstance(each, types.CodeActionKind) else each for each in only]
    return any(not word or kind == word or kind.startswith(f"{word}.") for word in words)


async def _follow(process: int) -> None:
    """End when a process has ended."""
    if os.name != "posix":  # elsewhere the question would end it
        return
    while True:
        await asyncio.sleep(_LOOK)
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            _end(1)
        except OSError:
            continue
