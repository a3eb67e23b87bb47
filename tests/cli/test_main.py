"""What the process does when the tool itself fails, or is stopped."""

from __future__ import annotations

import click
import pytest

from warplint.analyzer.cli import main as module


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(module.command_line, "main", fail)


@pytest.mark.parametrize("error", [RuntimeError("odd"), RecursionError("odd"), MemoryError("odd")])
def test_internal_error_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    failing(monkeypatch, error)
    assert module.main(["check", "k.cu"]) == 3
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"error: internal error: {type(error).__name__}: odd"
    assert "please report" in second


def test_debug_shows_the_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, RuntimeError("odd"))
    assert module.main(["check", "--debug", "k.cu"]) == 3
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    failing(monkeypatch, error)
    assert module.main(["check", "k.cu"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("first", ["k.cu", "src/k", "./x", "--arch", "a.b"])
def test_what_could_be_a_path_means_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], first: str
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(
        click.Group, "parse_args", lambda self, ctx, args: seen.extend(args) or ctx.exit(0)
    )
    module.main([first, "more"])
    assert seen == ["check", first, "more"]
