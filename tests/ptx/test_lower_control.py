"""Branches, loops, scopes, calls, ends of threads, and where operations come from."""

from __future__ import annotations

import pytest
from ptx.support import HEAD, ir, kernel, lowered, wrap

from warplint.analyzer.ir.operation_kinds import Function as Known
from warplint.analyzer.ir.operations import Branch, Call, Exit, Pure, Return
from warplint.analyzer.source.problem import Damage

TID = " mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9;\n"


def test_a_loop_has_one_phi_for_its_counter() -> None:
    assert ir(
        " mov.u32 %r1, 0; mov.u32 %r9, %ntid.x;\nL: add.s32 %r1, %r1, 1;\n"
        " setp.lt.s32 %p1, %r1, %r9; @%p1 bra L; st.global.u32 [%rd1], %r1;"
    ) == (
        "entry.0:\njump L.1\nL.1:\n%0 = phi u32 [0, %1] %r1\n%1 = add s32 %0, 1\n"
        "%2 = lt s32 %1, ntid.x\nbranch %2 ? L.1 : next.2\nnext.2:\n"
        "store.global 4B [unknown, %1]"
    )


def test_a_negated_jump_swaps_its_targets() -> None:
    found = kernel(TID + "@!%p1 bra L; trap; L: ret;")
    branch = found.blocks[0].terminator
    assert isinstance(branch, Branch)
    assert branch.construct == "bra"
    assert isinstance(branch.then.terminator, Exit)
    assert isinstance(branch.otherwise.terminator, Return)


def test_an_indexed_jump_is_a_switch() -> None:
    assert ir(
        " mov.u32 %r1, %tid.x;\n ts: .branchtargets A, B, A;\n brx.idx %r1, ts;\n"
        "A: st.global.u32 [%rd1], 1;\nB:"
    ) == (
        "entry.0:\nswitch tid.x [0: A.1, 1: B.2] A.1\nA.1:\nstore.global 4B [unknown, 1]\n"
        "jump B.2\nB.2:"
    )


def test_labels_are_local_to_their_braces() -> None:
    wait = "{ .reg .pred q; W: mbarrier.test_wait.shared.b64 q, [%r1], %rd1; @!q bra W; }\n"
    found = kernel(TID + wait + wait + "ret;")
    loops = [block for block in found.blocks if block in block.successors]
    assert len(loops) == 2


def test_inner_registers_hide_outer_ones() -> None:
    assert (
        ir(
            " mov.u32 %r1, 1; { .reg .b32 %r1; mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1; }"
            " st.global.u32 [%rd1], %r1;"
        )
        == "store.global 4B [unknown, tid.x]\nstore.global 4B [unknown, 1]"
    )


FUNCTION = """
.func (.param .b32 result) twice(.param .b32 value, .param .b64 place)
{ .reg .b32 %r<3>; .reg .b64 %rd<3>; ld.param.u32 %r1, [value]; ld.param.u64 %rd1, [place];
  setp_less: add.s32 %r2, %r1, %r1; st.u32 [%rd1], %r2; st.param.b32 [result], %r2; ret; }
"""
CALL = """
 mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out];
 { .param .b32 a; .param .b64 b; .param .b32 r; st.param.b32 [a+0], %r1; st.param.b64 [b], %rd1;
   call.uni (r), twice, (a, b); ld.param.b32 %r2, [r+0]; }
 st.global.u32 [%rd1+4], %r2;
"""


def test_a_function_of_the_module_is_inlined() -> None:
    assert ir(CALL, FUNCTION) == (
        "entry.0:\n%0 = add s32 tid.x, tid.x\nstore.generic 4B [$out, %0]\n"
        "jump returned.1\nreturned.1:\n%1 = add pointer $out, 4\nstore.global 4B [%1, %0]"
    )


def test_what_was_inlined_knows_its_call() -> None:
    found = kernel(CALL + "ret;", FUNCTION)
    store = found.blocks[0].operations[1]
    chain = list(store.location.call_chain())
    assert "st.u32" in store.location.span.text
    assert [place.span.text for place in chain] == ["call.uni (r), twice, (a, b);"]


def test_parameters_may_be_registers() -> None:
    outside = (
        ".func (.reg .b32 %d) twice(.reg .b32 %a) { .reg .b32 %t; add.s32 %t, %a, %a;"
        " mov.b32 %d, %t; ret; }"
    )
    assert ir(" mov.u32 %r1, %tid.x; call (%r2), twice, (%r1); st.global.u32 [%rd1], %r2;",
              outside) == (
        "entry.0:\n%0 = add s32 tid.x, tid.x\njump returned.1\nreturned.1:\n"
        "store.global 4B [unknown, %0]"
    )  # fmt: skip


def calls(body: str, outside: str) -> list[Call]:
    return [op for op in kernel(body + "\n ret;", outside).operations() if isinstance(op, Call)]


def called(name: str) -> str:
    """A call of a function outside, which gets a format and where its arguments lie."""
    return (
        " mov.u64 %rd3, text; { .param .b64 f; .param .b64 v; .param .b32 r;"
        f" st.param.b64 [f], %rd3; st.param.b64 [v], 0; call.uni (r), {name}, (f, v);"
        " ld.param.b32 %r1, [r]; } st.global.u32 [%rd1], %r1;"
    )


def outside(name: str) -> str:
    """Its declaration."""
    return (
        f".extern .func (.param .b32 r) {name}(.param .b64 f, .param .b64 v);\n"
        ".global .b8 text[4] = {37, 100, 10, 0};"
    )


def test_printing_reads_its_arguments_and_does_no_more() -> None:
    found = kernel(called("vprintf"), outside("vprintf"))
    (shown,) = [op for op in found.operations() if isinstance(op, Pure)]
    assert shown.function is Known.PRINTED
    assert len(shown.operands) == 2
    assert not calls(called("vprintf"), outside("vprintf"))


def test_the_heap_of_the_device_is_known() -> None:
    (taken,) = calls(called("malloc"), outside("malloc"))
    (given,) = calls(called("free"), outside("free"))
    assert (taken.allocates, taken.releases) == (True, False)
    assert (given.allocates, given.releases) == (False, True)


def test_calls_that_stay_calls() -> None:
    (found,) = calls(called("elsewhere"), outside("elsewhere"))
    assert found.callee == "elsewhere"
    assert len(found.operands) == 2
    assert "body" in found.reason
    (indirect,) = calls(
        " p: .callprototype _ (.param .b32 _); mov.u64 %rd1, f; { .param .b32 a;"
        " st.param.b32 [a], 1; call %rd1, (a), p; }",
        ".func f(.param .b32 x) { ret; }",
    )
    assert "run time" in indirect.reason


def test_recursion_is_a_call() -> None:
    outside = ".func f() { .reg .b32 %r<2>; call f; ret; }"
    (found,) = calls(" call f;", outside)
    assert "recursive" in found.reason


def test_a_function_that_does_not_return_ends_the_thread() -> None:
    found = kernel(" call stop; ret;", ".func stop() .noreturn;")
    assert [type(op) for op in found.operations()] == [Call, Exit]
    failed = kernel(" call __assertfail; ret;", ".extern .func __assertfail();")
    assert [type(op) for op in failed.operations()] == [Call, Exit]


def test_ends() -> None:
    assert isinstance(kernel("ret;").blocks[0].terminator, Return)
    early = kernel(TID + "@%p1 ret; st.global.u32 [%rd1], 1; ret;")
    returns = [op for op in early.operations() if isinstance(op, Return)]
    assert sorted(op.implicit for op in returns) == [False, True]
    exits = [op for op in kernel(TID + "@%p1 exit; trap;").operations() if isinstance(op, Exit)]
    assert sorted(op.name for op in exits) == ["exit", "trap"]
    unfinished = kernel("bar.sync 0;").blocks[0].terminator
    assert isinstance(unfinished, Return)
    assert unfinished.implicit


def test_a_missing_label_ends_the_thread() -> None:
    found = lowered(wrap(TID + "@%p1 bra nowhere; ret;")).kernels[0]
    exits = [op for op in found.operations() if isinstance(op, Exit)]
    assert [op.name for op in exits] == ["undefined label nowhere"]


def test_dead_code_is_dropped() -> None:
    assert ir(" bra E; st.global.u32 [%rd1], 1; D: st.global.u32 [%rd1], 2; E:") == (
        "entry.0:\njump E.1\nE.1:"
    )


@pytest.mark.parametrize(
    ("directives", "name", "value"),
    [
        (".maxntid 16, 8", "max_block", (16, 8, 1)),
        (".maxntid 16, 8", "max_threads", 128),
        (".reqntid 256", "required_block", (256, 1, 1)),
        (".reqntid 256", "max_threads", 256),
        (".minnctapersm 2", "min_blocks", 2),
        (".maxnreg 64", "max_registers", 64),
        (".explicitcluster .reqnctapercluster 2, 1, 1", "cluster", (2, 1, 1)),
    ],
)
def test_bounds(directives: str, name: str, value: object) -> None:
    module = lowered(f"{HEAD}.entry k() {directives} {{ ret; }}")
    assert module.problems == []
    assert getattr(module.kernels[0].bounds, name) == value


def test_lines_of_the_source() -> None:
    text = wrap(
        " .loc 1 10 3\n bar.sync 0;\n .loc 1 4 2, function_name $L, inlined_at 1 12 5\n"
        " bar.sync 0;\n .loc 2 7 1, function_name $L, inlined_at 1 4 2\n bar.sync 0;\n"
        " .loc 1 0 0\n bar.sync 0;\n ret;"
    )
    module = lowered(text + '.file 1 "a.cu"\n.file 2 "b.h"\n.section .debug_str { $L: .b8 1 }')
    assert module.problems == []
    places = [op.location for op in module.kernels[0].blocks[0].operations[:-1]]
    assert places[0].origin == ("a.cu", 10, 3)
    assert places[0].inlined_at is None
    assert [site.origin for site in places[1].call_chain()] == [("a.cu", 12, 5)]
    assert [site.origin for site in places[2].call_chain()] == [("a.cu", 4, 2), ("a.cu", 12, 5)]
    assert places[3].origin is None
    assert places[0].span.text == "bar.sync 0;"


def test_variables_for_reports() -> None:
    found = kernel(".shared .b32 s[8]; st.shared.u32 [s], 1; ret;")
    by_name = {variable.name: variable for variable in found.variables}
    assert by_name["%r<40>"].size == 160
    assert by_name["%r<40>"].space.value == "register"
    assert by_name["s"].size == 32
    assert by_name["s"].object is found.objects[0]
    assert by_name["out"].space.value == "param"
    assert all(variable.reason for variable in found.variables)


def test_unknown_instructions_are_noted_once_and_opaque() -> None:
    module = lowered(wrap(" zap.global.u32 %r1, [%rd1]; zap.global.u32 %r2, [%rd1]; ret;"))
    assert [problem.damage for problem in module.problems] == [Damage.NOTICE]
    assert "zap.global.u32" in module.problems[0].message
    opcodes = [op.opcode.value for op in module.kernels[0].operations()]
    assert opcodes == ["opaque", "opaque", "return"]


def test_an_unknown_modifier_is_left_out() -> None:
    module = lowered(wrap(" ld.global.L3::hot.u32 %r1, [%rd1]; ret;"))
    assert [problem.damage for problem in module.problems] == [Damage.NOTICE]
    assert "read as ld.global.u32" in module.problems[0].message
    assert module.kernels[0].blocks[0].operations[0].opcode.value == "access"


def test_wrong_operands_are_opaque() -> None:
    module = lowered(wrap(" add.s32 %r1, %r2; st.global.u32 [%rd1], %r1; ret;"))
    first, second, _ = module.kernels[0].blocks[0].operations
    assert first.opcode.value == "opaque"
    assert "unknown" in getattr(second.operands[1], "reason", "")


def test_registers_that_nobody_declares_are_read_all_the_same() -> None:
    module = lowered(wrap(" add.s32 nobody, %r1, 1; st.global.u32 [%rd1], nobody; ret;"))
    assert [op.opcode.value for op in module.kernels[0].operations()] == [
        "add",
        "access",
        "return",
    ]
