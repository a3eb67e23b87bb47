"""A finding under other names is the same one; a new defect never passes for it."""

from __future__ import annotations

import pytest

from warplint.analyzer.findings.identity import Identity
from warplint.analyzer.findings.renames import renamed

OLD = Identity("SHM001", "turn<float>", "tile[threadIdx.x][0]")
TEXT = "template <class T> void rotate(T *out) { buffer[threadIdx.x][0] = out[0]; /* tile */ }"


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        ("rotate<float>", "buffer[threadIdx.x][0]"),
        ("rotate<float>", "buffer[threadIdx.x][0]".replace("buffer", "out")),
    ],
)
def test_other_names(kernel: str, code: str) -> None:
    text = TEXT + " // float"
    assert renamed(OLD, Identity("SHM001", kernel, code), text.replace("// float", "float"))


@pytest.mark.parametrize(
    ("new", "text"),
    [
        (Identity("SHM002", "rotate<float>", "buffer[threadIdx.x][0]"), TEXT),
        (Identity("SHM001", "rotate<float>", "buffer[threadIdx.x][1]"), TEXT),
        (Identity("SHM001", "rotate<float>", "buffer[threadIdx.x]"), TEXT),
        # The old array, or the old kernel, is still there.
        (Identity("SHM001", "rotate<float>", "buffer[threadIdx.x][0]"), TEXT + "tile[0];"),
        (Identity("SHM001", "rotate<float>", "buffer[threadIdx.x][0]"), TEXT + "void turn();"),
        # The new name stands nowhere.
        (Identity("SHM001", "rotate<float>", "other[threadIdx.x][0]"), TEXT),
        # Two names have become one.
        (Identity("SHM001", "rotate<float>", "rotate[threadIdx.x][0]"), TEXT),
    ],
)
def test_what_is_new(new: Identity, text: str) -> None:
    assert not renamed(OLD, new, text)


def test_names_that_change_places_are_no_renaming() -> None:
    text = "void k(int *a, int *b) { a[b] = 1; }"
    old, new = Identity("X", "k", "b[a]"), Identity("X", "k", "a[b]")
    assert not renamed(old, new, text)
    assert renamed(new, new, text)
