"""Files taken apart: what of a header is kept for the next file that includes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.source import preprocessor_files
from warplint.analyzer.source.preprocessor import PreprocessorOptions, preprocess
from warplint.analyzer.source.preprocessor_files import parted, parted_header
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_HEADER = "#ifdef WIDE\ndouble x;\n#else\nfloat x;\n#endif\nint y;\n"


def test_what_is_kept_says_what_the_text_says() -> None:
    kept, anew = parted_header(_HEADER), parted(_HEADER)
    assert parted_header(_HEADER) is kept
    assert (kept.tokens, kept.words, kept.sizes) == (anew.tokens, anew.words, anew.sizes)
    assert kept.tokens_at(7).places == [place + 7 for place in anew.tokens.places]


def test_conditions_are_decided_anew_in_each_file(tmp_path: Path) -> None:
    (tmp_path / "x.h").write_text(_HEADER, encoding="utf-8")
    texts = []
    for name, define in (("a.cu", "#define WIDE\n"), ("b.cu", ""), ("c.cu", "#define WIDE\n")):
        source = SourceText(str(tmp_path / name), define + '#include "x.h"\n')
        found = preprocess(source, PreprocessorOptions())
        texts.append(" ".join(found.tokens.texts))
        named = found.places.span(found.tokens.places[-2], found.tokens.places[-2], 1)
        assert (named.path, named.line, named.text) == (str(tmp_path / "x.h"), 6, "y")
    assert texts == ["double x ; int y ;", "float x ; int y ;", "double x ; int y ;"]


def test_a_header_that_includes_itself_keeps_its_groups_apart(tmp_path: Path) -> None:
    header = '#ifndef N\n#define N 1\n#include "x.h"\nint first;\n#else\nint second;\n#endif\n'
    (tmp_path / "x.h").write_text(header, encoding="utf-8")
    source = SourceText(str(tmp_path / "a.cu"), '#include "x.h"\n')
    assert " ".join(preprocess(source, PreprocessorOptions()).tokens.texts) == (
        "int second ; int first ;"
    )


def test_what_was_met_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preprocessor_files, "_KEPT", 30)
    texts = [f"int variable_{letter};\n" for letter in "abc"]
    first = [parted_header(text) for text in texts]
    assert parted_header(texts[2]) is first[2]
    assert parted_header(texts[0]) is not first[0]
