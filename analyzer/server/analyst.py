"""The analysing process, as the server sees it: one, started when needed, never waited for.

In: jobs. Out: their answers, each once. A job that nobody waits for is given up; a process that
does not notice within `_PATIENCE`, as it reads a huge file, is ended and another one started, and
so is one that took too much memory, when it has nothing to do. What another one has to be told
first (settings, documents) the owner says when it hears of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from ..source.programs import python_command
from .frames import HEAD, frame, size_of

if TYPE_CHECKING:
    from collections.abc import Callable

Plain = dict[str, Any]

_PATIENCE = 1.5  # seconds that a job may go on that was given up
_DEATHS = 3  # of processes without one answer between: then no other is started for the same
_MODULE = f"{__package__}.worker"
CODE = f"from {_MODULE} import work; work()"


class Analyst:
    """The analysing process as the language server sees it, and the answers waited for."""

    def __init__(
        self, introduce: Callable[[], list[Plain]], heard: Callable[[Plain], None]
    ) -> None:
        self._introduce = introduce  # the jobs that a new process is given first
        self._heard = heard  # answers that nobody waits for
        self._process: asyncio.subprocess.Process | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Plain]] = {}
        self._number = 0
        self._deaths = 0
        self._starting = asyncio.Lock()

    @property
    def is_tired(self) -> bool:
        """Whether process after process died of what it was given."""
        return self._deaths >= _DEATHS

    def encourage(self) -> None:
        """Something changed: what killed a process may be gone."""
        self._deaths = 0

    async def start(self) -> None:
        """Have a process, if there is none."""
        async with self._starting:
            if self._process is None:
                await self._start()

    async def _start(self) -> None:
        self._process = process = await asyncio.create_subprocess_exec(
            *python_command(CODE),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        self._hearing = asyncio.ensure_future(self._hear(process))
        for job in self._introduce():
            self.send(job)

    def send(self, job: Plain) -> int:
        """Give the process a job; nobody waits for the answer."""
        self._number += 1
        self._write({**job, "id": self._number})
        return self._number

    def ask(self, job: Plain) -> tuple[int, asyncio.Future[Plain]]:
        """Give the process a job: its number, and what will be its answer."""
        future: asyncio.Future[Plain] = asyncio.get_running_loop().create_future()
        self._waiting[self._number + 1] = future
        return self.send(job), future

    def give_up(self, number: int) -> None:
        """Nobody waits for a job any longer; its answer still says when it has ended."""
        future = self._waiting.get(number)
        if future is None or future.done():
            return
        self._write({"give_up": number})
        loop = asyncio.get_running_loop()
        loop.call_later(_PATIENCE, self._lose_patience, number, self._process)

    def end(self) -> None:
        """End the process."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    def _lose_patience(self, number: int, process: asyncio.subprocess.Process | None) -> None:
        if number in self._waiting and process is self._process:
            self._deaths = 0  # it did not die of what it was given
            self.end()

    def _write(self, message: Plain) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(frame(message))

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        """Hand out answers until the process has ended, then what is still waited for."""
        assert process.stdout is not None  # a pipe was asked for
        try:
            while True:
                size = size_of(await process.stdout.readexactly(HEAD))
                answer = json.loads(await process.stdout.readexactly(size))
                self._deaths = 0
                future = self._waiting.pop(answer["id"], None)
                if future is None:
                    self._heard(answer)
                elif not future.done():
                    future.set_result(answer)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            self.end()
        await process.wait()
        self._process = None
        self._deaths += 1
        lost, self._waiting = list(self._waiting.values()), {}
        for future in lost:
            if not future.done():
                future.set_result({"lost": True})


def say(text: str) -> None:
    """Write a line to the log of the editor."""
    print(f"warplint: {text}", file=sys.stderr, flush=True)
