"""Types that are `float` or `double` by conditions that nothing settles."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.cuda.units.undecided_floats import undecided_floats
from warplint.analyzer.source.preprocessor import PreprocessorOptions, preprocess
from warplint.analyzer.source.text import SourceText

EITHER = "#if P == 1\ntypedef float Real;\n#elif P == 2\ntypedef double Real;\n#endif\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (EITHER, {"Real"}),
        (EITHER.replace("typedef float Real", "using Real = float"), {"Real"}),
        ("#ifdef A\n" + EITHER.replace("#elif P", "#endif\n#if P") + "#endif\n", {"Real"}),
        ("#ifndef HERE_H\n#define HERE_H\n" + EITHER + "#endif\n", {"Real"}),
        ("#ifdef D\nusing R = double;\n#else\nusing R = float;\n#endif\n", set()),
        ("#ifndef D\nusing R = float;\n#else\nusing R = double;\n#endif\n", set()),
        ("#if P == 1\ntypedef float Real;\n#endif\n", set()),
        (EITHER.replace("double", "float"), set()),
        (EITHER.replace("typedef double Real;", "// typedef double Real;"), set()),
        ("#define P 2\n" + EITHER, set()),
        ("", set()),
    ],
)
def test_the_names(text: str, names: set[str]) -> None:
    found = preprocess(SourceText("a.cu", text), PreprocessorOptions())
    assert undecided_floats(found.undecided) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("struct Cell { Real x; };", {"Cell"}),
        ("struct Cell { Real x; }; using Cells = Cell *;", {"Cell", "Cells"}),
        ("__device__ float half_of(Real x) { return x / 2; }", {"half_of"}),
        ("#define R Real", {"R"}),
        ("struct Cell { float x; /* Real */ };", set()),
        ("__device__ float half_of(float x) { return x / 2; }", set()),
    ],
)
def test_what_is_made_of_them(text: str, names: set[str]) -> None:
    assert parse_cuda(SourceText("a.cu", f"{EITHER}{text}\n")).undecided_floats == names | {"Real"}


def test_nothing_is_made_of_what_is_settled() -> None:
    text = f"#define P 1\n{EITHER}struct Cell {{ Real x; }};\n"
    assert not parse_cuda(SourceText("a.cu", text)).undecided_floats
