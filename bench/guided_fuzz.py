"""Mutated sources, guided by what they reach: new steps of the front ends make an input a seed.

    python bench/guided_fuzz.py [--count N] [--seed N] [--limit SECONDS] [--only KIND]...
                                [--corpus DIR] [--keep DIR]

Begins with the fixtures, and with what a `--corpus` holds. Each round mutates a text as `fuzz.py`
does, half of the time one that was found to reach something new, and reads it as `check` without
rules would: preprocessor, reader, lowering, verifier. Python reports each line that is executed in
the folders of the front ends; a pair of lines that follow each other in one function is a step. A
text with a step that no text before it took is kept, in `--corpus` as well, and goes through all
rules at once. Tracebacks, hangs and kernels lost silently are counted and kept as by `fuzz.py`.

Not handled: how often a step is taken, and code outside of the front ends. Tracing makes reading
five to ten times slower, so an input that is too slow is judged again without it.
"""

from __future__ import annotations

import collections
import hashlib
import os
import random
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import fuzz

import warplint
from warplint.analyzer.findings.rule import Input

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable
    from types import CodeType, FrameType
    from typing import Any

PACKAGE = os.path.dirname(os.path.abspath(warplint.__file__))
FRONT_ENDS = tuple(
    os.path.join(PACKAGE, "analyzer", name, "") for name in ("cuda", "ptx", "source")
)
LANGUAGES = {"cuda": Input.CUDA, "ptx": Input.PTX}
_LARGEST = 30_000  # characters of an input: larger ones are growth.py's
_SLOWER = 8.0  # how much tracing costs at most
_BITS = 20  # of a line's number


class Steps:
    """Which line followed which, in the code of some folders."""

    def __init__(self, folders: Iterable[str] = FRONT_ENDS) -> None:
        self.known: set[int] = set()
        self._folders = tuple(folders)
        self._numbers: dict[int, int] = {}  # by id: a code's own hash goes through all of it
        self._codes: list[CodeType] = []  # none ends, so that no id is given twice

    def new_of(self, action: Callable[[], str]) -> tuple[str, int]:
        """What an action returns, and how many steps it took that none before it did."""
        reached: set[int] = set()
        enter = self._tracer(reached)
        before = sys.gettrace()
        threading.settrace(enter)
        sys.settrace(enter)
        try:
            result = action()
        finally:
            sys.settrace(before)
            threading.settrace(before)  # type: ignore[arg-type]
        new = reached - self.known
        self.known |= new
        return result, len(new)

    def _tracer(self, reached: set[int]) -> Callable[[FrameType, str, Any], Any]:
        numbers = self._numbers

        def enter(frame: FrameType, _event: str, _argument: object) -> object:
            number = numbers.get(id(frame.f_code))
            if number is None:
                number = self._numbered(frame.f_code)
            if number < 0:
                return None
            base, last = number << 2 * _BITS, 0

            def step(frame: FrameType, event: str, _argument: object) -> object:
                nonlocal last
                if event == "line":
                    line = frame.f_lineno
                    reached.add(base | last << _BITS | line)
                    last = line
                return step

            return step

        return enter

    def _numbered(self, code: CodeType) -> int:
        watched = code.co_filename.startswith(self._folders)
        self._numbers[id(code)] = len(self._codes) if watched else -1
        self._codes.append(code)
        return self._numbers[id(code)]


class Corpus:
    """The texts of one kind that reach what no earlier one did, and those it began with."""

    def __init__(self, kind: str, steps: Steps, limit: float) -> None:
        self.texts: list[str] = []
        self.found: list[str] = []
        self._kind, self._steps, self._limit = kind, steps, limit

    def begin(self, texts: Iterable[str]) -> None:
        """Take these as seeds, whatever they reach."""
        for text in texts:
            self.texts.append(text)
            self._read(text)

    def pick(self, chance: random.Random) -> str:
        """A text to mutate: every other time one that was found."""
        return chance.choice(self.found if self.found and chance.random() < 0.5 else self.texts)

    def offer(self, text: str) -> tuple[str, bool]:
        """How reading a text fails, and whether it reached something new and was kept."""
        failure, new = self._read(text)
        if new:
            self.found.append(text)
            self.texts.append(text)
        return failure, new > 0

    def _read(self, text: str) -> tuple[str, int]:
        reading = partial(fuzz.source_failure, LANGUAGES[self._kind], text, ())
        failure, new = self._steps.new_of(lambda: fuzz.ended(reading, _SLOWER * self._limit))
        return (fuzz.ended(reading, self._limit) if failure == "hang" else failure), new


def campaign(
    options: argparse.Namespace, seeds: dict[str, list[str]], counts: collections.Counter[str]
) -> int:
    """Run the rounds; how many failed. `counts` gets how many there were of what."""
    chance, steps = random.Random(options.seed), Steps()
    corpora = {kind: Corpus(kind, steps, options.limit) for kind in options.only or LANGUAGES}
    for kind, corpus in corpora.items():
        corpus.begin([*seeds[kind], *_kept(options.corpus, kind)])
    print(f"{len(steps.known)} steps at the beginning", flush=True)
    for number in range(options.count):
        kind = chance.choice([*corpora])
        corpus = corpora[kind]
        text = fuzz.mutated(chance, corpus.pick(chance), corpus.texts)[:_LARGEST]
        failure, new = corpus.offer(text)
        if new and not failure:
            failure = fuzz.tried(kind, text, options.limit)
        if new and options.corpus is not None:
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            fuzz.keep(options.corpus, f"{digest[:16]}.{kind}", text)
        counts.update([kind, *(["kept"] if new else []), *([failure] if failure else [])])
        if failure:
            print(f"round {number} of seed {options.seed}: {failure} in {kind}", flush=True)
            if options.keep is not None:
                fuzz.keep(options.keep, f"guided-{options.seed}-{number}-{failure}.{kind}", text)
    print(f"{len(steps.known)} steps at the end, {counts['kept']} inputs kept")
    return fuzz.failures(counts)


def _kept(folder: Path | None, kind: str) -> list[str]:
    files = sorted(folder.glob(f"*.{kind}")) if folder is not None else []
    return [path.read_bytes().decode("utf-8", "surrogatepass") for path in files]


def main(arguments: list[str] | None = None) -> int:
    """Run a campaign and print what it found."""
    parser = fuzz.campaign_parser(__doc__, LANGUAGES)
    parser.add_argument("--corpus", type=Path, metavar="DIR")
    options = parser.parse_args(arguments)
    counts: collections.Counter[str] = collections.Counter()
    campaign(options, fuzz.seeds(), counts)
    return fuzz.summed_up(options.count, counts, LANGUAGES)


if __name__ == "__main__":
    sys.exit(main())
