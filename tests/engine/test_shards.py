"""Shares of a run: every file in one of them, and of about the same cost."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.config.share import Share, parse_share
from warplint.analyzer.engine.combining import Around, Checked, Part, combined
from warplint.analyzer.engine.file_check import FileCheck
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.engine.shards import part_record, share_of, whole
from warplint.analyzer.findings.rule import Input

COSTS = st.lists(st.integers(0, 10**6), max_size=60)


@given(COSTS, st.integers(1, 12))
def test_every_file_is_in_one_share(costs: list[int], of: int) -> None:
    shares = [share_of(costs, Share(number + 1, of)) for number in range(of)]
    assert sorted(number for share in shares for number in share) == list(range(len(costs)))


@given(COSTS, st.integers(1, 12))
def test_no_share_has_more_than_another_by_a_file(costs: list[int], of: int) -> None:
    shares = [share_of(costs, Share(number + 1, of)) for number in range(of)]
    loads = [sum(costs[number] + 1 for number in share) for share in shares]
    assert max(loads) - min(loads) <= max(costs, default=0) + 1


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/2/3", "-1/2", "a/b", "1/100000", ""])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no shard"):
        parse_share(text)


def records(of: int = 2) -> list[dict[str, Any]]:
    paths = ["a.cu", "b.cu", "c.cu"]
    files = [
        Checked(FileCheck(InputFile(path, Input.CUDA), kernels=number, arch=90), ())
        for number, path in enumerate(paths)
    ]
    found = []
    for number in range(of):
        mine = {at: files[at] for at in share_of([1] * len(files), Share(number + 1, of))}
        found.append(part_record(Part(mine, Around(90), Share(number + 1, of), len(files)), "1.0"))
    return found


def test_all_shares_are_the_run_again_in_any_order() -> None:
    forth = combined(whole(records(), {}, "1.0"))
    back = combined(whole(records()[::-1], {}, "1.0"))
    assert forth == back
    assert [(item.path, item.kernels) for item in forth.inputs] == [
        ("a.cu", 0), ("b.cu", 1), ("c.cu", 2)
    ]  # fmt: skip


def refusal(found: list[dict[str, Any]], version: str = "1.0") -> str:
    with pytest.raises(UsageError) as error:
        whole(found, {}, version)
    return error.value.message


def test_what_is_not_one_run_is_refused() -> None:
    assert refusal(records()[:1]) == "missing: shard 2"
    assert refusal(records(4)[:1]) == "missing: shard 2, 3 and 4"
    assert refusal([*records(), records()[0]]) == "a shard was passed twice"
    assert refusal([*records(2), *records(3)]) == "the shards are not of the same run"
    assert refusal(records(), "2.0") == "a shard is of warplint 1.0, this is 2.0"
    fewer = records()
    fewer[0]["files"] = fewer[0]["files"][:1]
    other = records()
    other[1]["asked"] = {"sort": "rule"}
    assert refusal(other) == "the shards are not of the same run"
    assert refusal(fewer) == "the shards are not of the same run"


@pytest.mark.parametrize("data", ["", "?", base64.b64encode(b"no result").decode(), 7, None])
def test_damaged_results_are_refused(data: object) -> None:
    found = records()
    found[0]["files"][0][-1] = data
    assert refusal(found) == "a shard is damaged"


def test_rules_that_are_not_known_are_named() -> None:
    found = records()
    found[0]["files"][0][1] = ["XYZ001"]
    assert refusal(found) == "rule XYZ001 is not known here"


@pytest.mark.parametrize("name", ["number", "of", "total", "arch", "excluded", "files", "refused"])
@pytest.mark.parametrize("value", [None, -1, 10**30, True, 1.5, "1", [[]], [1], {}, [[0, 1, 2, 3]]])
def test_made_up_values_are_refused(name: str, value: object) -> None:
    found = records(1)
    found[0][name] = value
    assert refusal(found) == "a shard is damaged"
