"""Numbers and strings."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.syntax.literals import literal_text, number_type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "int"), ("1u", "unsigned int"), ("0xffULL", "unsigned long long int"),
        ("1'000l", "long int"), ("0b1011", "int"), ("007", "int"), ("1.", "double"),
        (".5f", "float"), ("1e-3", "double"), ("1.5E+3F", "float"), ("0x1.8p3", "double"),
        ("2.0L", "long double"), ("1_km", "user"), ("1.0_h", "user"), ("0xeu", "unsigned int"),
    ],
)  # fmt: skip
def test_numbers(text: str, expected: str) -> None:
    assert number_type(text) == expected


@pytest.mark.parametrize("digits", ["9" * 200_000, "9" * 200_000 + "." + "9" * 200_000])
def test_a_long_number_is_read_once(digits: str) -> None:
    assert number_type(f"{digits}_km") == "user"  # hours, where each split of it is tried


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a"', "a"),
        ('"a" "b"', "ab"),
        ('"a\\n\\t\\\\\\"\\x41\\101"', 'a\n\t\\"AA'),
        ('"\\s"', "s"),
        ('"a\\\nb"', "ab"),
        ('R"(a\\n")"', 'a\\n"'),
        ('R"x(a)b)x" "c"', "a)bc"),
        ('"a" MACRO "b"', "ab"),
        ('u8"a"', "a"),
        ("", ""),
    ],
)
def test_strings(text: str, expected: str) -> None:
    assert literal_text(text) == expected
