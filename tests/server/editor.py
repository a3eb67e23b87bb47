"""An editor: a client that starts the real server and speaks to it over its standard streams."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import subprocess
import threading
from typing import TYPE_CHECKING, Any

from warplint.analyzer.source.programs import python_command

if TYPE_CHECKING:
    from pathlib import Path

Plain = dict[str, Any]

WAIT = 60.0  # seconds: a test that waits so long has failed
_CODE = "from warplint.analyzer.cli.main import run; import sys; sys.argv[1:] = ['server']; run()"

#: What an editor can do that pulls diagnostics and resolves actions.
FULL: Plain = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "diagnostic": {},
        "codeAction": {"resolveSupport": {"properties": ["edit"]}, "dataSupport": True},
    },
    "workspace": {"inlayHint": {"refreshSupport": True}},
    "window": {"showDocument": {"support": True}},
}


class Editor:
    """One session with one server."""

    def __init__(
        self,
        root: Path,
        capabilities: Plain | None = None,
        *,
        follows: int | None = None,
        **options: Any,
    ) -> None:
        self.root = root
        self.process = subprocess.Popen(
            python_command(_CODE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env=dict(os.environ, WARPLINT_CACHE_DIR=str(root / ".cache")),
        )
        self.notes: queue.Queue[Plain] = queue.Queue()
        self._answers: dict[int, queue.Queue[Plain]] = {}
        self._numbers = itertools.count(1)
        self._versions = itertools.count(1)
        threading.Thread(target=self._listen, daemon=True).start()
        self.initialised = self.ask(
            "initialize",
            {
                "processId": follows,
                "rootUri": root.as_uri(),
                "workspaceFolders": [{"uri": root.as_uri(), "name": "root"}],
                "capabilities": {} if capabilities is None else capabilities,
                "initializationOptions": {"debounce": 10, **options},
            },
        )
        self.tell("initialized", {})

    # ---- messages ----------------------------------------------------------------------------

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request; raises what the server says is wrong."""
        number = next(self._numbers)
        self._answers[number] = queue.Queue()
        self._send({"id": number, "method": method, "params": params})
        answer = self._answers[number].get(timeout=WAIT)
        if "error" in answer:
            raise LookupError(answer["error"])
        return answer.get("result")

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def told(self, method: str) -> Plain:
        """The next notification or request of the server of this kind."""
        while True:
            note = self.notes.get(timeout=WAIT)
            if note["method"] == method:
                return dict(note["params"] or {})

    def _send(self, message: Plain) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        self.process.stdin.flush()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            if line.startswith(b"Content-Length:"):
                size = int(line.partition(b":")[2])
            elif not line.strip():
                self._take(json.loads(stream.read(size)))

    def _take(self, message: Plain) -> None:
        if "method" not in message:
            self._answers[message["id"]].put(message)
            return
        if "id" in message:
            self._send({"id": message["id"], "result": None})
        self.notes.put(message)

    # ---- documents ---------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return name if ":" in name else (self.root / name).as_uri()

    def open(self, name: str, text: str, language: str = "cuda") -> None:
        item = {"uri": self.uri(name), "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, name: str, *changes: Plain) -> int:
        version = 1 + next(self._versions)
        self.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri(name), "version": version},
                "contentChanges": list(changes),
            },
        )
        return version

    def about(self, method: str, name: str, **more: Any) -> Any:
        """The answer to a question about a document."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri(name)}, **more})

    def at(self, method: str, name: str, line: int, character: int) -> Any:
        return self.about(method, name, position={"line": line, "character": character})

    def diagnostics(self, name: str) -> list[Plain]:
        """Those of the text as it is, asked for."""
        return list(self.about("diagnostic", name)["items"])

    def actions(self, name: str, line: int, only: list[str] | None = None) -> list[Plain]:
        place = {"line": line, "character": 0}, {"line": line, "character": 999}
        context: Plain = {"diagnostics": []} | ({"only": only} if only else {})
        return list(
            self.about(
                "codeAction", name, range={"start": place[0], "end": place[1]}, context=context
            )
        )

    # ---- end ---------------------------------------------------------------------------------

    def end(self) -> int:
        """Shut the server down as editors do; its exit code."""
        with contextlib.suppress(OSError):
            self.ask("shutdown", None)
            self.tell("exit", None)
        code = self.process.wait(WAIT)
        self.close()
        return code

    def close(self) -> None:
        """Close the pipes, and wait for the end."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self.process.wait(WAIT)
