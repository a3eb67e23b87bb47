"""Launches as the command line has them."""

from __future__ import annotations

import pytest

from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.config.launch import StatedLaunch, parse_launch


@pytest.mark.parametrize(
    ("text", "launch"),
    [
        ("k:4:256", StatedLaunch("k", (4, 1, 1), (256, 1, 1))),
        ("ns::k:4x2:32,8", StatedLaunch("ns::k", (4, 2, 1), (32, 8, 1))),
        (
            "k:4:256:_,-7,,[400]",
            StatedLaunch("k", (4, 1, 1), (256, 1, 1), (None, -7, None, None), (None,) * 3 + (400,)),
        ),
        ("k<4>:1:1::2048", StatedLaunch("k<4>", (1, 1, 1), (1, 1, 1), shared=2048)),
    ],
)
def test_a_launch(text: str, launch: StatedLaunch) -> None:
    assert parse_launch(text) == launch


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k", "launch `k` cannot be read"),
        ("k:4", "cannot be read"),
        (":4:256", "cannot be read"),
        ("k:4:a", "cannot be read"),
        ("k:4:2048", "block `2048`"),
        ("k:0:32", "grid `0` is empty"),
        ("k:4:256:n", "argument `n`"),
        ("k:4:256:[n]", "argument `[n]`"),
        ("k:4:256:1:x", "cannot be read"),
    ],
)
def test_what_is_none(text: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_launch(text)
    assert words in raised.value.message
    assert raised.value.advice


def test_names_and_patterns() -> None:
    launch = parse_launch("scale_*:1:32")
    assert launch.is_of("x", "scale_rows")
    assert not launch.is_of("scale")
