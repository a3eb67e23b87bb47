"""The analysing process on its own: jobs, answers, and jobs that nobody waits for."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from warplint.analyzer.analyses.launch.allowance import METER, GivenUp
from warplint.analyzer.server.analyst import CODE
from warplint.analyzer.server.frames import frame, read_message
from warplint.analyzer.source.programs import python_command

from .test_kernel_results import PATH, TEXT, Checking

Plain = dict[str, Any]

SETTINGS = {"do": "set", "encoding": "utf-16", "rule_url": "", "isolated": True}
DOCUMENT = {
    "uri": Path(PATH).as_uri(),
    "path": PATH,
    "language": "cuda",
    "text": TEXT,
    "root": "/nowhere",
}


def answers(*messages: Plain) -> dict[int, Plain]:
    """What the process says of these messages until its input ends, by number."""
    wanted = sum("id" in each for each in messages)
    process = subprocess.Popen(python_command(CODE), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"".join(map(frame, messages)))
    process.stdin.flush()
    found = {}
    for _ in range(wanted):
        answer = read_message(process.stdout)
        assert answer is not None
        found[answer["id"]] = answer
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()
    return found


def test_a_job_that_was_given_up_is_not_begun() -> None:
    found = answers(
        {"id": 1, **SETTINGS, "configuration": {}},
        {"id": 2, "do": "documents", "opened": [DOCUMENT], "closed": []},
        {"id": 3, "do": "check"},
        {"id": 4, "do": "check"},
        {"give_up": 4},
        {"id": 5, "do": "check"},
    )
    assert found[4] == {"id": 4, "given_up": True}
    assert found[3]["result"]["files"] == found[5]["result"]["files"]


def test_settings_that_cannot_be_used_are_refused() -> None:
    found = answers({"id": 1, **SETTINGS, "configuration": {"arch": 3}})
    assert "arch" in found[1]["refused"]["message"]


def test_what_was_given_up_leaves_nothing_behind() -> None:
    checking = Checking()
    done = threading.Event()

    def give_up() -> None:
        while not done.wait(0.001):
            METER.give_up()

    thread = threading.Thread(target=give_up)
    thread.start()
    try:
        with pytest.raises(GivenUp):
            checking.check(TEXT)
    finally:
        done.set()
        thread.join()
        METER.begin()
    assert checking.check(TEXT) == Checking().check(TEXT)
