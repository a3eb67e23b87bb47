"""Where the headers of a repository are found though nobody named their folders."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from warplint.analyzer.source.file_probes import hold, recorded
from warplint.analyzer.source.include_roots import IncludeRoots
from warplint.analyzer.source.preprocessor import PreprocessorOptions, preprocess
from warplint.analyzer.source.text import SourceText


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The source of a repository with headers in all kinds of folders."""
    top = tmp_path / "repo"
    for folder in (".git", "src/ops/cuda", "include/lib", "common", "deps/one/api", "out"):
        (top / folder).mkdir(parents=True)
    for header in (
        "root.h",
        "include/lib/all.h",
        "src/ops/own.h",
        "src/ops/cuda/beside.h",
        "common/shared.h",
        "deps/one/api/one.h",
        "out/made.h",
    ):
        (top / header).write_text(f"// {header}\n")
    (tmp_path / "outside.h").write_text("#define OUTSIDE\n")
    return top / "src/ops/cuda/k.cu"


def found(source: Path, name: str) -> str | None:
    """The header below the repository, as `/` has it."""
    path = IncludeRoots(str(source)).find(name)
    return None if path is None else Path(path).relative_to(source.parents[3]).as_posix()


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("root.h", "root.h"),
        ("lib/all.h", "include/lib/all.h"),
        ("ops/own.h", "src/ops/own.h"),
        ("own.h", "src/ops/own.h"),
        ("beside.h", "src/ops/cuda/beside.h"),
        ("../own.h", "src/ops/own.h"),
        ("shared.h", None),
        ("one.h", None),
    ],
)
def test_folders_from_the_file_up_to_the_root(project: Path, name: str, header: str | None) -> None:
    assert found(project, name) == header


def test_a_name_that_leads_nowhere(project: Path) -> None:
    for name in ("none.h", "a\0.h", "", "/etc/passwd", "../../../../outside.h", "../" * 40 + "x.h"):
        assert found(project, name) is None


@pytest.mark.parametrize("path", ["/nowhere/at/all/k.cu", "k\0.cu", "", "/k.cu"])
def test_a_source_that_lies_nowhere(path: str) -> None:
    assert IncludeRoots(path).find("lib/all.h") is None


@pytest.mark.parametrize(
    "line",
    [
        "include_directories(${CMAKE_SOURCE_DIR}/common)",
        "target_include_directories(app PRIVATE\n  ${PROJECT_SOURCE_DIR}/none # a remark\n common)",
        'TARGET_INCLUDE_DIRECTORIES(app PUBLIC "$<BUILD_INTERFACE:${App_SOURCE_DIR}/common>")',
        "include_directories(SYSTEM ${CMAKE_CURRENT_LIST_DIR}/common)",
    ],
)
def test_folders_that_cmake_names(project: Path, line: str) -> None:
    (project.parents[3] / "CMakeLists.txt").write_text(f"project(App)\n{line}\n")
    assert found(project, "shared.h") == "common/shared.h"


@pytest.mark.parametrize(
    ("line", "header"),
    [
        ("include(folders.cmake)", "common/shared.h"),
        ("INCLUDE ( ${CMAKE_SOURCE_DIR}/folders.cmake OPTIONAL)", "common/shared.h"),
        ('include("${App_SOURCE_DIR}/folders.cmake")', "common/shared.h"),
        ("# include(folders.cmake)", None),
        ("include(folders)", None),  # a module, wherever that is
        ("include(${WHERE}/folders.cmake)", None),
        ("include(none.cmake)", None),
    ],
)
def test_files_that_cmake_includes(project: Path, line: str, header: str | None) -> None:
    top = project.parents[3]
    (top / "CMakeLists.txt").write_text(f"project(App)\n{line}\n")
    (top / "folders.cmake").write_text("include_directories(${App_SOURCE_DIR}/common)\n")
    assert found(project, "shared.h") == header


@pytest.mark.parametrize(
    "line",
    ["# include_directories(common)", "include_directories(${WHERE}/common)", "link(common)"],
)
def test_what_is_no_folder_for_cmake(project: Path, line: str) -> None:
    (project.parents[3] / "CMakeLists.txt").write_text(f"{line}\n")
    assert found(project, "shared.h") is None


@pytest.mark.parametrize(
    ("lines", "header"),
    [
        ("TOP := ../../..\nFLAGS = -I$(TOP)/common", "common/shared.h"),
        ("FLAGS = -I${HERE}\nHERE ?= $(TOP)/common  # as it is\nTOP = ../../..", "common/shared.h"),
        ("include common.mk\nFLAGS = -I$(COMMON)", "common/shared.h"),
        ("-include common.mk", None),
        ("FLAGS = -I$(TOP)/common\n", None),
        ("TOP = $(TOP)/..\nFLAGS = -I$(TOP)/common\n", None),
        ("include ../common.mk\nFLAGS = -I$(COMMON)", None),
    ],
)
def test_variables_of_makefiles(project: Path, lines: str, header: str | None) -> None:
    (project.parent / "Makefile").write_text(f"{lines}\n")
    (project.parent / "common.mk").write_text("COMMON = ../../../common\n")
    (project.parent.parent / "common.mk").write_text("COMMON = ../../../common\n")
    assert found(project, "shared.h") == header


def test_folders_that_a_makefile_names(project: Path) -> None:
    (project.parent / "Makefile").write_text("NVFLAGS = -O3 -I$(CUDA)/include -I ../../../common\n")
    assert found(project, "shared.h") == "common/shared.h"


@pytest.mark.parametrize("place", ["", "build"])
def test_folders_of_a_compilation_database(project: Path, place: str) -> None:
    top = project.parents[3]
    command = "nvcc -Iout -I/usr/include -c k.cu"
    entry = {"directory": str(top), "file": str(project), "command": command}
    (top / place).mkdir(exist_ok=True)
    (top / place / "compile_commands.json").write_text(json.dumps([entry]))
    assert found(project, "made.h") == "out/made.h"


@pytest.mark.parametrize("text", ["[", "3", '{"file": 1}', "[" * 5000, '[{"file": "k.cu"}]'])
def test_a_compilation_database_that_is_none(project: Path, text: str) -> None:
    (project.parents[3] / "compile_commands.json").write_text(text)
    assert found(project, "root.h") == "root.h"


def test_folders_outside_of_the_repository_do_not_count(project: Path) -> None:
    (project.parent / "Makefile").write_text("FLAGS = -I../../../.. -I/etc\n")
    assert found(project, "outside.h") is None
    assert found(project, "hostname") is None


@pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators there")
def test_links_out_of_the_repository_are_not_followed(project: Path) -> None:
    top = project.parents[3]
    os.symlink(top.parent / "outside.h", top / "include" / "link.h")
    os.symlink(top.parent, top / "src" / "away")
    os.symlink(top / "common" / "shared.h", top / "include" / "kept.h")
    assert found(project, "link.h") is None
    assert found(project, "away/outside.h") is None
    assert found(project, "kept.h") == "include/kept.h"


def test_without_a_repository_build_files_show_the_top(project: Path) -> None:
    top = project.parents[3]
    (top / ".git").rmdir()
    assert found(project, "lib/all.h") == "include/lib/all.h"
    assert found(project, "../outside.h") is None


@pytest.mark.parametrize(("built", "header"), [(["", "src/a"], "include/lib/all.h"), ([], None)])
def test_an_unpacked_archive_ends_where_the_outermost_build_file_is(
    project: Path, built: list[str], header: str | None
) -> None:
    top = project.parents[3]
    (top / ".git").rmdir()
    for folder in built:
        (top / folder).mkdir(exist_ok=True)
        (top / folder / "CMakeLists.txt").touch()
    deep = top / "src/a/b/c/d/e"
    deep.mkdir(parents=True)
    path = IncludeRoots(str(deep / "k.cu")).find("lib/all.h")
    assert path == (None if header is None else str(top / header))


@pytest.mark.parametrize("quotes", ['"{}"', "<{}>"])
def test_the_preprocessor_asks_for_both_kinds_of_names(project: Path, quotes: str) -> None:
    (project.parents[3] / "include/lib/all.h").write_text("#include <root.h>\n#define WIDTH 33\n")
    text = f"#include {quotes.format('lib/all.h')}\nint a = WIDTH;\n"
    read = preprocess(SourceText(str(project), text), PreprocessorOptions())
    assert read.tokens.texts == ["int", "a", "=", "33", ";"]
    assert read.missing == []
    assert len(read.places.sources) == 3


def test_headers_that_everybody_has_are_not_looked_for(project: Path) -> None:
    top = project.parents[3]
    for name in ("vector", "math.h", "thrust/sort.h", "cuda_runtime.h", "cub/cub.cuh"):
        (top / "include" / name).parent.mkdir(exist_ok=True)
        (top / "include" / name).write_text("#define WIDTH 33\n")
        text = f"#include <{name}>\nint a = WIDTH;\n"
        read = preprocess(SourceText(str(project), text), PreprocessorOptions())
        assert read.tokens.texts == ["int", "a", "=", "WIDTH", ";"]


def test_a_header_that_asks_for_its_own_name(project: Path) -> None:
    header = project.parents[3] / "include" / "lib" / "all.h"
    header.write_text("#include <lib/all.h>\n#include_next <root.h>\nint b;\n")
    read = preprocess(SourceText(str(project), "#include <lib/all.h>\n"), PreprocessorOptions())
    assert read.tokens.texts == ["int", "b", ";"]
    assert read.problems == []
    assert read.missing == ["lib/all.h", "root.h"]


def test_headers_that_include_each_other_are_not_missing(project: Path) -> None:
    lib = project.parents[3] / "include/lib"
    (lib / "one.h").write_text('#pragma once\n#include "lib/two.h"\nint one;\n')
    (lib / "two.h").write_text('#pragma once\n#include "lib/one.h"\nint two;\n')
    (lib / "own.h").write_text("#pragma once\n#include <lib/own.h>\nint own;\n")
    text = '#include "lib/one.h"\n#include "lib/own.h"\n'
    result = preprocess(SourceText(str(project), text), PreprocessorOptions())
    assert [word for word in result.tokens.texts if word in ("one", "two", "own")] == [
        "two",
        "one",
        "own",
    ]
    assert [*result.missing] == ["lib/own.h"]  # it means another one of its name


def test_a_header_that_many_ask_for_counts_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warplint.analyzer.source.header_search.GUESSED_CHARACTERS", 400)
    top = project.parents[3]
    (top / "common.h").write_text("#pragma once\n#define COMMON\n" + "//" * 50)
    names = [f"part{each}.h" for each in range(8)]
    for name in names:
        (top / name).write_text("#include <common.h>\n")
    (top / "last.h").write_text("#define LAST 1\n")
    text = "".join(f"#include <{name}>\n" for name in [*names, "last.h"]) + "int a = LAST;"
    result = preprocess(SourceText(str(project), text), PreprocessorOptions())
    assert "LAST" not in result.tokens.texts
    assert "1" in result.tokens.texts


def test_names_with_the_backslashes_of_windows(project: Path) -> None:
    top = project.parents[3]
    (top / "include/lib/all.h").write_text("#define ALL 1\n")
    text = '#include "lib\\all.h"\nint a = ALL;'
    result = preprocess(SourceText(str(project), text), PreprocessorOptions())
    assert not result.missing
    assert "ALL" not in result.tokens.texts


def shown_by_cmake(top: Path, line: str) -> None:
    """A library `parts/one`, two folders down, that the top adds."""
    (top / "parts/one/api/p").mkdir(parents=True)
    (top / "parts/one/api/p/p.h").touch()
    (top / "CMakeLists.txt").write_text("project(App)\nadd_subdirectory(parts)\n")
    (top / "parts/CMakeLists.txt").write_text('add_subdirectory( "one" )\nadd_subdirectory(no)\n')
    (top / "parts/one/CMakeLists.txt").write_text(f"{line}\nadd_subdirectory(..)\n")


@pytest.mark.parametrize(
    ("line", "header"),
    [
        ("target_include_directories(one PUBLIC api)", "parts/one/api/p/p.h"),
        ("target_include_directories(one SYSTEM INTERFACE\n  api)", "parts/one/api/p/p.h"),
        (
            "target_include_directories(one PRIVATE src\n"
            "  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/api>)",
            "parts/one/api/p/p.h",
        ),
        ("target_include_directories(one PUBLIC SYSTEM x PRIVATE api)", None),
        ("include_directories(api)", None),  # for that folder and those below it
        ("# target_include_directories(one PUBLIC api)", None),
    ],
)
def test_folders_that_targets_elsewhere_show(project: Path, line: str, header: str | None) -> None:
    shown_by_cmake(project.parents[3], line)
    assert found(project, "p/p.h") == header


def test_what_two_targets_show_is_neither(project: Path) -> None:
    top = project.parents[3]
    shown_by_cmake(top, "target_include_directories(one PUBLIC api ../two)")
    (top / "parts/two/p").mkdir(parents=True)
    assert found(project, "p/p.h") == "parts/one/api/p/p.h"
    (top / "parts/two/p/p.h").touch()
    assert found(project, "p/p.h") is None


def test_folders_that_cmake_adds_are_looked_into_up_to_a_limit(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown_by_cmake(project.parents[3], "target_include_directories(one PUBLIC api)")
    monkeypatch.setattr("warplint.analyzer.source.build_files._MOST_ADDED", 1)
    assert found(project, "p/p.h") is None


def test_include_folders_beside_those_above(project: Path) -> None:
    top = project.parents[3]
    for part, header in (("core", "core/a.h"), ("core", "b.h"), ("tools", "b.h"), (".hid", "c.h")):
        (top / part / "include" / header).parent.mkdir(parents=True, exist_ok=True)
        (top / part / "include" / header).touch()
    (top / "src/near/include").mkdir(parents=True)
    assert found(project, "core/a.h") == "core/include/core/a.h"
    assert found(project, "b.h") is None  # one of two
    assert found(project, "c.h") is None
    (top / "src/near/include/b.h").touch()
    assert found(project, "b.h") == "src/near/include/b.h"


def test_a_new_folder_beside_is_another_answer(project: Path) -> None:
    with recorded() as probes:
        assert found(project, "core/a.h") is None
    assert hold(probes, 100)
    (project.parents[3] / "core/include").mkdir(parents=True)
    assert not hold(probes, 100)


def test_a_folder_of_very_many_has_none_beside(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warplint.analyzer.source.file_probes._MANY", 3)
    top = project.parents[3]
    (top / "core/include").mkdir(parents=True)
    (top / "core/include/a.h").touch()
    assert found(project, "a.h") is None
