"""Every capability that the server declares, driven by a client that also checks the messages.

`pytest-lsp` starts the real server as three editors do, with what they say that they can take, and
warns of what the protocol does not allow; a warning fails a test here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator  # noqa: TC003  # pytest-lsp reads the fixture's types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

from warplint.analyzer.server.actions import BASELINE_COMMAND, PAGE_COMMAND

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Drive = Callable[["Client", str], Awaitable[None]]

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

EDITORS = ["visual_studio_code@1.65.2", "neovim@0.11.0", "emacs@29.1"]
TILE = """__global__ void __launch_bounds__(1024) turn(const float *in, float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void run(const float *in, float *out)
{
    turn<<<1, dim3(32, 32)>>>(in, out);
}
"""
_START = "from warplint.analyzer.cli.main import run; import sys; sys.argv[1:] = ['server']; run()"


class Client(LanguageClient):
    """A client that remembers how the session began."""

    root = Path()
    declared: types.ServerCapabilities


def new_client() -> Client:
    client = Client(converter_factory=default_converter)
    register_lsp_features(client)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_params: types.RegistrationParams) -> None:
        """Files are watched by nobody here."""

    for name in (types.WORKSPACE_INLAY_HINT_REFRESH, types.WORKSPACE_CODE_LENS_REFRESH):

        @client.feature(name)
        def again(_params: None) -> None:
            """The tests ask when they want to know."""

    return client


CONFIG = ClientServerConfig([sys.executable, "-P", "-c", _START], client_factory=new_client)


@pytest_lsp.fixture(config=CONFIG, params=EDITORS, scope="module", loop_scope="module")
async def client(
    lsp_client: Client,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[None]:
    root = tmp_path_factory.mktemp("workspace")
    begun = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            root_uri=root.as_uri(),
            workspace_folders=[types.WorkspaceFolder(uri=root.as_uri(), name="root")],
            initialization_options={"debounce": 10, "isolated": True},
        )
    )
    lsp_client.root, lsp_client.declared = root, begun.capabilities
    yield
    await lsp_client.shutdown_session()


def document(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri=uri)


def at(line: int, character: int) -> types.Position:
    return types.Position(line=line, character=character)


WHOLE = types.Range(start=at(0, 0), end=at(13, 0))


async def opened(client: Client, name: str) -> str:
    """The URI of a document with a bank conflict, once its findings are known."""
    uri = (client.root / f"{name}.cu").as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="cuda-cpp", version=1, text=TILE)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await found(client, uri)
    return uri


async def found(client: Client, uri: str) -> list[types.Diagnostic]:
    answer = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(text_document=document(uri))
    )
    assert isinstance(answer, types.RelatedFullDocumentDiagnosticReport)
    return list(answer.items)


async def diagnostics(client: Client, uri: str) -> None:
    (row,) = [row for row in await found(client, uri) if row.code == "SHM001"]
    assert row.range.start == at(5, 42)
    assert row.severity is types.DiagnosticSeverity.Warning


async def synchronisation(client: Client, uri: str) -> None:
    edit = types.TextDocumentContentChangePartial(
        range=types.Range(start=at(2, 30), end=at(2, 32)), text="33"
    )
    identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=2)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(text_document=identifier, content_changes=[edit])
    )
    assert "SHM001" not in [row.code for row in await found(client, uri)]
    client.text_document_did_save(types.DidSaveTextDocumentParams(text_document=document(uri)))
    client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document(uri)))
    assert await found(client, await opened(client, "after_one_was_closed"))


async def hover(client: Client, uri: str) -> None:
    answer = await client.text_document_hover_async(
        types.HoverParams(text_document=document(uri), position=at(5, 46))
    )
    assert answer is not None
    assert isinstance(answer.contents, types.MarkupContent)
    assert "32-way bank conflict" in answer.contents.value


async def hints(client: Client, uri: str) -> None:
    answer = await client.text_document_inlay_hint_async(
        types.InlayHintParams(text_document=document(uri), range=WHOLE)
    )
    assert [(each.position.line, each.label) for each in answer or ()] == [(5, "32-way")]


async def lenses(client: Client, uri: str) -> None:
    answer = await client.text_document_code_lens_async(
        types.CodeLensParams(text_document=document(uri))
    )
    (lens,) = answer or ()
    assert lens.command is not None
    assert re.match(r"≈\d+ regs · 4 KB · ", lens.command.title)


async def symbols(client: Client, uri: str) -> None:
    answer = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=document(uri))
    )
    assert [each.name for each in answer or ()] == ["turn"]


async def definition(client: Client, uri: str) -> None:
    answer = await client.text_document_definition_async(
        types.DefinitionParams(text_document=document(uri), position=at(10, 6))
    )
    assert isinstance(answer, list)
    assert [each.range.start.line for each in answer if isinstance(each, types.Location)] == [0]


async def references(client: Client, uri: str) -> None:
    answer = await client.text_document_references_async(
        types.ReferenceParams(
            text_document=document(uri), position=at(0, 45),
            context=types.ReferenceContext(include_declaration=False),
        )
    )  # fmt: skip
    assert [each.range.start.line for each in answer or ()] == [10]


async def tokens(client: Client, uri: str) -> None:
    answer = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(text_document=document(uri))
    )
    assert answer is not None
    assert len(answer.data) == 5 * TILE.count("tile[")


async def actions_of(client: Client, uri: str) -> list[types.CodeAction]:
    place = types.Range(start=at(5, 42), end=at(5, 46))
    answer = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document(uri), range=place,
            context=types.CodeActionContext(diagnostics=[]),
        )
    )  # fmt: skip
    return [each for each in answer or () if isinstance(each, types.CodeAction)]


async def actions(client: Client, uri: str) -> None:
    offered = await actions_of(client, uri)
    titles = [each.title for each in offered]
    assert any("33" in title or "pad" in title for title in titles), titles
    suppression = next(each for each in offered if "SHM001 on this line" in each.title)
    if suppression.edit is None:  # the client asks for the edit of the one that is chosen
        suppression = await client.code_action_resolve_async(suppression)
    assert suppression.edit is not None
    (edit,) = (suppression.edit.changes or {})[uri]
    assert "warplint: ignore[SHM001]" in edit.new_text


async def commands(client: Client, uri: str) -> None:
    assert client.declared.execute_command_provider is not None
    known = client.declared.execute_command_provider.commands
    assert sorted(known) == sorted([PAGE_COMMAND, BASELINE_COMMAND])
    page = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command=PAGE_COMMAND, arguments=["SHM001"])
    )
    assert "## Why is this bad?" in str(page)
    job = {"do": "baseline", "finding": 0, "uri": uri, "run": -1}
    added = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command=BASELINE_COMMAND, arguments=[job])
    )
    assert added is False
    assert "not added to the baseline" in client.messages[-1].message


async def folders(client: Client, uri: str) -> None:
    event = types.WorkspaceFoldersChangeEvent(added=[], removed=[])
    client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(event=event)
    )
    assert await found(client, uri)


#: What drives each capability, by its name in the answer to `initialize`.
DRIVES: dict[str, Drive] = {
    "text_document_sync": synchronisation,
    "diagnostic_provider": diagnostics,
    "hover_provider": hover,
    "inlay_hint_provider": hints,
    "code_lens_provider": lenses,
    "document_symbol_provider": symbols,
    "definition_provider": definition,
    "references_provider": references,
    "semantic_tokens_provider": tokens,
    "code_action_provider": actions,
    "execute_command_provider": commands,
    "workspace": folders,
}


def declared(client: Client) -> dict[str, Any]:
    names = (field for field in dir(client.declared) if not field.startswith("_"))
    return {name: value for name in names if (value := getattr(client.declared, name))}


async def test_every_capability_is_driven(client: Client) -> None:
    assert set(declared(client)) - {"position_encoding"} == set(DRIVES)


@pytest.mark.parametrize("name", DRIVES)
async def test_a_capability(client: Client, name: str) -> None:
    await DRIVES[name](client, await opened(client, name))


async def test_diagnostics_are_pushed_to_clients_that_do_not_pull(client: Client) -> None:
    assert client.capabilities is not None
    text_document = client.capabilities.text_document
    uri = await opened(client, "pushed")
    if text_document is not None and text_document.diagnostic is not None:
        assert uri not in client.diagnostics
        return
    assert "SHM001" in [row.code for row in client.diagnostics[uri]]


async def test_places_are_in_an_encoding_that_the_client_knows(client: Client) -> None:
    assert client.capabilities is not None
    general = client.capabilities.general
    known = (general.position_encodings if general is not None else None) or ["utf-16"]
    assert declared(client)["position_encoding"] in known
