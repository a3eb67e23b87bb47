"""Formats of `printf` that do not fit what they are given."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.storage.printed_formats import WrongFormat, wrong_formats

PARAMETERS = "int *p, float f, double d, int n, unsigned u, long long w, char c, bool b"


def flaws(arguments: str) -> list[WrongFormat]:
    return list(wrong_formats(body_facts(f"printf({arguments});", parameters=PARAMETERS)))


@pytest.mark.parametrize(
    "arguments",
    [
        '"done\\n"',
        '"%d %u %lld %c", n, u, w, c',
        '"%f %e %5.2g %lf", f, d, f, d',
        '"%p %s", p, p',
        '"100 %%"',
        '"%*d", n, n',
        '"%.*f", n, f',
        '"%x %hhd %i", u, c, b',
    ],
)
def test_what_fits(arguments: str) -> None:
    assert flaws(arguments) == []


@pytest.mark.parametrize(
    ("type", "value", "count"),
    [("mesh::Index", "i", 0), ("mesh::Index", "2 * i + 1", 0), ("int", "i", 1)],
)
@pytest.mark.parametrize("before", ["", "look_at(&i);"])
def test_a_variable_of_an_unknown_type_may_be_wide(
    type: str, value: str, count: int, before: str
) -> None:
    loop = f'for ({type} i = 0; i < n; ++i) {{ {before} printf("%lu", {value}); }}'
    assert len(list(wrong_formats(body_facts(loop, parameters=PARAMETERS)))) == count


@pytest.mark.parametrize(
    ("arguments", "wanted", "given"),
    [('"%d %d", n', 2, 1), ('"%d", n, n', 1, 2), ('"%*d", n', 2, 1), ('"%% %d %%"', 1, 0)],
)
def test_numbers_of_arguments(arguments: str, wanted: int, given: int) -> None:
    (flaw,) = flaws(arguments)
    assert (flaw.wanted, flaw.given, flaw.conversion) == (wanted, given, "")


@pytest.mark.parametrize(
    ("arguments", "conversion", "number"),
    [
        ('"%d", f', "%d", 1),
        ('"%d %f", n, n', "%f", 2),
        ('"%g", p', "%g", 1),
        ('"%p", d', "%p", 1),
        ('"%s %x", p, f', "%x", 2),
    ],
)
def test_kinds_of_arguments(arguments: str, conversion: str, number: int) -> None:
    (flaw,) = flaws(arguments)
    assert (flaw.conversion, flaw.number) == (conversion, number)


def test_formats_that_are_no_literals_are_left_out() -> None:
    assert not list(wrong_formats(body_facts("printf(s, n);", parameters="const char *s, int n")))


@pytest.mark.parametrize(
    ("arguments", "bits", "unsigned"),
    [
        ('"%d", w', 64, False),
        ('"%i", sizeof(int)', 64, False),
        ('"%x", w', 64, False),
        ('"%ld", n', 32, False),
        ('"%llu", u', 32, True),
        ('"%zu", c', 32, False),
    ],
)
def test_widths_of_integers(arguments: str, bits: int, unsigned: bool) -> None:
    (flaw,) = flaws(arguments)
    assert (flaw.bits, flaw.unsigned) == (bits, unsigned)


@pytest.mark.parametrize(
    "arguments",
    ['"%ld %lld", w, w', '"%zu", sizeof(int)', '"%ld", clock64()', '"%lld", llround(d)'],
)
def test_integers_of_64_bits(arguments: str) -> None:
    assert flaws(arguments) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('printf("%lu", LIMIT);', 0),
        ('printf("%f", LIMIT + 1);', 0),
        ('printf("%lu", n);', 1),
        ('printf("%d", sizeof(int));', 1),
        ('printf("%d %d", LIMIT);', 1),
    ],
)
def test_a_constant_may_be_anything_where_its_header_is_missing(text: str, count: int) -> None:
    kernel = f"constexpr word_t LIMIT = 5;\n__global__ void k(int n) {{ {text} }}\n"
    assert len(list(wrong_formats(facts_of(f"#include <not_here.h>\n{kernel}")))) == count


def test_a_constant_is_what_it_is_where_all_headers_are_there() -> None:
    kernel = '__global__ void k() { printf("%lu", LIMIT); }\n'
    assert len(list(wrong_formats(facts_of(f"constexpr int LIMIT = 5;\n{kernel}")))) == 1
