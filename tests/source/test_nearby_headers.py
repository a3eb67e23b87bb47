"""Macros found in headers above a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.source.nearby_headers import nearby_definitions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in (".git", "src/ops/cuda", "include/lib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "include/lib/all.h").write_text('#include "loops.h"\n#include <lib/none.h>\n')
    (tmp_path / "include/lib/loops.h").write_text(
        "#define LOOP(i, n) \\\n  for (int i = FIRST; \\\n       i < n; ++i)\n#  define FIRST 0\n"
        "#define TWICE 1\n#define TWICE 2\n#define SAME 3\n#define SAME 3\n"
        "#ifdef DEBUG\n#define CHECK { a(); \\\n b(); }\n#else\n#define CHECK { a(); }\n#endif\n"
        "#ifndef QUIET\n#define TRY try\n#else\n#define TRY\n#endif\n"
        "#ifdef FIRST\n#define EITHER 1\n#else\n#define EITHER 2\n#endif\n"
        "#ifdef __GNUC__\n#define OURS 1\n#else\n#define OURS 2\n#endif\n"
        "#if DEBUG\n#define CASE 1\n#elif QUIET\n#define CASE 2\n#endif\n#endif\n"
    )
    (tmp_path / "src/ops/own.h").write_text('#define OWN(x) x\n#include "ops/own.h"\n')
    return tmp_path / "src/ops/cuda/k.cu"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"LOOP"}, {"LOOP": "(i, n) for (int i = FIRST; i < n; ++i)", "FIRST": " 0"}),
        ({"TWICE"}, {}),
        ({"CHECK", "TRY"}, {"CHECK": " { a(); }", "TRY": " try"}),
        ({"EITHER", "OURS", "CASE"}, {}),
        ({"SAME", "NOWHERE"}, {"SAME": " 3"}),
        ({"OWN"}, {"OWN": "(x) x"}),
    ],
)
def test_a_macro_with_what_it_uses(
    project: Path, wanted: set[str], expected: dict[str, str]
) -> None:
    missing = ["lib/all.h", "ops/own.h", "cuda_runtime.h"]
    assert nearby_definitions(str(project), missing, wanted) == expected


@pytest.mark.parametrize("path", ["/nowhere/at/all/k.cu", "k\0.cu", ""])
def test_a_path_that_leads_nowhere(path: str) -> None:
    assert nearby_definitions(path, ["a\0.h", "lib/all.h"], {"LOOP"}) == {}
