"""One session of an editor: its open documents, its settings, and what was last found out.

In: what the editor says of its documents. Out: pictures of them, one for each state that lasted
longer than `debounce`, and calls of `shown` when there is a new one. A change gives up the check of
the text before it. Settings come from the editor alone, which belongs to the user.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..findings.addresses import rule_url
from ..findings.rule import Input as Language
from ..source.records import dataclass
from .analyst import Analyst, say
from .diagnostics import refusal
from .documents import language_of
from .positions import edited_text
from .ptx_lines import lines_of, origin

if TYPE_CHECKING:
    from collections.abc import Callable

Plain = dict[str, Any]

_DEBOUNCE = 0.01  # seconds: changes that come together; a check that begins early is given up
_TOO_MUCH = 230_000_000  # bytes of memory after which an idle process is exchanged,
_WORTH_A_PROCESS = 200  # if it has made so many checks: another one has to begin anew


@dataclass(frozen=True, slots=True)
class Options:
    """What the editor's settings say; `configuration` is a table as in `warplint.toml`."""

    configuration: Plain = field(default_factory=dict)
    isolated: bool = False
    hints: bool = True
    lenses: bool = True
    rule_url: str = field(default_factory=partial(rule_url, "{code}"))
    reason: str = ""  # of a suppression that an action writes
    debounce: float = _DEBOUNCE


@dataclass(slots=True)
class OpenDocument:
    """One document as the editor has it."""

    uri: str
    path: str | None
    language: str
    version: int
    text: str

    @property
    def is_ptx(self) -> bool:
        """Whether it is PTX, by its name, else by what the editor says."""
        return language_of(self.path or "", self.language) is Language.PTX


@dataclass(slots=True)
class Session:
    """The state of the language server: one session of an editor."""

    shown: Callable[[], None]
    warned: Callable[[str], None]
    encoding: str = "utf-16"
    root: str = "."
    options: Options = field(default_factory=Options)
    documents: dict[str, OpenDocument] = field(default_factory=dict)
    pictures: dict[str, Plain] = field(default_factory=dict)  # by URI
    texts: dict[str, str] = field(default_factory=dict)  # that the pictures are of, by URI
    run: int = 0  # the number of the last check
    _analyst: Analyst = field(init=False)
    _unsent: set[str] = field(default_factory=set)
    _checking: int = 0
    _timer: asyncio.TimerHandle | None = None
    _task: asyncio.Task[None] | None = None
    _dirty: bool = False
    _checks: int = 0  # of this process, about
    _starting: asyncio.Task[None] | None = None
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._analyst = Analyst(self._introduction, self._hear)

    # ---- what the editor says ----------------------------------------------------------------

    def open(self, document: OpenDocument) -> None:
        """A document was opened."""
        self.documents[document.uri] = document
        self._touch(document.uri)

    def change(self, uri: str, version: int, changes: list[Plain]) -> None:
        """A document was edited."""
        document = self.documents.get(uri)
        if document is not None:
            document.text = edited_text(document.text, changes, self.encoding)
            document.version = version
            self._touch(uri)

    def close(self, uri: str) -> None:
        """A document was closed."""
        self.documents.pop(uri, None)
        self._touch(uri)

    def look_again(self) -> None:
        """Something outside of the documents changed."""
        self._touch(None)

    def set(self, options: Options) -> None:
        """The settings changed."""
        self.options = options
        self._analyst.send(self._settings())
        self._touch(None)

    def begin(self) -> None:
        """Have a process ready before the first document is opened."""
        self._starting = asyncio.ensure_future(self._analyst.start())

    def end(self) -> None:
        """The session is over."""
        self._analyst.end()

    # ---- what is known -----------------------------------------------------------------------

    async def settled(self) -> None:
        """Wait until the pictures are of the text as it is."""
        await self._settled.wait()

    async def edits(self, job: Plain) -> Plain:
        """The answer to a job that changes text, if that is still what a check was of."""
        await self.settled()
        await self._analyst.start()
        _, future = self._analyst.ask(job)
        answer = await future
        result: Plain = answer.get("result") or {"why": "the analysis has ended"}
        return result

    def cuda_of(self, uri: str, line: int) -> list[Plain]:
        """The place that a line of PTX comes from."""
        document = self.documents.get(uri)
        if document is None or document.path is None or not document.is_ptx:
            return []
        found = origin(document.text, document.path, line)
        if found is None:
            return []
        path, row, column = found
        named = [each.uri for each in self.documents.values() if _is_at(each, path)]
        target = named[0] if named else Path(os.path.abspath(path)).as_uri()
        return [{"uri": target, "range": _point(row, column)}]

    def ptx_of(self, uri: str, line: int) -> list[Plain]:
        """The places in open documents of PTX that come from a line."""
        document = self.documents.get(uri)
        if document is None or document.path is None:
            return []
        return [
            {"uri": each.uri, "range": _point(row, 0)}
            for each in self.documents.values()
            if each.is_ptx and each.path is not None
            for row in lines_of(each.text, each.path, document.path, line)
        ]

    # ---- checking ----------------------------------------------------------------------------

    def _touch(self, uri: str | None) -> None:
        if uri is not None:
            self._unsent.add(uri)
        self._dirty = True
        self._settled.clear()
        self._analyst.encourage()
        if self._checking:
            self._analyst.give_up(self._checking)
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self.options.debounce, self._begin)

    def _begin(self) -> None:
        self._timer = None
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._check_until_settled())

    async def _check_until_settled(self) -> None:
        """Check, and again where something changed meanwhile that its timer has not begun."""
        while self._dirty and self._timer is None:
            if self._analyst.is_tired:
                message = "the analysis ended again and again, perhaps for lack of memory"
                self._dirty = False
                self._finish(0, self._refusal(message, "it is tried again after a change"))
                return
            await self._analyst.start()
            self._send_documents()
            self._dirty = False
            number, future = self._analyst.ask({"do": "check"})
            self._checking = number
            answer = await future
            self._checking = 0
            if not self._take(number, answer):
                self._dirty = True

    def _hear(self, answer: Plain) -> None:
        """What the process says of settings and documents."""
        if "refused" in answer:
            refused = answer["refused"]
            self.warned(f"{refused['message']}; {refused['advice']}")
        elif "failed" in answer:
            say(answer["failed"])

    def _take(self, number: int, answer: Plain) -> bool:
        """Show what was found, if it is of the text as it is; whether it was an answer."""
        if "failed" in answer:
            say(answer["failed"])
            message, advice = "internal error", "this is a bug of warplint: its log has the trace"
            answer = {"refused": {"message": message, "advice": advice}}
        if "result" not in answer and "refused" not in answer:
            return False
        if self._dirty:
            return True
        self._finish(number, answer.get("result") or self._refusal(**answer["refused"]))
        return True

    def _finish(self, number: int, result: Plain) -> None:
        """Show what is known of the text as it is."""
        self.pictures = result["files"]
        for uri, rows in result["refused"].items():
            self.pictures.setdefault(uri, {"diagnostics": [], "offers": [], "notes": {}})
            self.pictures[uri]["diagnostics"] += rows
        self.texts = {uri: each.text for uri, each in self.documents.items()}
        self.run = number
        self._settled.set()
        self.shown()
        self._checks += 1
        if result["memory"] > _TOO_MUCH and self._checks >= _WORTH_A_PROCESS:
            self._checks = 0
            self._analyst.end()

    def _refusal(self, message: str, advice: str) -> Plain:
        """What is shown where nothing could be checked."""
        files = {
            uri: {"diagnostics": [refusal(message, advice)], "offers": [], "notes": {}}
            for uri in self.documents
        }
        return {"files": files, "refused": {}, "memory": 0}

    def _send_documents(self) -> None:
        opened = [self._plain(self.documents[uri]) for uri in self._unsent & set(self.documents)]
        closed = sorted(self._unsent - set(self.documents))
        self._unsent.clear()
        if opened or closed:
            self._analyst.send({"do": "documents", "opened": opened, "closed": closed})

    def _introduction(self) -> list[Plain]:
        """What a new process has to know."""
        self._unsent.clear()
        opened = [self._plain(each) for each in self.documents.values()]
        return [self._settings(), {"do": "documents", "opened": opened, "closed": []}]

    def _plain(self, document: OpenDocument) -> Plain:
        return {
            "uri": document.uri,
            "path": document.path,
            "language": document.language,
            "text": document.text,
            "root": self.root,
        }

    def _settings(self) -> Plain:
        return {
            "do": "set",
            "encoding": self.encoding,
            "rule_url": self.options.rule_url,
            "configuration": self.options.configuration,
            "isolated": self.options.isolated,
        }


def _is_at(document: OpenDocument, path: str) -> bool:
    return document.path is not None and os.path.realpath(document.path) == os.path.realpath(path)


def _point(line: int, character: int) -> Plain:
    place = {"line": line, "character": character}
    return {"start": place, "end": place}
