"""The protocol of pygls, without its own copies of the documents.

pygls divides lines as Python does, at form feeds and other characters that are no line ends to an
editor. Texts are kept by the session (`positions.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

if TYPE_CHECKING:
    from collections.abc import Iterator


class Input:
    """The server's standard input; bytes that are no UTF-8, as an editor may send, cost no
    message.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """A line of a head."""
        return self._stream.readline()

    def read(self, size: int) -> bytes:
        """The body of a message, whose size is looked at no more."""
        return self._stream.read(size).decode("utf-8", "replace").encode()


class Protocol(LanguageServerProtocol):
    """Hands what concerns documents to the handlers of the server alone."""

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Iterator[Any]:
        """A document was opened."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Iterator[Any]:
        """A document was edited."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: types.DidCloseTextDocumentParams
    ) -> Iterator[Any]:
        """A document was closed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None
