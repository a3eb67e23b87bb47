"""Any file becomes a reading, whatever it holds and whatever the front ends do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine import reading
from warplint.analyzer.engine.inputs import InputFile
from warplint.analyzer.findings.rule import Input
from warplint.analyzer.ir.kernel import Kernel, Module
from warplint.analyzer.source.problem import Damage, Problem
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = Settings()


def read(path: Path, language: Input = Input.CUDA) -> reading.Reading:
    return reading.read_input(InputFile(str(path), language), SETTINGS)


@pytest.mark.parametrize(
    ("data", "word", "language"),
    [
        (b"", "empty", Input.PTX),
        (b" \n\t", "empty", Input.PTX),
        (b"a\0b", "binary", Input.PTX),
        (b"a\0b", "binary", Input.CUDA),
    ],
)
def test_unusable_content(tmp_path: Path, data: bytes, word: str, language: Input) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes(data)
    result = read(path, language)
    assert result.module is None
    assert result.status == "none"
    (problem,) = result.problems
    assert word in problem.message
    assert problem.damage is Damage.FATAL
    assert problem.advice


@pytest.mark.parametrize("data", [b"", b" \n\t"])
def test_an_empty_source_has_no_kernels(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes(data)
    result = read(path)
    assert result.module is not None
    assert list(result.module.kernels) == []
    assert [problem.damage for problem in result.problems] == [Damage.NOTICE]


def test_file_that_vanished(tmp_path: Path) -> None:
    (problem,) = read(tmp_path / "gone.cu").problems
    assert problem.message == "no such file"


def test_failing_front_end_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> Module:
        raise RecursionError

    path = tmp_path / "k.cu"
    path.write_text("x", encoding="utf-8")
    monkeypatch.setattr(reading, "_read_module", fail)
    (problem,) = read(path).problems
    assert problem.message == "internal error in the cuda front end: nested too deeply"
    assert problem.damage is Damage.FATAL


@pytest.mark.parametrize(
    ("status", "at", "expected"),
    [
        ("partial", 12, [Damage.NOTICE]),
        ("partial", 2, [Damage.PARTIAL]),
        ("full", 12, [Damage.PARTIAL]),
        ("none", 12, [Damage.PARTIAL, Damage.PARTIAL]),
    ],
)
def test_lost_statement_is_a_remark_and_a_lost_kernel_is_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    at: int,
    expected: list[Damage],
) -> None:
    path = tmp_path / "k.cu"
    path.write_text("header k() { strange; }", encoding="utf-8")

    def module(source: SourceText, *_: object) -> Module:
        kernel = Kernel("k", Span(source, 0, 10), Span(source, 11, 23), "cuda", status=status)
        lost = Problem(str(path), "m", "a", Damage.PARTIAL, Span(source, at, at + 1))
        return Module(source, "cuda", [kernel], problems=[lost])

    monkeypatch.setattr(reading, "_read_module", module)
    assert [problem.damage for problem in read(path).problems] == expected


@pytest.mark.parametrize(
    ("statuses", "damage", "expected"),
    [
        (["full"], None, "full"),
        (["full"], Damage.NOTICE, "full"),
        (["full", "partial"], None, "partial"),
        (["full"], Damage.PARTIAL, "partial"),
        ([], Damage.FATAL, "none"),
        ([], Damage.PARTIAL, "none"),
        (["none", "none"], Damage.PARTIAL, "none"),
        (["none", "full"], Damage.PARTIAL, "partial"),
        (["full"], Damage.FATAL, "partial"),
        ([], None, "full"),
    ],
)
def test_status(statuses: list[str], damage: Damage | None, expected: str) -> None:
    source = SourceText("k.cu", "x")
    span = Span(source, 0, 1)
    kernels = [Kernel("k", span, span, "cuda", status=status) for status in statuses]
    problems = () if damage is None else (Problem("k.cu", "m", "a", damage),)
    module = Module(source, "cuda", kernels)
    file = InputFile("k.cu", Input.CUDA)
    assert reading.Reading(file, module, problems).status == expected


LOST = "__global__ void k(int* p) { p[0] = 1; ??; p[1] = 2; }\n"


@pytest.mark.parametrize(
    ("text", "damage", "line"),
    [
        (LOST, Damage.NOTICE, 1),
        (LOST + "void f(int* p) { ??; k<<<1, 32>>>(p); }", Damage.NOTICE, 1),
        (LOST + "void f(int* p) { ??;\n k<<<1, ??>>>(p); }", Damage.PARTIAL, 3),
        ("void f(int* p) { ??;\n k<<<1, ??>>>(p); }\n" + LOST, Damage.PARTIAL, 2),
        (LOST + "__device__ int d() { ??; }", Damage.PARTIAL, 2),
        (LOST + "__global__ void t(int* p) { p[0] = 1; ??; }", Damage.NOTICE, 1),
        (LOST + "__global__ void t(int* p) { ??; }", Damage.PARTIAL, 2),
    ],
)
def test_what_is_lost_decides_wherever_it_stands(
    tmp_path: Path, text: str, damage: Damage, line: int
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    (problem,) = (each for each in read(path).problems if "not analysed" in each.message)
    assert problem.damage is damage
    assert problem.span is not None
    assert problem.span.line == line
    assert problem.others == ()
