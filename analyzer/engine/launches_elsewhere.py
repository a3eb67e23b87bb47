"""Launches that one file of a run has of the kernels of another.

In: the files of a run, and how one is read for what it says to others (`Exports`). Out: for each
file the launches elsewhere that may be of its kernels; the front ends compare identities again.
Which files are read for that is found in their text: those that speak of launches and name a kernel
that another file defines, and all that define a name which several do. A launch is one of

- the kernels whose definition its own file has in sight, which are nobody else's business (the file
  of the definition is told that they are `judged`) unless that file is no input: a header that is
  checked alone, as hooks do it, has the launches of the sources around it that include it;
- else those of its identity in the files nearest to it, by folder and name: two programs in two
  folders may define the same kernel. Files that include the header which declares it for the launch
  come before others. Of several that are as near, each may be the one linked, but where both files
  define `main`, of which a program has one;
- PTX of the same identity: it has the launches that are of the CUDA sources nearest to it which
  define the kernel, all of them; and those that nothing in CUDA answers to.

Launches are in the order of their files' paths, whatever the order of the inputs. Not handled:
kernels defined in headers that are no inputs, and names that macros put together.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import field, replace
from functools import cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING

from ...grammars import grammar_data
from ..findings.rule import Input
from ..source.collection import give_back
from ..source.files import SOURCE
from ..source.records import dataclass
from ..source.stand_ins import read_source_file
from .includers import including_sources
from .inputs import InputFile, is_header
from .processes.deep_stack import deeply
from .reading import read_exports, read_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..config.settings import Settings
    from ..ir.kernel_identity import DistantLaunch, Exports, KernelIdentity
    from .reading import Reading

_CALLED = re.compile(rb"([A-Za-z]\w*)\s*(?:<[^<>(){};]*>\s*)?\(")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_LAUNCHING = b"aunch"  # functions that do, whatever they are called
_MOST_HEADERS = 16  # of a run, whose includers are looked for
_MOST_INCLUDERS = 4  # of each, the nearest

Elsewhere = tuple["DistantLaunch", ...]


def launches_elsewhere(
    files: Sequence[InputFile],
    exports_of: Callable[[Sequence[InputFile]], Sequence[Exports]],
    more_words: Iterable[str] = (),
) -> dict[str, Elsewhere]:
    """By path, the launches in other files; `more_words` are further names of `__global__`."""
    if len(files) < 2 and not any(is_header(file.path) for file in files):
        return {}
    search = _Search(_definition(more_words))
    search.add(files)
    inputs = len(files)
    around = _includers(files, search)
    search.add(around)
    files = [*files, *around]
    if len(files) < 2:
        return {}
    wanted = search.worth_reading()
    if not wanted:
        return {}
    read = exports_of([files[number] for number in wanted])
    return _Matching(files, search, dict(zip(wanted, read, strict=True)), inputs).found()


def launches_between(files: Sequence[InputFile], settings: Settings) -> dict[str, Elsewhere]:
    """By path, the launches in other files, all of them read with the same settings."""

    def read(several: Sequence[InputFile]) -> list[Exports]:
        return [deeply(partial(read_exports, file, settings))[1] for file in several]

    return launches_elsewhere(files, read, kernel_words(settings))


def read_together(files: Sequence[InputFile], settings: Settings) -> Iterator[Reading]:
    """The files one by one, each with the launches that the others have of its kernels."""
    elsewhere = launches_between(files, settings)
    for file in files:
        give_back()  # what the file before has left
        yield read_input(file, settings, elsewhere.get(file.path, ()))


def kernel_words(settings: Settings) -> set[str]:
    """The words that settings name for `__global__`."""
    macros = settings.qualifier_macros.items()
    return {word for word, meaning in macros if "__global__" in meaning}


@cache
def _known_words() -> tuple[str, ...]:
    words: str = grammar_data("cuda_names.toml")["kernel_macros"]["__global__"]
    return ("__global__", *words.split())


def _definition(more: Iterable[str]) -> re.Pattern[bytes]:
    """A function behind one of these words, up to its body."""
    words = "|".join(map(re.escape, sorted({*_known_words(), *more})))
    return re.compile(rf"\b(?:{words})\b([^;{{}}]{{0,2000}})\{{".encode())


def _includers(files: Sequence[InputFile], search: _Search) -> list[InputFile]:
    """The sources that are no inputs and include a header with kernels that no input launches."""
    named = {os.path.realpath(file.path) for file in files}
    found: dict[str, InputFile] = {}
    for number in search.waiting_headers()[:_MOST_HEADERS]:
        header = files[number].path
        sources = including_sources(header)
        if sources & named:
            continue
        own = os.path.realpath(header)
        near = {path: _nearness(own, path) for path in sources}
        nearest = sorted(sources, key=lambda each: (-near[each][0], each.count(os.sep), each))
        for path in nearest[:_MOST_INCLUDERS]:
            shown = path if os.path.isabs(header) else os.path.relpath(path)
            found.setdefault(path, InputFile(shown, Input.CUDA))
    return list(found.values())


class _Search:
    """What the text of each file says: the kernels it defines, those of others that it names."""

    def __init__(self, definition: re.Pattern[bytes]) -> None:
        self._definition = definition
        self._files: list[InputFile] = []
        self._words: dict[int, set[bytes]] = {}  # of the CUDA files that speak of launches
        self.definers: dict[str, list[int]] = defaultdict(list)  # CUDA files by a kernel's name
        self.entries: dict[str, list[int]] = defaultdict(list)  # PTX files

    def add(self, files: Sequence[InputFile]) -> None:
        """Look into more files, which get the next numbers."""
        from ..cuda.names.launch_marks import shows_launch

        for number, file in enumerate(files, len(self._files)):
            data = _bytes(file)
            is_ptx = file.language is Input.PTX
            table = self.entries if is_ptx else self.definers
            for name in _entries(data) if is_ptx else self._defined(data):
                table[name].append(number)
            if not is_ptx and (_LAUNCHING in data or shows_launch(data)):
                self._words[number] = set(_WORD.findall(data))
        self._files += files

    def _defined(self, data: bytes) -> set[str]:
        heads = self._definition.findall(data)
        return {name.decode() for head in heads for name in _CALLED.findall(head)}

    def waiting_headers(self) -> list[int]:
        """The headers that define a kernel which no file may launch, not even the header."""
        headers = [number for number, file in enumerate(self._files) if is_header(file.path)]
        if not headers:
            return []
        said = set().union(*self._words.values())
        waiting = {
            number
            for name, numbers in self.definers.items()
            if name.encode() not in said
            for number in numbers
        }
        return [number for number in headers if number in waiting]

    def worth_reading(self) -> list[int]:
        """The files whose launches and kernels have to be known, in the order of their paths."""
        wanted: set[int] = set()
        for name, launchers in self._launchers().items():
            definers = self.definers.get(name, [])
            wanted |= launchers
            if len(definers) > 1 or name in self.entries:
                wanted |= {*definers, *self.entries.get(name, [])}
        return sorted(wanted, key=lambda number: self._files[number].path)

    def _launchers(self) -> dict[str, set[int]]:
        """By a kernel's name, the CUDA files that may launch it for another file."""
        found: dict[str, set[int]] = defaultdict(set)
        names = {name.encode() for name in (*self.definers, *self.entries)}
        for number, words in self._words.items():
            for name in map(bytes.decode, words & names):
                if name in self.entries or number not in self.definers.get(name, ()):
                    found[name].add(number)
        return found


def _entries(data: bytes) -> set[str]:
    """The kernels of PTX."""
    from ..ptx.read import ptx_exports

    return {kernel.name for kernel in ptx_exports(data.decode("latin-1")).kernels}


def text_of(file: InputFile) -> str:
    """What a file holds, as far as names go."""
    return _bytes(file).decode("latin-1")


def _bytes(file: InputFile) -> bytes:
    """What a file holds; nothing where it cannot be read, which its reader will report."""
    try:
        return read_source_file(file.path, SOURCE) if file.data is None else file.data
    except OSError:
        return b""


@dataclass(slots=True)
class _Matching:
    """Launches and kernels of the files that were read, by their numbers."""

    files: Sequence[InputFile]
    search: _Search
    read: Mapping[int, Exports]
    inputs: int  # files with numbers from here on are read for their launches alone
    _answers: dict[int, list[DistantLaunch]] = field(default_factory=lambda: defaultdict(list))

    def found(self) -> dict[str, Elsewhere]:
        """By path, the launches in other files."""
        for number, exports in self.read.items():
            for item in exports.launches:
                self._place(number, item)
        return {
            self.files[number].path: tuple(dict.fromkeys(launches))
            for number, launches in self._answers.items()
            if number < self.inputs
        }

    def _place(self, launcher: int, item: DistantLaunch) -> None:
        """Hand a launch to the files whose kernels it may be of."""
        own = os.path.realpath(self.files[launcher].path)
        sources = self._having(self.search.definers, item.kernel)
        if item.defined:
            meant = {os.path.realpath(item.defined)}
            known = replace(item, judged=True) if launcher < self.inputs else item
            for path in (meant & sources.keys()) - {own}:
                self._answers[sources[path]].append(known)
        else:
            others = sources.keys() - {own} - self._other_programs(launcher, sources)
            meant = _closest(own, self._declaring(item, sources, others) or others)
            for path in meant:
                self._answers[sources[path]].append(item)
        entries = self._having(self.search.entries, item.kernel)
        near = entries.keys() if meant else _closest(own, entries.keys())
        for path in near:
            if not meant or _closest(path, sources.keys() | meant) <= meant:
                self._answers[entries[path]].append(item)

    def _other_programs(self, launcher: int, sources: Mapping[str, int]) -> set[str]:
        """Those of the sources that are no part of the program that a launch stands in."""
        if not self.read[launcher].is_program:
            return set()
        return {
            path
            for path, number in sources.items()
            if number in self.read and self.read[number].is_program
        }

    def _declaring(
        self, item: DistantLaunch, sources: Mapping[str, int], among: set[str]
    ) -> set[str]:
        """Those of the sources that have the kernel declared by the header the launch has it by."""
        headers = set(map(os.path.realpath, item.declared))
        return {
            path
            for path in among
            if sources[path] in self.read
            and any(
                name == item.kernel.name and os.path.realpath(header) in headers
                for name, header in self.read[sources[path]].prototypes
            )
        }

    def _having(self, table: Mapping[str, list[int]], kernel: KernelIdentity) -> dict[str, int]:
        """The files that define a kernel, as far as is known, by their real paths."""
        return {
            os.path.realpath(self.files[number].path): number
            for number in table.get(kernel.name, ())
            if number not in self.read
            or any(kernel.may_be(each) for each in self.read[number].kernels)
        }


def _closest(to: str, among: Iterable[str]) -> set[str]:
    """The paths with the most folders in common with one; of these, those of its name."""
    near = {path: _nearness(to, path) for path in among}
    most = max(near.values(), default=None)
    return {path for path, nearness in near.items() if nearness == most}


def _nearness(one: str, other: str) -> tuple[int, bool]:
    (*above, name), (*others, called) = one.split(os.sep), other.split(os.sep)
    pairs = zip(above, others, strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return common, name.partition(".")[0] == called.partition(".")[0]  # `scale.sm_90.ptx`, too
