"""What every `inspect` command writes as JSON: a list of records, and the inputs they are from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..formats.json_report import Record, dump, input_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...engine.result import InputResult


def render_records(name: str, records: Iterable[Record], inputs: Iterable[InputResult]) -> str:
    """The JSON of an `inspect` command: a list named after what it lists, and the inputs."""
    return dump({name: list(records), "inputs": [_input(item) for item in inputs]})


def _input(item: InputResult) -> Record:
    """An input without the counts that only `check` makes."""
    record = input_record(item)
    return {key: record[key] for key in ("path", "status", "kernels", "problems")}
