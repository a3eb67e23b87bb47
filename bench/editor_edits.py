"""Random edits: what the language server keeps from one text to the next changes nothing it shows.

    python bench/editor_edits.py [--edits N] [--every N] [--seed N] FILE...

Each file is edited in sessions that hypothesis draws: characters, words and lines are put in, taken
out and doubled, most of them where kernels are, a few undone. One process, as the server has it,
checks after each edit; after every `--every`th and at the end of a session another one that knows
nothing checks the same text, and both have to show the same, to the last note. Printed: edits,
comparisons, differences with the text they came with (in `differences/`), how many results were
kept, and the memory of the process at the beginning and at the end.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.allowance import METER
from warplint.analyzer.engine.processes.deep_stack import DEEPEST
from warplint.analyzer.server.analysis import Analysis, used_memory

Plain = dict[str, Any]

WORDS = (
    *("", "", " ", "\n", "x", "1", "0", ";", ",", "(", ")", "{", "}", "*", "&", "<", "/*", "*/"),
    *("//", '"', "#", "\\\n", "i", "float ", "int i = 0;", "__syncthreads();", "__shared__ "),
    *(
        "threadIdx.x",
        "if (i < n) ",
        "return;",
        "#define N 4\n",
        "__device__ ",
        "é",
        "\t",
        "template",
    ),
)


#: Places as a share of the text, how many characters go (-1: the last edit is undone), what comes.
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(-1, 6), st.sampled_from(WORDS)),
    min_size=20,
    max_size=60,
)


class Checking:
    """One process that checks again and again."""

    def __init__(self, path: str) -> None:
        self.analysis = Analysis()
        self.path = path
        self.number = 0
        job = {"do": "set", "encoding": "utf-16", "rule_url": "", "isolated": True}
        self.analysis.do({**job, "configuration": {}})

    def check(self, text: str) -> str:
        """All that is shown of a text."""
        uri = Path(self.path).as_uri()
        document = {"uri": uri, "path": self.path, "language": "cuda", "text": text, "root": "/"}
        self.analysis.do({"do": "documents", "opened": [document], "closed": []})
        self.number += 1
        METER.begin()
        found = self.analysis.do({"do": "check", "id": self.number})["files"]
        return json.dumps(found, sort_keys=True)


def edited(text: str, before: str, edit: tuple[float, int, str]) -> str:
    """The text after an edit, or as it was before the last one."""
    place, length, new = edit
    if length < 0:
        return before
    at = round(place * len(text))
    return text[:at] + new + text[at + length :]


def campaign(path: Path, count: int, every: int, first: int) -> tuple[int, int, int, int]:
    """Edits, comparisons, differences and kept results of one file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    name = str(path.resolve())
    checking = Checking(name)
    done = [0, 0, 0]

    def session(found: list[tuple[float, int, str]]) -> None:
        if done[0] >= count:
            return
        now = before = text
        for number, edit in enumerate(found):
            now, before = edited(now, before, edit), now
            shown = checking.check(now)
            done[0] += 1
            if done[0] % every == 0 or number == len(found) - 1:
                done[1] += 1
                if Checking(name).check(now) != shown:
                    done[2] += 1
                    keep(now, path, done[2])
                gc.collect()

    sessions = settings(
        max_examples=10,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    while done[0] < count:
        first += 1
        seed(first)(sessions(given(EDITS)(session)))()
    return done[0], done[1], done[2], checking.analysis.kernels.used


def keep(text: str, path: Path, number: int) -> None:
    """A text that was shown differently, for whoever looks into it."""
    folder = Path("differences")
    folder.mkdir(exist_ok=True)
    (folder / f"{path.stem}-{number}{path.suffix}").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=1000, help="in each file")
    parser.add_argument("--every", type=int, default=10, help="edits between two comparisons")
    parser.add_argument("--seed", type=int, default=33)
    asked = parser.parse_args()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
    total = [0, 0, 0, 0]
    begin = used_memory()
    for path in asked.files:
        start = time.process_time()
        found = campaign(path, asked.edits, asked.every, asked.seed)
        total = [a + b for a, b in zip(total, found, strict=True)]
        seconds = time.process_time() - start
        print(
            f"{path.name}: {found[0]} edits, {found[1]} compared, {found[2]} differ,"
            f" {found[3]} kernels kept; {seconds:.0f} s, {used_memory() // 1_000_000} MB",
            flush=True,
        )
    print(
        f"all: {total[0]} edits, {total[1]} compared, {total[2]} differ;"
        f" memory {begin // 1_000_000} MB before, {used_memory() // 1_000_000} MB after"
    )
    sys.exit(1 if total[2] else 0)


if __name__ == "__main__":
    main()
