"""nvcc's command lines, and compile_commands.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warplint.analyzer.source.compile_flags import parse_flags, read_compile_commands


@pytest.mark.parametrize(
    "words",
    [
        ["-DN=4", "-D", "M", "-Iinc", "-I", "other", "-UX"],
        ["--define-macro", "N=4", "--define-macro=M", "--include-path=inc,other", "-U", "X"],
        ["-DN=4", "-DM=1", "-isystem", "inc", "-isystem=other", "--undefine-macro=X"],
    ],
)
def test_definitions_and_paths(words: list[str]) -> None:
    flags = parse_flags(words, "/src")
    assert dict(flags.defines) == {"N": "4", "M": "1"}
    assert flags.undefines == {"X"}
    assert [Path(path) for path in flags.include_paths] == [Path("/src/inc"), Path("/src/other")]


@pytest.mark.parametrize(
    ("words", "arch"),
    [
        (["-arch=sm_90a"], 90),
        (["-arch", "compute_80"], 80),
        (
            ["-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_100f,code=sm_100f"],
            100,
        ),
        (["--generate-code=arch=compute_75,code=[compute_75,sm_86]"], 86),
        (["--cuda-gpu-arch=sm_89"], 89),
        (["-O3"], None),
        (["-arch=native"], None),
        (["-arch=sm_" + "9" * 5000], None),
    ],
)
def test_architecture(words: list[str], arch: int | None) -> None:
    assert parse_flags(words).arch == arch


def test_everything_else_is_skipped_with_its_value() -> None:
    words = [
        "-forward-unknown-to-host-compiler",
        "-rdc=true",
        "--use_fast_math",
        "-maxrregcount",
        "32",
        "-o",
        "-DNOT",
        "-Xcompiler",
        "-DNEITHER",
        "-x",
        "cu",
        "-std=c++17",
        "-c",
        "a.cu",
        "-MF",
        "a.d",
        "-t",
        "4",
        "--expt-relaxed-constexpr",
        "-lineinfo",
        "-G",
        "-DYES",
    ]
    assert dict(parse_flags(words).defines) == {"YES": "1"}


@pytest.mark.parametrize(
    "words", [[], ["-D"], ["-I"], ["-arch"], ["-"], ["", "-D="], ["--"], ["-gencode="]]
)
def test_odd_command_lines_are_no_error(words: list[str]) -> None:
    assert parse_flags(words).arch is None


def test_the_last_word_counts() -> None:
    flags = parse_flags(["-DA", "-UA", "-UB", "-DB=2"])
    assert (dict(flags.defines), flags.undefines) == ({"B": "2"}, {"A"})


def test_compile_commands(tmp_path: Path) -> None:
    database = [
        {"directory": str(tmp_path), "file": "a.cu", "command": "nvcc -DX='1 2' -I inc -c a.cu"},
        {"directory": str(tmp_path), "file": "sub/b.cu", "arguments": ["nvcc", "-arch=sm_80"]},
        {"directory": str(tmp_path)},
        "nonsense",
    ]
    path = tmp_path / "compile_commands.json"
    path.write_text(json.dumps(database))
    commands, (problem,) = read_compile_commands(path)
    flags = commands.flags_for(tmp_path / "sub" / ".." / "a.cu")
    assert flags is not None
    assert dict(flags.defines) == {"X": "1 2"}
    assert flags.include_paths == (str(tmp_path / "inc"),)
    header = commands.flags_for(tmp_path / "sub" / "b.cuh")
    assert header is not None
    assert header.arch == 80
    assert commands.flags_for("/elsewhere/c.cu") is None
    assert "2 malformed entries" in problem.message


@pytest.mark.parametrize("text", ["", "{", "{}", "[[[", "[" * 100_000])
def test_broken_databases(tmp_path: Path, text: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    commands, problems = read_compile_commands(path)
    assert commands.flags_for("a.cu") is None
    assert len(problems) == 1


def test_a_missing_database(tmp_path: Path) -> None:
    assert len(read_compile_commands(tmp_path / "none.json")[1]) == 1
