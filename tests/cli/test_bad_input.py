"""Whatever a user names: one clear message on stderr, the right exit code, never a trace."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cli.shared.options import FILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("arguments", "error", "advice"),
    [
        (["check"], "missing argument 'FILE...'", "`warplint check --help`"),
        (["check", "--bad", "k.cu"], "no such option", "`warplint check --help`"),
        (["chekc", "k.cu"], "unknown command `chekc`", "did you mean `check`?"),
        (["inspect", "kernel"], "unknown command `kernel`", "did you mean `kernels`?"),
        (["check", "--arch", "sm_99", "k.cu"], "unknown architecture `sm_99`", "sm_90, "),
        (["check", "--block", "33,32", "k.cu"], "block `33,32` has 1056 threads", "1024"),
        (["check", "--block", "0", "k.cu"], "block `0` is empty along x", ""),
        (["check", "--grid", "a", "k.cu"], "grid `a` is not a shape", "X[,Y[,Z]]"),
        (["check", "-D", "1X", "k.cu"], "`1X` does not begin with a macro name", "-D TILE=16"),
        (["check", "--select", "QQQ", "k.cu"], "unknown rule `QQQ`", "`warplint rules`"),
        (["check", "--format", "xml", "k.cu"], "invalid value for '--format'", "--help"),
        (["rule", "QQQ001"], "unknown rule `QQQ001`", "`warplint rules`"),
        (["rule"], "pass one rule, or --all", "`warplint rules`"),
        (["missing.cu"], "missing.cu: no such file or directory", "check the path"),
        (["notes.txt"], "notes.txt: unknown file type `.txt`", ".ptx"),
        (["folder/"], "folder/: no .cu, .cuh or .ptx file", "pass a directory"),
    ],
)
def test_wrong_usage(
    warplint: Run, tmp_path: Path, arguments: list[str], error: str, advice: str
) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    outcome = warplint(*arguments)
    assert outcome.code == 2
    first, second = outcome.err.splitlines()
    assert first.startswith(f"error: {error}")
    assert second.startswith("  help: ")
    assert advice in second


@pytest.mark.parametrize("arguments", [[], ["inspect"]], ids=" ".join)
def test_no_arguments_show_the_help_but_are_no_success(warplint: Run, arguments: list[str]) -> None:
    outcome = warplint(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("Usage: warplint")


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("empty.ptx", b"", "empty.ptx: empty file"),
        ("blank.ptx", b"\n", "blank.ptx: empty file"),
        ("cubin.cu", b"\x7fELF\x00\x01", "cubin.cu: a binary file"),
        ("cubin.ptx", bytes(range(256)), "cubin.ptx: a binary file"),
    ],
)
def test_input_that_cannot_be_analysed(
    warplint: Run, tmp_path: Path, name: str, data: bytes, error: str
) -> None:
    (tmp_path / name).write_bytes(data)
    outcome = warplint(name)
    assert outcome.code == 3
    first, second = outcome.err.splitlines()
    assert first.startswith(f"error: {error}")
    assert second.startswith("  help: ")
    assert "Nothing was analysed." in outcome.out


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("broken.ptx", ".version 8.0\n.target sm_90\n.entry k( {{{\n", "broken.ptx:3:"),
        ("broken.cu", "__global__ void k(int *a) { a[0] = ; if ( }\n", "broken.cu:1:"),
        ("latin1.cu", "int gr\xf6\xdfe;\n", "latin1.cu:1:7: not UTF-8"),
    ],
)
def test_text_that_cannot_be_parsed(
    warplint: Run, tmp_path: Path, name: str, text: str, place: str
) -> None:
    (tmp_path / name).write_text(text, encoding="latin-1")
    outcome = warplint(name)
    assert outcome.code == 3
    errors, advice = outcome.err.splitlines()[::2], outcome.err.splitlines()[1::2]
    assert errors[0].startswith(f"error: {place}")
    assert all(line.startswith("  help: ") for line in advice)
    assert outcome.out.startswith("Nothing was analysed.\n")


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf", b"\xff\xfe\n\0"])
def test_an_empty_source_is_no_error(warplint: Run, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "empty.cu").write_bytes(data)
    outcome = warplint("empty.cu")
    assert outcome.code == 0
    assert outcome.err.startswith("note: empty.cu: empty file")
    assert outcome.out.startswith("No kernels found.\n0 kernels in 1 file")


GOOD = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"


#: Python runs this in the process under test: a file that is closed, to root as well.
CLOSED = """\
import os
opened = os.open
def refuse(path, *more, **named):
    if os.path.basename(os.fsdecode(path)) == "secret.cu":
        raise PermissionError(13, "Permission denied", path)
    return opened(path, *more, **named)
os.open = refuse
"""


def test_a_file_that_may_not_be_read_costs_only_itself(
    warplint: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in ("good.cu", "secret.cu"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    before = tmp_path_factory.mktemp("before")
    (before / "sitecustomize.py").write_text(CLOSED, encoding="utf-8")
    outcome = warplint("secret.cu", "good.cu", "--format", "json", PYTHONPATH=str(before))
    assert outcome.code == 3
    assert outcome.err.startswith("error: secret.cu: permission denied\n")
    assert [item["status"] for item in json.loads(outcome.out)["inputs"]] == ["none", "full"]


def test_the_command_line_asks_no_file_whether_it_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The reader does, for each file; click would end the run for one of them.
    (tmp_path / "k.cu").write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert FILE.convert(str(tmp_path / "k.cu"), None, None) == str(tmp_path / "k.cu")


def test_dangling_link(warplint: Run, tmp_path: Path) -> None:
    os.symlink("nowhere", tmp_path / "link.cu")
    outcome = warplint("link.cu")
    assert outcome.code == 3
    assert outcome.err.startswith("error: link.cu: no such file")


def test_json_is_written_when_every_input_failed(warplint: Run) -> None:
    outcome = warplint("check", "a.cu", "b.txt", "--format", "json")
    report = json.loads(outcome.out)
    assert [item["path"] for item in report["inputs"]] == ["a.cu", "b.txt"]
    assert [item["status"] for item in report["inputs"]] == ["none", "none"]
    assert report["summary"]["exit_code"] == outcome.code == 2


def test_path_with_control_characters_cannot_write_to_the_terminal(warplint: Run) -> None:
    outcome = warplint("a\x1b[31m.cu")
    assert outcome.code == 2
    assert "\x1b" not in outcome.err


def test_path_that_is_not_unicode(warplint: Run) -> None:
    outcome = warplint(os.fsdecode(b"a\xff.cu"), "--format", "json")
    assert outcome.code == 2
    assert json.loads(outcome.out)["inputs"][0]["path"] == "a\udcff.cu"


def test_narrow_encoding_is_no_reason_to_crash(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "größe.ptx").write_bytes(b"")
    outcome = warplint("größe.ptx", PYTHONIOENCODING="ascii")
    assert outcome.code == 3
    assert outcome.err.startswith(r"error: gr\xf6\xdfe.ptx: empty file")


def test_headers_whose_kernels_nobody_launches_are_named_where_no_kernel_was_found(
    warplint: Run, tmp_path: Path
) -> None:
    kernel = "__global__ void fill(int *out)\n{\n    out[threadIdx.x] = 1;\n}\n"
    (tmp_path / "kernels.h").write_text(kernel)
    (tmp_path / "host.h").write_text("void run();\n")
    (tmp_path / "main.cu").write_text('#include "kernels.h"\nint main() { return 0; }\n')
    told = "1 header holds kernels that no input launches"
    assert told in warplint(".").out
    assert told not in warplint("main.cu").out  # nobody asked for the folder
    assert told not in warplint(".", "--extension", ".h").out
    (tmp_path / "main.cu").write_text(
        '#include "kernels.h"\nvoid go(int *out) { fill<<<1, 32>>>(out); }\n'
    )
    assert told not in warplint(".").out
