"""Lists of repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.fleet.subjects import Subject, read_subjects

if TYPE_CHECKING:
    from pathlib import Path


def test_addresses_folders_and_revisions(tmp_path: Path) -> None:
    (tmp_path / "a@b").mkdir()
    text = f"""
# a comment
https://example.com/one.git
https://example.com/one.git@v1.2   # a tag
git@example.com:two/three.git
git@example.com:two/three.git@0123abc
ssh://git@example.com/four
{tmp_path}
{tmp_path}@main
{tmp_path}/a@b
https://example.com/one.git
"""
    assert read_subjects(text, "list.txt") == [
        Subject("https://example.com/one.git"),
        Subject("https://example.com/one.git", "v1.2"),
        Subject("git@example.com:two/three.git"),
        Subject("git@example.com:two/three.git", "0123abc"),
        Subject("ssh://git@example.com/four"),
        Subject(str(tmp_path), is_folder=True),
        Subject(str(tmp_path), "main", is_folder=True),
        Subject(f"{tmp_path}/a@b", is_folder=True),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "ext::sh -c id",
        "fd::17/x",
        "--upload-pack=id",
        "https://example.com/one.git@--upload-pack=id",
        "https://example.com/one.git@a b",
        "no/such/folder",
        "ftp://example.com/one.git",
    ],
)
def test_what_could_be_more_than_an_address_is_refused(line: str) -> None:
    with pytest.raises(UsageError) as error:
        read_subjects(f"\n{line}\n", "list.txt")
    assert "list.txt:2" in error.value.message


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(UsageError):
        read_subjects("# nothing\n", "list.txt")
