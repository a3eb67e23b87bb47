"""Random edits in the real Neovim: what it shows in the end is what `check` says of the text.

    python bench/neovim_edits.py [--edits N] [--seed N] FILE...

Each file is copied, opened in a headless Neovim of its own with the client of `editors/neovim`, and
edited at random, with diagnostics waited for now and then. Printed: how many diagnostics were shown
at first and in the end, and whether those in the end are the lines, columns and codes of a check.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "server"))
from neovim import NEOVIM, expected, random_edits, session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=100, help="in each file")
    parser.add_argument("--seed", type=int, default=33)
    asked = parser.parse_args()
    if NEOVIM is None:
        sys.exit("Neovim is not installed")
    choice = random.Random(asked.seed)
    wrong = 0
    for path in asked.files:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path.name
            file.write_text(path.read_text(encoding="utf-8", errors="replace"), encoding="utf-8")
            (Path(folder) / "warplint.toml").write_text("", encoding="utf-8")
            lines = file.read_text(encoding="utf-8").count("\n")
            start = time.perf_counter()
            said, complaints = session(file, random_edits(choice, asked.edits, lines))
            if "edited" not in said:
                print(f"{path.name}: the session broke off: {complaints[-400:]}", flush=True)
                wrong += 1
                continue
            shown, final = said["edited"]
            same = sorted(map(tuple, shown)) == expected(str(file), final)
            wrong += not same
            print(
                f"{path.name}: {asked.edits} edits in {time.perf_counter() - start:.0f} s,"
                f" {len(said['first'])} diagnostics, then {len(shown)}:"
                f" {'as check says' if same else 'NOT as check says'}",
                flush=True,
            )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
