"""Registers that are written once are found without a search, and it finds the same values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptx.support import FIXTURES, REGISTERS, ir, lowered, wrap

from warplint.analyzer.ir.printer import print_kernel
from warplint.analyzer.ptx.lowering.frame import Frame

if TYPE_CHECKING:
    from pathlib import Path

_BLOCKS = 6
_LINES = st.one_of(
    st.builds("add.u32 %r{}, %r{}, %r{};".format, *[st.integers(0, 9)] * 3),
    st.builds("@%p1 sub.u32 %r{}, %r{}, 1;".format, *[st.integers(0, 9)] * 2),
    st.builds("ld.global.v2.u32 {{%r{}, %r{}}}, [%rd1];".format, *[st.integers(0, 9)] * 2),
    st.builds("st.global.u32 [%rd1], %r{};".format, st.integers(0, 9)),
    st.builds("@%p1 st.global.u32 [%rd1], %r{};".format, st.integers(0, 9)),
    st.builds("@%p1 bra L{};".format, st.integers(0, _BLOCKS - 1)),
    st.builds("bra L{};".format, st.integers(0, _BLOCKS - 1)),
    st.sampled_from(["@%p1 ret;", "ret;"]),
)
_HEAD = "ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 7;"


def texts(module_text: str) -> list[str]:
    """The IR of every kernel; each is well formed."""
    return [print_kernel(one) for one in lowered(module_text).kernels]


def texts_by_search(module_text: str) -> list[str]:
    """The same when every read is searched for in the blocks before it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Frame, "holds", lambda self, name: False)
        return texts(module_text)


@settings(max_examples=100)
@given(st.lists(st.lists(_LINES, max_size=4), min_size=_BLOCKS, max_size=_BLOCKS))
def test_any_control_flow_gives_the_same_kernel(blocks: list[list[str]]) -> None:
    body = "".join(f"L{n}: {' '.join(lines)}\n" for n, lines in enumerate(blocks))
    text = wrap(f"{_HEAD}\n{body}ret;")
    found, searched = texts(text)[0], texts_by_search(text)[0]
    fewer = searched.count(" = phi ") - found.count(" = phi ")
    assert fewer >= 0  # where control flow is irreducible, the search keeps needless phis
    assert fewer or found == searched


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_compiled_code_gives_the_same_kernel(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert texts(text) == texts_by_search(text)


def test_a_constant_before_a_loop_is_known_inside_it() -> None:
    found = ir(
        """mov.u32 %r1, 4; mov.u32 %r2, %tid.x;
        L: mul.lo.u32 %r3, %r1, 8; st.shared.u32 [%r2], %r3;
        setp.lt.u32 %p1, %r2, 3; @%p1 bra L;"""
    )
    assert "store" in found
    assert "32" in found.split("store", 1)[1].splitlines()[0]


@pytest.mark.parametrize(
    "body",
    [
        # written on one of two paths
        "setp.eq.u32 %p1, %r9, 0; @%p1 bra E; mov.u32 %r1, 5; E: st.shared.u32 [%r9], %r1;",
        # written again by a call, by a vector, under a guard
        "mov.u32 %r1, 5; L: st.shared.u32 [%r9], %r1; call (%r1), f; setp.eq.u32 %p1, %r1, 0; "
        "@%p1 bra L;",
        "mov.u32 %r1, 5; L: st.shared.u32 [%r9], %r1; ld.shared.v2.u32 {%r1, %r2}, [%r9]; "
        "setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
        "setp.eq.u32 %p1, %r9, 0; L: @%p1 mov.u32 %r1, 5; st.shared.u32 [%r9], %r1; @%p1 bra L;",
    ],
)
def test_other_writes_are_searched_for(body: str) -> None:
    text = wrap(f"mov.u32 %r9, %tid.x; {body} ret;", ".extern .func (.reg .b32 r) f;")
    assert texts(text) == texts_by_search(text)
    assert "store" in texts(text)[0]


def test_kernels_of_a_module_do_not_share_values() -> None:
    one = f"{REGISTERS} mov.u32 %r1, %tid.x; st.shared.u32 [%r2], %r1; ret;"
    other = f"{REGISTERS} st.shared.u32 [%r2], %r1; ret;"
    text = wrap("ret;") + f".entry a() {{ {one} }}\n.entry b() {{ {other} }}"
    assert "tid.x" in texts(text)[1]
    assert "tid.x" not in texts(text)[2]
