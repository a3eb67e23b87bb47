"""A run in parts on several machines, and the parts made one again, as one run would have been.

In: the files of a run and a `Share`. Out: which of them are that share's, and a record of what was
said of them; of the records of all shares, the files of the whole run. Every share reads what files
say to each other (`launches_elsewhere.py`), so that each is checked as in one run, and files are
made one result in one place (`combining.py`). Shares are cut by the sizes of files, which is what
is known of their cost before they are read; times of earlier runs would make them differ from
machine to machine.
A record is data that can do nothing (`stored_results.py`); what is not as it was written is a
`UsageError`.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from ..config.errors import UsageError
from ..config.share import MOST_SHARES
from ..findings.rule import Input
from ..source.words import listed
from .combining import Around, Checked, Part
from .file_check import FileCheck
from .inputs import InputFile
from .stored_results import read, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..config.share import Share
    from ..findings.rule import Rule

Record = dict[str, Any]

_MOST_TEXT = 256_000_000  # bytes of one file's result
_MOST_FILES = 100_000_000
#: The numbers of a record, and the most that each may be.
_NUMBERS = {
    "number": MOST_SHARES,
    "of": MOST_SHARES,
    "total": _MOST_FILES,
    "excluded": _MOST_FILES,
    "arch": 1000,
}


def share_of(costs: Sequence[int], share: Share) -> tuple[int, ...]:
    """The numbers of the files of a share: the dearest first, each to whoever has least to do."""
    loads = [0] * share.of
    chosen = []
    for number in sorted(range(len(costs)), key=lambda each: (-costs[each], each)):
        least = loads.index(min(loads))
        loads[least] += costs[number] + 1  # files without text are shared out as well
        if least == share.number - 1:
            chosen.append(number)
    return tuple(sorted(chosen))


def part_record(part: Part, version: str) -> Record:
    """What a share of a run (a shard) found, as JSON can hold it."""
    assert part.share is not None
    return {
        "version": version,
        "number": part.share.number,
        "of": part.share.of,
        "total": part.total,
        "arch": part.around.arch,
        "excluded": part.around.excluded,
        "files": [[number, *_packed(item)] for number, item in part.files.items()],
        "refused": [_packed(_refused(each))[-1] for each in part.around.refused],
    }


def _packed(item: Checked) -> tuple[list[str], bool, str]:
    data = written(item.check, set(), _MOST_TEXT)
    if data is None:
        path = item.check.file.path
        raise UsageError(f"the result of {path} cannot be handed over", "leave it out of the run")
    codes = [rule.code for rule in item.rules]
    return codes, item.show_possible, base64.b64encode(data).decode("ascii")


def _refused(problem: Any) -> Checked:
    """A path that named no input, in the form of a file."""
    return Checked(FileCheck(InputFile(problem.path, Input.CUDA), problems=[problem]), ())


def whole(records: Sequence[Record], rules: Mapping[str, Rule], version: str) -> Part:
    """The run that these records of shards are all shares of; raises `UsageError`."""
    _check_complete(records, version)
    files: dict[int, Checked] = {}
    for record in records:
        for number, codes, possible, data in record["files"]:
            files[number] = _unpacked(data, codes, possible, rules)
    first = records[0]
    refused = [_unpacked(data, [], False, rules).check.problems[0] for data in first["refused"]]
    if len(files) != first["total"] or sorted(files) != list(range(len(files))):
        raise UsageError("the shards are not of the same run", "check the same files in each")
    around = Around(arch=first["arch"], refused=refused, excluded=first["excluded"])
    return Part({number: files[number] for number in sorted(files)}, around)


def _unpacked(data: Any, codes: Any, possible: Any, rules: Mapping[str, Rule]) -> Checked:
    try:
        found = read(base64.b64decode(data, validate=True), rules, _MOST_TEXT)
        applied = tuple(rules[code] for code in codes)
    except KeyError as error:
        name = error.args[0]
        raise UsageError(f"rule {name} is not known here", "install what brings it") from error
    except (binascii.Error, TypeError, ValueError):
        found = None
    if found is None:
        raise UsageError("a shard is damaged", "run it again")
    return Checked(found[0], applied, possible is True)


def _check_complete(records: Sequence[Record], version: str) -> None:
    """Raise unless these are all shares of one run, each once."""
    for record in records:
        if record.get("version") != version:
            made = record.get("version")
            advice = "use one version for all of them"
            raise UsageError(f"a shard is of warplint {made}, this is {version}", advice)
        if not _has_form(record):
            raise UsageError("a shard is damaged", "run it again")
    first = records[0]
    alike = ("of", "total", "arch", "asked")
    if any(record.get(name) != first.get(name) for record in records for name in alike):
        raise UsageError("the shards are not of the same run", "pass those of one run")
    numbers = sorted(record["number"] for record in records)
    missing = sorted({*range(1, first["of"] + 1)} - {*numbers})
    if missing:
        names = listed([str(each) for each in missing], 10)
        raise UsageError(f"missing: shard {names}", "pass the reports of all shards")
    if len(numbers) != len({*numbers}):
        raise UsageError("a shard was passed twice", "pass each of them once")


def _has_form(record: Record) -> bool:
    """Whether the values of a record are of the kinds that are written."""
    numbers = [(record.get(name), most) for name, most in _NUMBERS.items()]
    return (
        all(type(number) is int and 0 <= number <= most for number, most in numbers)
        and all(isinstance(record.get(name), list) for name in ("files", "refused"))
        and all(isinstance(file, list) and len(file) == 4 for file in record["files"])
        and all(type(file[0]) is int and isinstance(file[1], list) for file in record["files"])
        and all(isinstance(code, str) for file in record["files"] for code in file[1])
    )
