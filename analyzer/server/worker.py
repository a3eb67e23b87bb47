"""The process that analyses: one job after the other, and none that nobody waits for.

In: jobs from the server, through the standard input, and the numbers of those to be given up. Out:
an answer to each, through the standard output; what anything else prints goes to stderr. A thread
of its own listens; it has the meter of the analyses end a job that was given up, which reading a
file takes no notice of. The process ends with the server: at the end of its input.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any

from ..analyses.launch.allowance import METER, GivenUp
from ..config.errors import UsageError
from ..engine.processes.deep_stack import DEEPEST
from ..source.collection import give_back, own_process, tidy, tidy_young
from ..source.programs import keep_current_folder_out
from .analysis import Analysis
from .frames import frame, read_message

if TYPE_CHECKING:
    from typing import BinaryIO, NoReturn

Plain = dict[str, Any]

_IDLE = 1.5  # seconds without a job
_AGAIN = 0.005  # seconds between two attempts to end a job


class Worker:
    """The jobs that came in to the process which analyses for an editor, and those given up."""

    def __init__(self, jobs: BinaryIO, answers: BinaryIO) -> None:
        self._jobs = jobs
        self._answers = answers
        self._waiting: queue.SimpleQueue[Plain] = queue.SimpleQueue()
        self._given_up: set[int] = set()
        self._lock = threading.Lock()
        self._current = 0

    def run(self) -> NoReturn:
        """Work until the server is gone."""
        threading.Thread(target=self._listen, daemon=True).start()
        analysis = Analysis()
        while True:
            job = self._next()
            answer = self._answer(analysis, job)
            self._answers.write(frame({"id": job["id"], **answer}))
            self._answers.flush()
            give_back()

    def _next(self) -> Plain:
        """The next job; memory is given back while there is none."""
        if self._waiting.empty():
            tidy_young()
        try:
            return self._waiting.get(timeout=_IDLE)
        except queue.Empty:
            tidy()
            return self._waiting.get()

    def _answer(self, analysis: Analysis, job: Plain) -> Plain:
        try:
            try:
                with self._lock:
                    if job["id"] in self._given_up:
                        return {"given_up": True}
                    self._current = job["id"]
                    METER.begin()
                return {"result": analysis.do(job)}
            finally:
                with self._lock:
                    self._current = 0
                    METER.begin()
        except GivenUp:
            return {"given_up": True}
        except UsageError as error:
            return {"refused": {"message": error.message, "advice": error.advice}}
        except Exception:
            return {"failed": traceback.format_exc()}

    def _listen(self) -> None:
        try:
            while (message := read_message(self._jobs)) is not None:
                if "give_up" in message:
                    number = message["give_up"]
                    self._given_up.add(number)
                    threading.Thread(target=self._end, args=(number,), daemon=True).start()
                else:
                    self._waiting.put(message)
        finally:
            os._exit(0)

    def _end(self, number: int) -> None:
        """Have a job end that is being done."""
        while True:
            with self._lock:
                if self._current != number:
                    return
                METER.give_up()
            time.sleep(_AGAIN)


def work() -> NoReturn:
    """The whole life of the process that analyses for an editor."""
    keep_current_folder_out()
    own_process()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    Worker(jobs, answers).run()
