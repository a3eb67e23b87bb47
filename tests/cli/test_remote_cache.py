"""`check --remote-cache`: what is used of another machine's results, and what never is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.engine.stored_results import read, written
from warplint.analyzer.findings.finding import Part
from warplint.analyzer.source.text import Span
from warplint.grammars.stored import load, store
from warplint.rules import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
__global__ void k(float *out) {
    __shared__ float tile[32][32];
    tile[threadIdx.x][0] = out[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x][1];
}
void f(float *a) { k<<<1, 32>>>(a); }
"""
CHECK = ("check", "k.cu", "--isolated", "--jobs", "1", "--format", "concise", "--select", "SHM001")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    return tmp_path / "shared"


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def made_up(shared: Path) -> None:
    """Another machine says something else of every finding."""
    for path in files(shared):
        data = load(path, 1_000_000)
        entry = None if data is None else read(data, load_rules())
        assert entry is not None
        outcome, probes = entry
        findings = [
            replace(
                each,
                message=(Part("made up"),),
                span=Span(each.span.source, 0, 5),  # what is suppressed
                fixes=tuple(
                    replace(fix, edits=tuple(replace(edit, text="made up") for edit in fix.edits))
                    for fix in each.fixes
                ),
            )
            for each in outcome.findings
        ]
        changed = written(replace(outcome, findings=findings), probes)
        assert changed is not None
        assert store(path, changed)


def test_results_of_another_machine_are_used(warplint: Run, shared: Path, tmp_path: Path) -> None:
    own = {"WARPLINT_CACHE_DIR": str(tmp_path / "one")}
    first = warplint(*CHECK, "--remote-cache", "shared", **own)
    assert (first.code, len(files(shared))) == (1, 1)
    other = {"WARPLINT_CACHE_DIR": str(tmp_path / "two")}
    assert warplint(*CHECK, WARPLINT_REMOTE_CACHE="shared", **other).out == first.out
    made_up(shared)
    third = {"WARPLINT_CACHE_DIR": str(tmp_path / "three")}
    assert "made up" in warplint(*CHECK, "--remote-cache", "shared", **third).out
    none = warplint(*CHECK, "--no-cache", "--remote-cache", "shared", **third)
    assert none.out == first.out


def test_a_pull_request_writes_nothing(warplint: Run, shared: Path, tmp_path: Path) -> None:
    own = {"WARPLINT_CACHE_DIR": str(tmp_path / "one")}
    done = warplint(*CHECK, "--remote-cache", "shared", "--remote-cache-read-only", **own)
    assert done.code == 1
    variables = {"WARPLINT_REMOTE_CACHE": "shared", "WARPLINT_REMOTE_CACHE_READ_ONLY": "1"}
    own = {"WARPLINT_CACHE_DIR": str(tmp_path / "two")}
    assert warplint(*CHECK, **variables, **own).out == done.out
    assert not shared.exists()


@pytest.mark.parametrize("change", ["--fix", "--diff", "--add-ignore=why"])
def test_no_edit_of_another_machine_is_made(
    warplint: Run, shared: Path, tmp_path: Path, change: str
) -> None:
    warplint(*CHECK, "--remote-cache", "shared", WARPLINT_CACHE_DIR=str(tmp_path / "one"))
    made_up(shared)
    before = {path: path.read_bytes() for path in files(shared)}
    alone = warplint(*CHECK, change, "--no-cache").out
    expected = (alone, (tmp_path / "k.cu").read_text(encoding="utf-8"))
    own = {"WARPLINT_CACHE_DIR": str(tmp_path / "two")}
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    assert "made up" in warplint(*CHECK, "--remote-cache", "shared", **own).out  # is kept here
    for sharing in ((), ("--remote-cache", "shared")):
        (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
        done = warplint(*CHECK, change, *sharing, **own)
        assert (done.out, (tmp_path / "k.cu").read_text(encoding="utf-8")) == expected
    assert {path: path.read_bytes() for path in files(shared)} == before


def test_no_configuration_names_it(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "warplint.toml").write_text('remote-cache = "shared"\n', encoding="utf-8")
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    done = warplint("check", "k.cu")
    assert done.code == 2
    assert "remote-cache" in done.err


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("nowhere://x", "nowhere://x cannot be read: Protocol not known: nowhere"),
        ("s3://bucket", "s3://bucket cannot be read: Install s3fs"),
    ],
)
def test_an_address_that_is_none(warplint: Run, shared: Path, address: str, says: str) -> None:
    pytest.importorskip("fsspec", reason="pip install 'warplint[remote]'")
    done = warplint(*CHECK, "--remote-cache", address)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert not shared.exists()


def test_a_place_that_fails_is_named_once(warplint: Run, shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="pip install 'warplint[remote]'")
    shared.write_text("no archive", encoding="utf-8")
    (tmp_path / "l.cu").write_text(KERNEL.replace("k(", "l(").replace("k<", "l<"))
    own = {"WARPLINT_CACHE_DIR": str(tmp_path / "one")}
    done = warplint(*CHECK, "l.cu", "--remote-cache", f"zip://00::{shared}", **own)
    assert done.code == 1
    assert done.err.count("is not used: ") == 1
    assert "the run goes on without it" in done.err
