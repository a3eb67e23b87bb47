"""What follows from PTX alone: shared memory, barriers, parameters, constant bank, frame.

The numbers were taken from `ptxas -v` 13.0.
"""

from __future__ import annotations

import pytest

from warplint.analyzer.ir.usage import Source, Usage
from warplint.analyzer.ptx.estimate.exact_resources import ModuleResources
from warplint.analyzer.ptx.syntax.parse import parse_ptx
from warplint.analyzer.source.text import SourceText

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def usage(text: str, arch: int = 80, entry: str = "k") -> Usage:
    """What the entry takes."""
    module = parse_ptx(SourceText("k.ptx", HEAD + text))
    (function,) = [item for item in module.functions if item.name == entry]
    return ModuleResources(module).usage(function, arch)


def body(*statements: str, parameters: str = "", variables: str = "") -> str:
    """A module with one entry."""
    lines = "\n".join(statements)
    return (
        f"{variables}\n.visible .entry k({parameters})\n{{\n.reg .b32 %r<9>;\n{lines}\nret;\n}}\n"
    )


@pytest.mark.parametrize(
    ("statement", "barriers"),
    [
        ("", 0),
        ("bar.sync 0;", 1),
        ("barrier.sync.aligned 3, 64;", 4),
        ("bar.arrive 15, 64;", 16),
        ("bar.sync %r1;", 16),
        ("bar.red.popc.u32 %r1, 2, %p1;", 3),
        ("bar.warp.sync -1;", 0),
        ("barrier.cluster.arrive.aligned;", 0),
    ],
)
def test_barriers(statement: str, barriers: int) -> None:
    assert usage(body(statement)).barriers.value == barriers


CALLEE = ".func f() { bar.sync 4; mov.u32 %r1, inner; ret; }\n.func g() { call.uni f, (); ret; }\n"


def test_functions_that_are_called_count() -> None:
    variables = ".shared .align 4 .b8 outer[8];\n.shared .align 8 .b8 inner[20];\n" + CALLEE
    called = usage(body("call.uni g, ();", variables=variables))
    assert (called.barriers.value, called.static_shared.value) == (5, 20)
    alone = usage(body(variables=variables))
    assert (alone.barriers.value, alone.static_shared.value) == (0, 0)


@pytest.mark.parametrize(
    ("variables", "size"),
    [
        (".shared .align 1 .b8 a[3];\n.shared .align 4 .b8 b[4];", 8),
        (".shared .align 4 .b8 b[4];\n.shared .align 1 .b8 a[3];", 7),
        (".shared .align 4 .b8 b[4];\n.shared .align 1 .b8 a[3];\n.extern .shared .b64 d[];", 8),
        (".shared .v4 .f32 a[2];\n.shared .b16 b;", 34),
        (".shared .f64 a[4][4];\n.shared .b16 b;", 130),
    ],
)
def test_shared_memory(variables: str, size: int) -> None:
    text = body("mov.u32 %r1, a;", "st.shared.b16 [b+2], %r2;", variables=variables)
    amount = usage(text).static_shared
    assert (amount.value, amount.source) == (size, Source.PTX)


def test_variables_of_functions_come_before_those_of_the_module() -> None:
    variables = ".shared .align 4 .b8 a[8];"
    own = ".shared .align 1 .b8 own[1];"
    text = body(own, "mov.u32 %r1, a;", "st.shared.b8 [own], %r2;", variables=variables)
    assert usage(text).static_shared.value == 12  # 1, 3 to align, 8


@pytest.mark.parametrize(
    ("arch", "size", "bank"),
    [
        (80, 4344, 4704), (80, 4348, 11144), (75, 32000, 38792), (86, 12000, 18792),
        (90, 4348, 4888), (90, 32000, 32536),
    ],
)  # fmt: skip
def test_many_parameters_stand_elsewhere_before_9_0(arch: int, size: int, bank: int) -> None:
    parameters = f".param .align 4 .b8 p[{size}], .param .u64 q"
    assert usage(body(parameters=parameters), arch).constant_bank.value == bank


@pytest.mark.parametrize(("arch", "base"), [(61, 320), (75, 352), (80, 352), (90, 528), (120, 896)])
def test_parameters(arch: int, base: int) -> None:
    parameters = ".param .u8 a, .param .f32 b, .param .align 16 .b8 c[20], .param .u64 d"
    found = usage(body(parameters=parameters), arch)
    assert (found.parameters.value, found.constant_bank.value) == (48, base + 48)


def test_parameters_are_aligned_in_the_bank() -> None:
    """352 is no multiple of 64: the tensor map begins at 384."""
    parameters = ".param .align 64 .b8 map[128], .param .u32 n"
    assert usage(body(parameters=parameters), 80).constant_bank.value == 384 + 132
    assert usage(body(parameters=parameters), 120).constant_bank.value == 896 + 132


ARRAY = ".local .align 4 .b8 l[20];"
LOCAL = f"""{ARRAY} .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
    .reg .f32 %f<2>; ld.param.u32 %r1, [n]; mov.u64 %rd1, l; """
CONSTANT = "st.local.u32 [%rd1+4], %r1; ld.local.u32 %r2, [%rd1+4];"
SHORTS = "st.local.u16 [%rd1+4], %r1; ld.local.u16 %r2, [%rd1+4];"
BYTES = "st.local.u8 [%rd1+4], %r1; ld.local.u8 %r2, [%rd1+4];"
PAIRS = "st.local.v2.u32 [%rd1], {%r1, %r1}; ld.local.u32 %r2, [%rd1+4];"
LONGS = "cvt.u64.u32 %rd2, %r1; ld.local.u32 %r2, [%rd1]; st.local.u64 [%rd1+8], %rd2;"
STEPPED = """
    mov.u32 %r4, 0; mov.u64 %rd4, %rd1;
    L: st.local.u32 [%rd4], %r4; add.s64 %rd4, %rd4, 4; add.s32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, %r1; @%p1 bra L; ld.local.u32 %r2, [%rd1+8];
"""
FILLED = " ".join(f"st.local.u32 [%rd1+{place}], %r1;" for place in range(0, 20, 4))
INDEXED = f"{FILLED} and.b32 %r3, %r1, 3; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;"
READ_ONCE = f"{INDEXED} ld.local.u32 %r2, [%rd3];"
READ_SHORT = f"{INDEXED} ld.local.u16 %r2, [%rd3];"
STORED = f"""
    {FILLED} cvta.local.u64 %rd4, %rd1; mov.u64 %rd5, 4096; st.global.u64 [%rd5], %rd4;
    ld.global.u64 %rd6, [%rd5+8]; st.u32 [%rd6], %r1; ld.local.u32 %r2, [%rd1+4];
"""
COMPARED = f"{READ_ONCE} setp.lt.u64 %p1, %rd3, 40; selp.s32 %r2, 0, %r2, %p1;"
COUNTED = f"""
    {FILLED} mov.u32 %r4, 0; mov.u32 %r2, 0;
    L: mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; ld.local.u32 %r3, [%rd3];
    st.local.u32 [%rd3], %r2; add.s32 %r2, %r2, %r3; add.s32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;
"""
SHORT = STEPPED.replace("%p1, %r4, %r1;", "%p1, %r4, 5;")
KEPT = SHORT.replace("L: ", 'L: .pragma "nounroll"; ')
LONG = KEPT.replace("%r4, 5;", "%r4, 13;")
UNEQUAL = SHORT.replace("setp.lt.u32", "setp.ne.s32")
PAST = UNEQUAL.replace("%r4, %r4, 1;", "%r4, %r4, 2;")  # 5 is never met
AGAIN = SHORT.replace("L", "M").replace("%r4", "%r6").replace("%rd4", "%rd6").replace("%p1", "%p2")
DIVIDED = "mov.f32 %f1, 0f40400000; div.rn.f32 %f1, %f1, %f1;"
AROUND = f"""
    mov.u32 %r5, 0;
    N: {SHORT} {DIVIDED} add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r1; @%p2 bra N;
"""
CALL = """
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    call (b), f, (a); ld.param.b32 %r2, [b]; }
"""
INLINED = (
    f".func (.param .b32 o) f(.param .b32 n) {{ {LOCAL} {STEPPED} st.param.b32 [o], %r2; ret; }}"
)


@pytest.mark.parametrize(
    ("inside", "size"),
    [
        (LOCAL + CONSTANT, 0),
        (LOCAL + SHORTS, 0),
        (LOCAL + PAIRS, 0),
        (LOCAL + BYTES, 24),
        (LOCAL + LONGS, 24),
        (LOCAL + STEPPED, 24),
        (LOCAL + READ_ONCE, 0),
        (LOCAL + READ_SHORT, 24),
        (LOCAL + STORED, 24),
        (LOCAL + COMPARED, 0),
        (LOCAL + COUNTED, 24),
        (LOCAL + SHORT, 0),
        (LOCAL + KEPT, 0),
        (LOCAL + LONG, 24),
        (LOCAL + UNEQUAL, 0),
        (LOCAL + PAST, 24),
        (LOCAL + SHORT + AGAIN, 24),
        (LOCAL + SHORT + DIVIDED, 0),
        (LOCAL + DIVIDED + SHORT, 24),
        (LOCAL + AROUND, 24),
        (LOCAL.replace(".align 4", ".align 16") + STEPPED, 32),
        (LOCAL.replace(".align 4", ".align 32") + STEPPED, 48),
        (LOCAL.replace(".align 4", ".align 128") + STEPPED, 240),
        (LOCAL.replace(ARRAY, "") .replace("mov.u64 %rd1, l;", "") + CALL, 24),
        (LOCAL + STEPPED + CALL, 40),
    ],
)  # fmt: skip
def test_frame(inside: str, size: int) -> None:
    """Kept in registers, in memory, in that of a function which is inlined, in both."""
    text = f"{INLINED} .shared .b32 s; .visible .entry k(.param .u32 n) {{ {inside}"
    found = usage(text + "st.shared.u32 [s], %r2; ret; }").frame
    assert (found.value, found.source) == (size, Source.ESTIMATE)


def test_a_kernel_without_local_variables_has_no_frame() -> None:
    found = usage(body()).frame
    assert (found.value, found.source) == (0, Source.PTX)


def test_an_access_without_operands_touches_nothing() -> None:
    array = ".local .align 4 .b8 a[8];"
    assert usage(body(array, "ld.local.u32;", "st.local.u32;")) == usage(body(array))
