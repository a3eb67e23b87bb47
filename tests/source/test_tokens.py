"""Words, places and what has no end."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warplint.analyzer.source.text import SourceText
from warplint.analyzer.source.tokens import (
    ExpandedSpan,
    SourceMap,
    _tokens_of_sound_text,
    _tokens_one_by_one,
    same_tokens,
    tokenize,
)


def words(text: str) -> list[str]:
    return tokenize(text)[0].texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a+++b", ["a", "++", "+", "b"]),
        ("k<<<g, b>>>(x)", ["k", "<<<", "g", ",", "b", ">>>", "(", "x", ")"]),
        ("x>>=1; a<=>b; p->*q", ["x", ">>=", "1", ";", "a", "<=>", "b", ";", "p", "->*", "q"]),
        ("0x1'000ull 1.5e-3f .5 1e+10 0b1'01", ["0x1'000ull", "1.5e-3f", ".5", "1e+10", "0b1'01"]),
        ("1_km 3.0_h", ["1_km", "3.0_h"]),
        ('"a\\"b" u8"x" L"y"', ['"a\\"b"', 'u8"x"', 'L"y"']),
        ("'a' '\\'' L'b'", ["'a'", "'\\''", "L'b'"]),
        ('R"""({"a)": 1})""" x', ['R"""({"a)": 1})"""', "x"]),
        ('STR"a"(b)', ["STR", '"a"', "(", "b", ")"]),
        ('R"(a)b)" R"x(q)"y)x"', ['R"(a)b)"', 'R"x(q)"y)x"']),
        ("a/*b*/c//d\ne", ["a", "c", "e"]),
        ("a // b \\\n c\nd", ["a", "d"]),
        ("a \\\n b \\\r\n c", ["a", "b", "c"]),
        ('FOO"text"', ["FOO", '"text"']),
        ("gr\u00f6\u00dfe = 1", ["gr\u00f6\u00dfe", "=", "1"]),
        ("f() <% a<:1:> = 2; %>", ["f", "(", ")", "{", "a", "[", "1", "]", "=", "2", ";", "}"]),
        ("A<::B> <:::b:> <::>", ["A", "<", "::", "B", ">", "[", "::", "b", "]", "[", "]"]),
        ('"<%d:>" a %b', ['"<%d:>"', "a", "%", "b"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_kinds_of_literals_and_keywords() -> None:
    tokens, _ = tokenize('int x = 3; f("s", \'c\', L"w"); __shared__ and')
    kinds = dict(zip(tokens.texts, tokens.kinds, strict=True))
    assert kinds["int"] == "TYPEKW"
    assert kinds["x"] == "NAME"
    assert kinds["3"] == "NUMBER"
    assert kinds['"s"'] == kinds['L"w"'] == "STRING"
    assert kinds["'c'"] == "CHAR"
    assert kinds["__shared__"] == "STORAGE"
    assert kinds["and"] == "ANDAND"


def test_a_directive_is_one_token_with_its_continuation() -> None:
    tokens, _ = tokenize("a\n  # define X \\\n  1 // no\nb # c")
    assert tokens.texts == ["a", "# define X \\\n  1 // no", "b", "#", "c"]
    assert tokens.kinds[1] == "DIRECTIVE"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_comment_in_a_directive_may_span_lines(end: str) -> None:
    tokens, _ = tokenize(f"#define A /* x{end} y */ 1{end}b")
    assert tokens.texts == [f"#define A /* x{end} y */ 1" + end.removesuffix("\n"), "b"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('f("abc\ng', "string"),
        ("f('abc\ng", "string"),
        ("a /* b", "comment"),
        ('R"x(a)" b', "raw string"),
    ],
)
def test_what_has_no_end_is_reported_where_it_starts(text: str, what: str) -> None:
    _, broken = tokenize(text)
    assert [found.what for found in broken] == [what]
    assert text[broken[0].place] in "\"'/R"


@given(st.text(alphabet="ab1.\"'/*\\\n#<>-+= (){};R", max_size=60))
def test_every_token_stands_where_it_says(text: str) -> None:
    tokens, _ = tokenize(text)
    position = 0
    for word, place in zip(tokens.texts, tokens.places, strict=True):
        assert text[place : place + len(word)] == word
        assert place >= position
        position = place + len(word)


def test_places_of_several_files() -> None:
    main, other = SourceText("a.cu", "int x;"), SourceText("b.h", "int y;")
    places = SourceMap(main)
    base = places.add(other)
    assert places.span(4, 4, 1).path == "a.cu"
    span = places.span(base + 4, base + 5, 1)
    assert (span.path, span.text) == ("b.h", "y;")


def test_place_of_an_expansion_is_its_use() -> None:
    main = SourceText("a.cu", "#define TWO (1+1)\nint x = TWO;")
    places = SourceMap(main)
    use = main.text.rindex("TWO")
    first = places.expanded(use, use + 3, main.text.index("(1"), 1)
    last = places.expanded(use, use + 3, main.text.index(")\n"), 1)
    span = places.span(first, last, 1)
    assert isinstance(span, ExpandedSpan)
    assert (span.text, span.macro.text) == ("TWO", "(1+1)")
    copy = pickle.loads(pickle.dumps(span))
    assert (copy.text, copy.line) == ("TWO", 2)


_PIECES = st.sampled_from(
    ["a", "_b1", "0x1f", ".5e+3", '"s"', "'c'", 'u8"t"', "<<<", ">>=", "->*", "##", "#", "\\\n",
     "\n", "\r\n", " ", "\t", "\x1c", "\xa0", "/* c */", "// d\n", "/*", '"', "'", "\\", "@",
     "\n#define A 1 \\\n 2", "\n  # if 0 // x", "(", ")", "{", "}", ";", ",", "...", "\x85",
     "<", "%", ":", ">"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=30).map("".join), st.booleans())
@example("/* c */\x1c", False)
@example("<%", False)
def test_the_fast_way_finds_what_the_slow_way_finds(text: str, directives: bool) -> None:
    fast = _tokens_of_sound_text(text, 5, 0, len(text), directives)
    slow, broken = _tokens_one_by_one(text, 5, 0, len(text), directives)
    if fast is None:
        assert broken or "#" in text or any(pair in text for pair in ("<%", "%>", "<:", ":>"))
    else:
        assert (fast.kinds, fast.texts, fast.places) == (slow.kinds, slow.texts, slow.places)
        assert broken == []


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("a = b;", "a  =  b;  // c\n", True),
        ("#define X a\nX;", "#define X a  // c\n// d\nX;", True),
        ("#define X a \\\n  b\nX;", "#define X a  // c \\\n  b\nX;", False),
        ("a; // b\nc;", "a; // b \\\nc;", False),
        ('f("a");', 'f("a // b");', False),
        ("/* a\n b */ c;", "/* a\n b */ // d\n c;", True),
        ("#if A\nb;\n#endif", "b;", False),
    ],
)
def test_texts_that_differ_only_between_tokens(text: str, other: str, same: bool) -> None:
    assert same_tokens(text, other) is same
