"""Macros, conditions, includes and pragmas."""

from __future__ import annotations

from pathlib import Path

import pytest

from warplint.analyzer.source import preprocessor_macros
from warplint.analyzer.source.preprocessor import Preprocessed, PreprocessorOptions, preprocess
from warplint.analyzer.source.text import SourceText
from warplint.analyzer.source.tokens import ExpandedSpan, Tokens


def run(text: str, **options: object) -> Preprocessed:
    return preprocess(SourceText("test.cu", text), PreprocessorOptions(**options))  # type: ignore[arg-type]


def result(text: str, **options: object) -> str:
    return " ".join(run(text, **options).tokens.texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define N 32\nN", "32"),
        ("#define N 32 // lanes\nN+N", "32 + 32"),
        ("#define N\nN a", "a"),
        ("#define SQ(x) ((x)*(x))\nSQ(a+1)", "( ( a + 1 ) * ( a + 1 ) )"),
        ("#define F(x) x\nF F (1)", "F 1"),
        ("#define CAT(a, b) a##b\nCAT(x, 1) CAT(, y) CAT(4, .0f)", "x1 y 4.0f"),
        ('#define STR(x) #x\nSTR(a  + "q\\n")', '"a + \\"q\\\\n\\""'),
        ("#define XS(x) #x\n#define S(x) XS(x)\n#define N 4\nS(N) XS(N)", '"4" "N"'),
        ("#define V(f, ...) f(__VA_ARGS__)\nV(g, 1, (2, 3)) V(g)", "g ( 1 , ( 2 , 3 ) ) g ( )"),
        ("#define P(f, ...) p(f, ##__VA_ARGS__)\nP(a) P(a, b)", "p ( a ) p ( a , b )"),
        (
            "#define P(f, ...) p(f __VA_OPT__(, x) __VA_ARGS__)\nP(a) P(a, b)",
            "p ( a ) p ( a , x b )",
        ),
        ("#define W(args...) w(args)\nW(1, 2)", "w ( 1 , 2 )"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define f(x) f(x + 1)\nf(f(1))", "f ( f ( 1 + 1 ) + 1 )"),
        ("#define CHECK OTHER\n#define OTHER(x) y x\nCHECK(3)", "y 3"),
        ("#define A(x) x\nA(\n1\n)", "1"),
        ("#define T a \\\n b\nT", "a b"),
        ("#define N 1\n#undef N\nN", "N"),
        ("#define N 1\n#define N 2\nN", "2"),
        ("#define A(x) x\nA(1", "A ( 1"),
        ("#define E(x, y) [x|y]\nE(1) E(1,2,3)", "[ 1 | ] [ 1 | 2 ]"),
        ("# /* c */ define N 7\nN", "7"),
        ("#define LP (\nLP )", "( )"),
        ('#define R R"(x)"\nR', 'R"(x)"'),
    ],
)
def test_macros(text: str, expected: str) -> None:
    assert result(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#if 1\na\n#else\nb\n#endif", "a"),
        ("#if 0\ndon't \"\n#elif 2 > 1 && !0\nb\n#endif c", "b"),
        ("#define N 4\n#if N * 2 == 010\na\n#endif", "a"),
        ("#define N 4\n#if defined(N) && defined N\na\n#endif", "a"),
        ("#ifdef __CUDACC__\na\n#endif\n#ifndef __CUDACC__\nb\n#endif", "a"),
        ("#ifdef _WIN32\na a a\n#else\nb\n#endif", "b"),
        ("#if defined(_MSC_VER) || 0x10 == 16\na\n#endif", "a"),
        ("#ifdef DEBUG\na b\n#else\nc\n#endif\n#if DEBUG\nd\n#endif", "c"),
        ("#define DEBUG 1\n#ifdef DEBUG\na b\n#else\nc\n#endif\n#if DEBUG\nd\n#endif", "a b d"),
        ("#if 0 && UNKNOWN\na\n#else\nb\n#endif", "b"),
        ("#if 1 || UNKNOWN\na\n#else\nb b b\n#endif", "a"),
        ("#if (1 ? 0 : 2) || 3 >> 1 == 1\na\n#endif", "a"),
        ("#if 'a' == 1\na a\n#else\nb\n#endif", "a a"),
        ("#if 1/0\na a\n#else\nb\n#endif", "b"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c"),
    ],
)
def test_conditions(text: str, expected: str) -> None:
    assert result(text) == expected


def test_of_an_unknown_condition_the_larger_branch_is_kept() -> None:
    assert result("#ifdef FOO\na b c\n#else\nd\n#endif") == "a b c"
    assert result("#if FOO > 3\na\n#else\nd e\n#endif") == "d e"
    assert result("#ifdef FOO\na\n#else\nb\n#endif") == "b", "a tie: nobody defined it"


def test_conditions_on_one_name_are_decided_together() -> None:
    text = (
        "#ifdef FOO\na a a\n#else\nb\n#endif\n#ifndef FOO\nc c\n#endif\n#if defined(FOO)\nd\n#endif"
    )
    assert result(text) == "a a a d"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("#if defined(FOO)\nsmall\n#elif defined(BAR)\nc\n#else\nd d d d\n#endif", "small"),
        ("#if defined(BAR)\nc c\n#elif defined(FOO)\nsmall\n#else\nd d d d\n#endif", "c c"),
        ("#ifndef FOO\nd d d d\n#elif defined(BAR)\nc\n#else\ne e\n#endif", "e e"),
    ],
)
def test_a_choice_of_several_keeps_to_what_is_asked_elsewhere(choice: str, expected: str) -> None:
    assert result(f"#if defined(FOO)\na a a\n#endif\n{choice}") == f"a a a {expected}"


def test_a_branch_may_be_unbalanced() -> None:
    text = "#ifdef FOO\nif (x) {\n#else\nif (y && z) {\n#endif\n}"
    assert result(text) == "if ( y && z ) { }"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"defines": {"FOO": "1"}}, "a"),
        ({"undefines": frozenset({"FOO"})}, "b b b"),
        ({}, "b b b"),
    ],
)
def test_definitions_of_the_command_line(options: dict[str, object], expected: str) -> None:
    assert result("#ifdef FOO\na\n#else\nb b b\n#endif", **options) == expected


def test_architecture() -> None:
    text = "#if __CUDA_ARCH__ >= 900\na\n#else\nb b b\n#endif"
    assert result(text, arch=90) == "a"
    assert result(text, arch=80) == "b b b"
    assert result(text) == "b b b", "unknown: the larger one"
    assert result("#ifdef __CUDA_ARCH__\na\n#else\nb b b\n#endif") == "a"


@pytest.mark.parametrize(
    ("define", "expected"),
    [
        ("#if __CUDA_ARCH__ == 700\n#define VOLTA\n#endif", "b"),
        ("#if __CUDA_ARCH__ >= 700\n#define VOLTA\n#endif", "a a a"),
        ("#ifdef SOMETHING\n#else\n#define VOLTA\n#endif", "a a a"),  # perhaps
        ("#if 0\n#ifdef SOMETHING\n#define VOLTA\n#endif\n#endif", "b"),
        ("#define VOLTA\n#if 0\n#define VOLTA\n#endif", "a a a"),
    ],
)
def test_a_name_whose_definition_is_known_to_be_left_out_is_not_defined(
    define: str, expected: str
) -> None:
    text = f"{define}\n#ifdef VOLTA\na a a\n#else\nb\n#endif"
    assert result(text, arch=90) == expected


@pytest.mark.parametrize(
    "text",
    [
        "#ifndef __device__\n#define __device__\n#endif\n__device__ a",
        "#define __device__\n__device__ a",
        "#ifdef __INTELLISENSE__\n#define __device__\n#define a\n#endif\n__device__ a",
        "#ifdef FOR_THE_HOST\n#define __device__\n#endif\n__device__ a",
    ],
)
def test_the_words_of_cuda_stay(text: str) -> None:
    assert result(text) == "__device__ a"


def test_pragmas_that_matter_are_kept() -> None:
    tokens = run(
        "#define N 4\n#pragma once\n#  pragma unroll N\nfor\n#pragma omp x\n#pragma nounroll"
    ).tokens
    kept = [t for t, k in zip(tokens.texts, tokens.kinds, strict=True) if k == "PRAGMA"]
    assert kept == ["unroll 4", "nounroll"]


def test_places_of_expanded_tokens() -> None:
    done = run("#define IDX(i) s[i * 33]\nIDX(t)")
    spans = spans_of(done.tokens, done)
    assert spans["t"].text == "t"
    assert spans["33"].text == "IDX(t)"
    span = spans["33"]
    assert isinstance(span, ExpandedSpan)
    assert (span.macro.line, span.macro.text) == (1, "33")


def test_places_inside_nested_macros_are_the_outermost_use() -> None:
    done = run("#define A 1\n#define B A + A\nx = B;")
    assert [s.text for s in spans_of(done.tokens, done).values()] == ["x", "=", "B", "B", ";"]


def spans_of(tokens: Tokens, done: Preprocessed) -> dict[str, object]:
    return {
        text: done.places.span(place, place, len(text))
        for text, place in zip(tokens.texts, tokens.places, strict=True)
    }


# ---- includes ---------------------------------------------------------------------------------


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.cuh").write_text(text, encoding="utf-8")


def read(folder: Path, text: str, **options: object) -> Preprocessed:
    source = SourceText(str(folder / "main.cu"), text)
    return preprocess(source, PreprocessorOptions(**options))  # type: ignore[arg-type]


def test_include_beside_the_file_and_along_the_path(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    write(tmp_path, one="#define N 3\none")
    write(tmp_path / "inc", two="two")
    text = '#include "one.cuh"\n#include <two.cuh>\n#include "three.cuh"\nN'
    done = read(tmp_path, text, include_paths=(tmp_path / "inc",))
    assert done.tokens.texts == ["one", "two", "3"]
    assert done.includes == {"one.cuh": True, "three.cuh": False}
    assert done.problems == []


def test_headers_that_are_not_there_do_not_use_up_the_files(tmp_path: Path) -> None:
    folders = tuple(tmp_path / f"folder{index}" for index in range(40))
    folders[-1].mkdir()
    write(folders[-1], last="found")
    missing = "".join(f"#include <missing{index}.cuh>\n" for index in range(40))
    done = read(tmp_path, missing + "#include <last.cuh>", include_paths=folders)
    assert done.tokens.texts == ["found"]


def test_tokens_of_an_included_file_stand_in_that_file(tmp_path: Path) -> None:
    write(tmp_path, one="\nint x;")
    done = read(tmp_path, '#include "one.cuh"\ny')
    span = done.places.span(done.tokens.places[1], done.tokens.places[1], 1)
    assert (Path(span.path).name, span.line, span.text) == ("one.cuh", 2, "x")


@pytest.mark.parametrize(
    "text",
    ['#pragma once\nx\n#include "one.cuh"', '#ifndef G\n#define G\nx\n#include "one.cuh"\n#endif'],
)
def test_guards(tmp_path: Path, text: str) -> None:
    write(tmp_path, one=text)
    done = read(tmp_path, '#include "one.cuh"\n#include "one.cuh"')
    assert done.tokens.texts == ["x"]


def test_a_header_has_one_name_however_it_is_reached(tmp_path: Path) -> None:
    (tmp_path / "util").mkdir()
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (tmp_path / "one.cuh").write_text("#pragma once\nx", encoding="utf-8")
    (tmp_path / "elsewhere" / "one.cuh").write_text("y", encoding="utf-8")
    done = read(tmp_path, '#include "util/../one.cuh"\n#include "one.cuh"')
    assert done.tokens.texts == ["x"]
    assert done.places.span(done.tokens.places[0], done.tokens.places[0], 1).path == str(
        tmp_path / "one.cuh"
    )
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "deep", target_is_directory=True)
    assert read(tmp_path, '#include "link/../one.cuh"').tokens.texts == ["y"]


def test_an_unknown_condition_has_one_answer_in_all_files(tmp_path: Path) -> None:
    write(tmp_path, settings="#ifdef DOUBLE\nwide\n#else\nnarrow float\n#endif")
    write(tmp_path, add="#ifdef DOUBLE\nadd as wide\n#else\nadd\n#endif")
    both = '#include "settings.cuh"\n#include "add.cuh"\n'
    assert read(tmp_path, both).tokens.texts == ["narrow", "float", "add"]
    # Of the files that are open the outermost one that asks decides.
    says = both + "#ifdef DOUBLE\na b c\n#else\nd\n#endif"
    assert read(tmp_path, says).tokens.texts == ["wide", "add", "as", "wide", "a", "b", "c"]


def test_of_two_numbers_for_one_name_the_one_without_a_flag_is_kept(tmp_path: Path) -> None:
    write(
        tmp_path, size="#ifdef SMALL\n#define SIZE 64 // bytes\n#else\n#define SIZE (256)\n#endif"
    )
    text = '#include "size.cuh"\nSIZE\n#ifdef SMALL\na b c\n#else\nd\n#endif'
    assert read(tmp_path, text).tokens.texts == ["(", "256", ")", "d"]
    inside = "#ifdef SMALL\n#define SIZE 64\n#else\n#define SIZE 256\n#endif\nSIZE\n"
    assert result(inside + "#ifdef SMALL\na b c\n#else\nd\n#endif") == "256 d"
    assert result(inside.replace("64", "wide").replace("256", "narrow")) == "narrow"
    kernel = "#ifdef SMALL\n__global__ void f();\n#endif"
    assert result(inside + kernel) == "64 __global__ void f ( ) ;"


def test_a_default_is_defined_whatever_else_hangs_on_its_name(tmp_path: Path) -> None:
    write(tmp_path, size="#ifndef SIZE\n#define SIZE 8\n#endif\nSIZE")
    done = read(tmp_path, '#ifdef SIZE\na b c\n#endif\n#include "size.cuh"')
    assert done.tokens.texts == ["a", "b", "c", "8"]


@pytest.mark.parametrize("guard", ["#ifndef ONE", "#if !defined(ONE)"])
def test_a_guarded_header_costs_nothing_when_it_is_included_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    monkeypatch.setattr("warplint.analyzer.source.preprocessor.INCLUDED_CHARACTERS", 500)
    write(tmp_path, one=f"// a\n{guard}\n#define ONE\nx\n#endif", part='#include "one.cuh"\ny')
    done = read(tmp_path, '#include "part.cuh"\n' * 10)
    assert done.tokens.texts == ["x", *"y" * 10]
    assert not done.problems


def test_a_header_with_a_way_beside_its_guard_is_read_again(tmp_path: Path) -> None:
    write(tmp_path, one="#ifndef ONE\n#define ONE\nx\n#else\ny\n#endif")
    write(tmp_path, two="#ifndef TWO\n#define TWO\nz\n#endif\nw")
    done = read(tmp_path, '#include "one.cuh"\n#include "two.cuh"\n' * 2)
    assert done.tokens.texts == ["x", "z", "w", "y", "w"]


def test_endless_inclusion_ends_with_a_problem(tmp_path: Path) -> None:
    write(tmp_path, one='x\n#include "one.cuh"')
    done = read(tmp_path, '#include "one.cuh"')
    assert 1 < len(done.tokens) < 100
    assert "included too often" in done.problems[0].message


# ---- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#if 1\na", "unmatched #if"),
        ("a\n#endif", "unmatched #endif"),
        ("#else\na", "unmatched #else"),
        ('a "b\nc', "unterminated string"),
        ("a /* b", "unterminated comment"),
    ],
)
def test_damage_is_reported(text: str, message: str) -> None:
    done = run(text)
    assert [problem.message for problem in done.problems] == [message]
    assert done.tokens.texts[0] == "a"


def test_damage_under_a_false_condition_is_none_of_our_business() -> None:
    assert run("#if 0\ndon't \"\n#endif\na").problems == []


def test_a_macro_bomb_is_left_alone() -> None:
    text = "#define A0 x x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 60))
    done = run(text + "a A59 b")
    assert done.tokens.texts == ["a", "A59", "b"]
    assert "expands to too many tokens" in done.problems[0].message


def test_much_work_for_few_tokens_is_done() -> None:
    text = "#define A0(x) x\n" + "".join(f"#define A{i}(x) A{i - 1}(x)\n" for i in range(1, 50))
    done = run(text + f"A49({'y ' * 1500})")
    assert (done.tokens.texts, done.problems) == (["y"] * 1500, [])


def test_small_macros_are_expanded_whatever_large_ones_took() -> None:
    text = "#define A0 x x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 60))
    done = run(text + "A59 A58 A57 A56 A0")
    assert done.tokens.texts == ["A59", "A58", "A57", "A56", "x", "x"]


def test_a_use_that_leaves_too_many_tokens_is_left_alone() -> None:
    text = "#define A0 x x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 16))
    done = run(text + "A14 A15")  # 32,768 and 65,536
    assert done.tokens.texts == ["x"] * 2**15 + ["A15"]
    assert "expands to too many tokens" in done.problems[0].message


def test_uses_that_leave_too_many_tokens_together_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are parsed as if somebody had written them: six kilobytes took half a minute."""
    monkeypatch.setattr(preprocessor_macros, "TOKENS_PER_TEXT", 1_500)
    text = f"#define ALL {'x += 1; ' * 100}\n#define ONE 1\n#define MIN(a, b) a < b ? a : b\n"
    done = run(text + "ALL " * 100 + "ONE MIN(ONE, 2)")
    assert 1_000 < len(done.tokens) < 1_700
    assert done.tokens.texts[-9:] == ["ALL", "1", "1", "<", "2", "?", "1", ":", "2"]
    assert "expands to too many tokens" in done.problems[0].message


def test_uses_that_nothing_closes_are_no_uses_and_those_behind_them_are() -> None:
    done = run(f"#define F(x) <x>\n{'F(' * 20_000} F(1) {'F(' * 20_000} a (")
    assert done.tokens.texts.count("<") == 1
    assert done.tokens.texts.count("F") == 40_000
    assert done.problems == []


def test_what_was_too_large_once_is_not_too_large_where_it_takes_what_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preprocessor_macros, "TOKENS_PER_USE", 100)
    text = f"#define MANY(x) x\n#define EACH(x) {'y ' * 200}\n#define LONG {'z ' * 99}EACH\n"
    done = run(text + "LONG LONG(1) LONG\n#undef LONG\n#define LONG MANY\nLONG(2)")
    assert done.tokens.texts[-1] == "2"
    assert done.tokens.texts.count("z") == 198


def test_small_uses_do_not_cost_more_than_the_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may take its steps whatever others took, but not all of them together."""
    monkeypatch.setattr(preprocessor_macros, "STEPS_PER_UNIT", 10_000)
    text = f"#define E\n#define B {'E ' * 90}\n#define ONE 1\n" + "B " * 200 + "ONE"
    done = run(text)
    assert done.tokens.texts[-1] == "1"
    assert set(done.tokens.texts[:-1]) == {"B"}
    assert 50 < len(done.tokens) < 120


@pytest.mark.parametrize(
    "define",
    [
        "#define A(x) x##x\n#define B(x) A(x)\n",
        "#define A(x) #x\n#define B(x) A(x x)\n",
        "#define A(x, y) x##y\n#define B(x) A(x, x)\n",
    ],
)
def test_one_token_does_not_double_without_end(define: str) -> None:
    done = run(f"{define}a {'B(' * 50}q{')' * 50} b CAT")
    assert sum(map(len, done.tokens.texts)) < 10_000
    assert "expands to too many tokens" in done.problems[0].message


CASES = "".join(f"case {i}: {{ enum {{ N = {i} }}; __VA_ARGS__; break; }} " for i in range(20))


def test_a_switch_of_switches_keeps_what_it_repeats_once() -> None:
    define = f"#define S(N, ...) switch (x) {{ {CASES} }}\n"
    done = run(f"{define}S(A, S(B, S(C, S(D, f<A, B, C, D>();)))) S(E, g<E>();)")
    texts = " ".join(done.tokens.texts)
    assert texts.count("f < A , B , C , D > ( ) ;") == 1
    assert texts.count("not_expanded ( ) ;") == 4 * 19
    assert texts.count("g < E >") == 20
    assert [problem.span.text for problem in done.problems if problem.span] == ["S"]


def test_a_lambda_that_is_repeated_is_called_once() -> None:
    define = (
        f"#define S(x, ...) {' '.join(f'if (x == {i}) return __VA_ARGS__();' for i in range(99))}\n"
    )
    done = run(f"{define}S(a, [&] {{ S(b, [&] {{ S(c, [&] {{ f(a, b, c); }}) }}) }})")
    texts = " ".join(done.tokens.texts)
    assert texts.count("f ( a , b , c )") == 1
    assert "if ( c == 98 ) return not_expanded ( ) ( ) ;" in texts


def test_calls_nested_beyond_reason_are_left_alone() -> None:
    done = run("#define f(x) x\n" + "f(" * 3000 + "1" + ")" * 3000 + " b")
    assert done.tokens.texts[-1] == "b"
    assert done.problems


def test_text_under_conditions_that_do_not_hold() -> None:
    done = run("#if 0\nint a;\n#else\nint b;\n#endif")
    assert [span.text for span in done.dropped] == ["\nint a;\n"]


def test_what_has_no_end_is_reported_where_it_takes_kept_text_with_it() -> None:
    for opened in ("/* ", 'x R"a('):
        done = run(f"#if 0\nint a; {opened}\n#endif\nint b;")
        assert any("unterminated" in problem.message for problem in done.problems)
    assert not run("#if 0\nit's text\n#endif\nint b;").problems


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef __CUDACC__\na\n#esle\nb\n#endif\nc",
        "#ifdef __CUDACC__\na\n#else\nb\n#endi\nc",
        "#idef __CUDACC__\na\n#else\nb\n#endif\nc",
        "##ifdef __CUDACC__\na\n# #else\nb\n#endif\nc",
    ],
)
def test_a_directive_with_one_wrong_letter_is_still_one(text: str) -> None:
    read = run(text)
    assert " ".join(read.tokens.texts) == "a c"
    assert read.problems == []


@pytest.mark.parametrize(
    "line",
    [
        '#include include "a.h"',
        '#includ "a.h"',
        '#include("a.h"',
        '#( include "a.h"',
        '#i=clude "a.h"',
        '#include a.h"',
        '# "a.h" include',
        '#"a.h" "a.h"',
    ],
)
def test_a_damaged_include_finds_its_file(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#define A 1\n")
    read = preprocess(SourceText(str(tmp_path / "k.cu"), f"{line}\nA"), PreprocessorOptions())
    assert read.tokens.texts == ["1"]


BODY = "void f(int n) {{\n{}\n}}"
ASKED = "#ifdef CHECKED\ncheck(n);\n#endif\nwork(n);"
UNASKED = "void f ( int n ) { work ( n ) ; }"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BODY.format(ASKED), UNASKED),
        (
            BODY.format("if (n) {\n" + ASKED + "\n}"),
            "void f ( int n ) { if ( n ) { work ( n ) ; } }",
        ),
        ("namespace a {\n" + BODY.format(ASKED) + "\n}", "namespace a { " + UNASKED + " }"),
        (BODY.format("#if !CHECKED\nwork(n);\n#else\nfirst(n);\nsecond(n);\n#endif"), UNASKED),
    ],
)
def test_what_only_statements_hang_on_is_not_defined(text: str, expected: str) -> None:
    assert result(text) == expected
    assert "check" in result(BODY.format(ASKED), defines={"CHECKED": ""})


@pytest.mark.parametrize(
    "text",
    [
        BODY.format(ASKED)
        + "\n#ifdef CHECKED\nint more;\n#endif",  # a declaration hangs on it, too
        BODY.format(ASKED) + "\n#if A && CHECKED\nint more;\n#endif",
        '#include "settings.h"\n' + BODY.format(ASKED),  # which may define it
        "namespace a {\n" + ASKED.replace("work(n);", "") + "\n}",
        "struct S {\n" + ASKED.replace("work(n);", "") + "\n};",
        BODY.format("#ifdef CHECKED\ncheck(n);\n} template <class T> void g() {\n#endif"),
        BODY.format(ASKED.replace("CHECKED", "CUDA_GRAPHS")),
    ],
)
def test_what_more_hangs_on_may_be_defined(text: str) -> None:
    assert "check" in result(text)


@pytest.mark.parametrize("name", ["DISABLE_TENSOR_CORES", "NO_MPI", "WITHOUT_FENCES"])
def test_what_a_build_leaves_out_when_told_to_is_there(name: str) -> None:
    text = f"#ifndef {name}\na\n#else\nb b b\n#endif"
    assert result(text) == "a"
    assert result(f"#define {name}\n{text}") == "b b b"
    assert result(text.replace(name, "SOMETHING")) == "b b b", "unknown: the larger one"


def test_a_header_that_is_not_at_hand_says_for_whom_it_is_compiled() -> None:
    text = "#ifdef __HIP_DEVICE_COMPILE__\ndevice\n#else\nhost\n#endif\n"
    assert result(text) == "host"
    assert result("#include <hip/hip_runtime.h>\n" + text) == "device"
