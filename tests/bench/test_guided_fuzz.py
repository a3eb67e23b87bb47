"""The guided campaign is guided: what reaches new code of the front ends becomes a seed."""

from __future__ import annotations

import argparse
import collections
import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest
from source_tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = "__global__ void k(float *out) { out[threadIdx.x] = 1.0f; }\n"
LOOP = "__global__ void k(float *o) { for (int i = 0; i < 9; i++) o[i] = 1.0f; }\n"
ENTRY = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
SEEDS = {"cuda": ["int x;\n"], "ptx": [ENTRY]}


@pytest.fixture
def guided(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "bench")
    return importlib.import_module("guided_fuzz")


def options(**changes: Any) -> argparse.Namespace:
    common = {"count": 30, "seed": 1, "limit": 10.0, "only": [], "corpus": None, "keep": None}
    return argparse.Namespace(**{**common, **changes})


def test_new_steps_are_kept_and_known_ones_are_not(guided: Any) -> None:
    corpus = guided.Corpus("cuda", guided.Steps(), 10.0)
    corpus.begin(["int x;\n"])
    assert corpus.offer(KERNEL) == ("", True)
    assert corpus.offer(KERNEL.replace("out", "sum")) == ("", False)
    assert corpus.offer(LOOP) == ("", True)
    assert (corpus.found, len(corpus.texts)) == ([KERNEL, LOOP], 3)


def test_only_the_front_ends_are_followed(guided: Any) -> None:
    steps = guided.Steps()
    assert steps.new_of(lambda: sys.intern("a word")) == ("a word", 0)
    nowhere = guided.Corpus("cuda", guided.Steps(["/nowhere/"]), 10.0)
    assert nowhere.offer(KERNEL) == ("", False)


def test_a_tracer_that_was_there_is_there_again(guided: Any) -> None:
    before = sys.gettrace()
    with pytest.raises(ZeroDivisionError):
        guided.Steps().new_of(lambda: str(1 // 0))
    assert sys.gettrace() is before


def test_a_kernel_that_is_lost_and_what_raises_are_failures(
    guided: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object) -> str:
        raise ValueError("on purpose")

    corpus = guided.Corpus("cuda", guided.Steps(), 10.0)
    monkeypatch.setattr(guided.fuzz, "source_failure", lambda *_: "lost")
    assert corpus.offer(KERNEL)[0] == "lost"
    monkeypatch.setattr(guided.fuzz, "source_failure", broken)
    assert corpus.offer(KERNEL)[0] == "traceback"


def test_a_campaign_keeps_what_it_found_for_the_next(
    guided: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts: collections.Counter[str] = collections.Counter()
    assert guided.campaign(options(corpus=tmp_path), SEEDS, counts) == 0
    assert counts["cuda"] + counts["ptx"] == 30
    kept = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(kept) == counts["kept"] > 0
    first, last = capsys.readouterr().out.splitlines()
    assert int(first.split()[0]) < int(last.split()[0])
    begun: list[str] = []
    monkeypatch.setattr(guided.Corpus, "begin", lambda _, texts: begun.extend(texts))
    guided.campaign(options(corpus=tmp_path, count=0), SEEDS, collections.Counter())
    seeds = {text for texts in SEEDS.values() for text in texts}
    assert {text.encode("utf-8", "surrogatepass") for text in begun if text not in seeds} == kept
