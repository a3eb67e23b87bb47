"""Compares the names of mangled symbols with those of `c++filt -p`.

    python bench/demangling.py FILE...

The symbols are all words of the files (PTX, logs, what `nm` prints) that begin with `_Z`. Left out:
variables inside of functions, of which only their own name is shown, special names (`_ZT`, `_ZG`),
and parameters of PTX. Blanks between `>` and `>` do not count.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from warplint.analyzer.ptx.syntax.demangle import readable

SYMBOL = re.compile(r"\b_Z[0-9A-Za-z_]{4,}")
LEFT_OUT = re.compile(r"_Z[TGZ]|.*_param_\d+$")
SHOWN = 10


def main(paths: list[str]) -> int:
    """The figures, and the first names that differ."""
    found: set[str] = set()
    for path in paths:
        found.update(SYMBOL.findall(Path(path).read_text(encoding="utf-8", errors="replace")))
    symbols = sorted(name for name in found if not LEFT_OUT.match(name))
    done = subprocess.run(
        ["c++filt", "-p"], input="\n".join(symbols), capture_output=True, text=True, check=True
    )
    known = [
        (symbol, re.sub(r">\s(?=>)", ">", name))
        for symbol, name in zip(symbols, done.stdout.splitlines(), strict=True)
        if name != symbol
    ]
    wrong = [(symbol, name) for symbol, name in known if readable(symbol) != name]
    print(f"{len(known) - len(wrong)} of {len(known)} names equal those of c++filt")
    for symbol, name in wrong[:SHOWN]:
        print(f"{symbol}\n  c++filt:  {name}\n  warplint: {readable(symbol)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
