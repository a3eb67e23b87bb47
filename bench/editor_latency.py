"""How long an editor waits for `warplint server`: from a keystroke to its diagnostics, and hovers.

    python bench/editor_latency.py [--edits N] [--seed N] FILE...

Each file is opened in one real server and edited as people type, by generated sessions: words and
statements letter by letter, lines that are begun and deleted, most of it inside of kernels. After
each keystroke the time to diagnostics of that very text is taken (debounce included), and of a
hover beside it. Printed: p50, p95 and the worst, first openings apart, the processor time that a
keystroke costs, and the memory of both processes at the end. Waiting times are of one machine with
whatever else runs on it; processor times hardly depend on that.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "server"))
from editor import FULL, Editor

from warplint.analyzer.server.session import Options

STATEMENTS = (
    "float sum = 0.0f;",
    "int index = blockIdx.x * blockDim.x + threadIdx.x;",
    "if (threadIdx.x < 16) { }",
    "__syncthreads();",
    "// what this does",
    "for (int i = 0; i < 8; ++i) { }",
)


def keystrokes(text: str, count: int, choice: random.Random) -> list[tuple[int, int, str]]:
    """Edits as line, characters to remove before its end, and what is typed there."""
    lines = text.split("\n")
    inside = [n for n, line in enumerate(lines) if line.startswith(("    ", "\t")) and line.strip()]
    found: list[tuple[int, int, str]] = []
    while len(found) < count:
        line = choice.choice(inside)
        statement = choice.choice(STATEMENTS)
        found.append((line, 0, "\n    "))
        found += [(line + 1, 0, letter) for letter in statement]
        found += [(line + 1, 1, "")] * (len(statement) + 4)
        found.append((line + 1, -1, ""))  # the line goes, and the text is as it was
    return found[:count]


def apply(lines: list[str], edit: tuple[int, int, str]) -> dict[str, object]:
    """Make an edit in a list of lines; the change as a client sends it."""
    line, remove, new = edit
    if remove < 0:
        place = {
            "start": {"line": line - 1, "character": units(lines[line - 1])},
            "end": {"line": line, "character": units(lines[line])},
        }
        del lines[line]
        return {"range": place, "text": ""}
    end = units(lines[line])
    start = units(lines[line][: len(lines[line]) - remove])
    place = {
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": end},
    }
    lines[line : line + 1] = (lines[line][: len(lines[line]) - remove] + new).split("\n")
    return {"range": place, "text": new}


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def memory(process: int) -> int:
    """Megabytes that a process and its children have in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000 + sum(memory(int(c)) for c in children)


def processor_time(process: int) -> float:
    """Seconds that a process and its children have computed."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(processor_time(int(child)) for child in children)


def row(name: str, times: list[float]) -> str:
    if len(times) < 2:
        return f"{name:<28} {1000 * sum(times):7.0f} ms"
    cuts = statistics.quantiles(times, n=20, method="inclusive")
    p50, p95 = 1000 * statistics.median(times), 1000 * cuts[-1]
    return (
        f"{name:<28} p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  worst {1000 * max(times):6.0f} ms"
        f"  ({len(times)})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=100, help="keystrokes in each file")
    parser.add_argument("--seed", type=int, default=33)
    asked = parser.parse_args()
    choice = random.Random(asked.seed)
    openings: list[float] = []
    every: list[float] = []
    lines_every: list[float] = []
    hovers: list[float] = []
    costs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        editor = Editor(Path(folder), FULL, debounce=round(1000 * Options().debounce))
        for path in asked.files:
            text = path.read_text(encoding="utf-8", errors="replace")
            name = path.resolve().as_uri()
            start = time.perf_counter()
            editor.open(name, text)
            editor.diagnostics(name)
            openings.append(time.perf_counter() - start)
            before = processor_time(editor.process.pid)
            times: list[float] = []
            lines = text.split("\n")
            for edit in keystrokes(text, asked.edits, choice):
                editor.change(name, apply(lines, edit))
                start = time.perf_counter()
                editor.at("hover", name, edit[0], 6)
                hovers.append(time.perf_counter() - start)
                editor.diagnostics(name)
                times.append(time.perf_counter() - start)
                if "\n" in edit[2] or edit[1] < 0:
                    lines_every.append(times.pop())
            every += times
            print(row(f"{path.name} ({len(lines)} lines)", times), flush=True)
            costs.append((processor_time(editor.process.pid) - before) / asked.edits)
            print(f"{'':<28} processor time {1000 * costs[-1]:.0f} ms for a keystroke", flush=True)
            editor.tell("textDocument/didClose", {"textDocument": {"uri": name}})
        used = memory(editor.process.pid)
        editor.end()
    print()
    print(row("first opening", openings))
    print(row("keystroke in a line", every))
    print(row("line added or removed", lines_every))
    print(row("hover", hovers))
    print(f"{'processor time of a keystroke':<28} mean {1000 * statistics.mean(costs):.0f} ms")
    print(f"memory of both processes: {used} MB")


if __name__ == "__main__":
    main()
