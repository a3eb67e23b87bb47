"""Statements, operands, directives; and what is said of text that cannot be read."""

from __future__ import annotations

import pytest
from ptx.support import HEAD, lowered, parsed, wrap

from warplint.analyzer.ptx.syntax.constants import evaluate_constant
from warplint.analyzer.ptx.syntax.printer import print_operand, print_statement
from warplint.analyzer.ptx.syntax.tree import (
    Address,
    Function,
    Instruction,
    Loc,
    Number,
    PtxModule,
    Registers,
    Section,
    Unread,
    Variables,
)
from warplint.analyzer.source.problem import Damage


def instructions(text: str) -> list[Instruction]:
    (function,) = [one for one in parsed(text).functions if one.name == "k"]
    return [one for one in function.body or () if isinstance(one, Instruction)]


@pytest.mark.parametrize(
    "operands",
    [
        "%r1, %r2",
        "[%rd1]",
        "[%rd1+4]",
        "[%rd1+-4]",
        "[%rd1-4]",
        "[table+8], 3",
        "[1024]",
        "{%r1, _, %r3, %r4}, [%rd1]",
        "%p1|%p2, %r1, %r2, !%p3",
        "(result), callee, (a, b), prototype",
        "_, [%r1], 0xFFFFFFFFU",
        "-0f3F800000, 1.5e3, -12, 0b101, 0777",
        "(1 << 2) | 3, 4 * (2 + 1), a ? 1 : 2",
        "(.s64) 4, ~5, !0, -(3)",
        "%v.x, %tid.y, %r1.b0",
        "[t, {%f1, %f2}], [mbar], {%rs1}, %rd5",
        "[%rd1].unified",
        "array[3], generic(table)",
        "{ %r1 }, [ %rd1 + 0 ]",
    ],
)
def test_operands_are_printed_as_they_were_read(operands: str) -> None:
    module = parsed(wrap(f"xyz.b32 {operands};"))
    assert module.problems == []
    statement = module.functions[0].body[-1]  # type: ignore[index]
    assert isinstance(statement, Instruction)
    printed = ", ".join(map(print_operand, statement.operands))
    assert "".join(printed.split()) == "".join(operands.split())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", 31),
        ("017", 15),
        ("0b101", 5),
        ("12U", 12),
        ("(1 << 4) | 3", 19),
        ("-(7 / 2)", -3),
        ("-7 % 3", -1),
        ("(.u64) 5 + 1", 6),
        ("~0 & 255", 255),
        ("1 ? 2 : 3", 2),
        ("4 > 3 && 2 != 2", 0),
        ("1 / 0", None),
        ("name", None),
    ],
)
def test_constant_expressions(text: str, value: int | None) -> None:
    (instruction,) = instructions(wrap(f"xyz {text};"))
    assert evaluate_constant(instruction.operands[0]) == value


@pytest.mark.parametrize(
    ("text", "value"), [("0f3F800000", 1.0), ("0d4000000000000000", 2.0), ("1.5e2", 150.0)]
)
def test_floating_point_constants(text: str, value: float) -> None:
    (instruction,) = instructions(wrap(f"xyz {text};"))
    number = instruction.operands[0]
    assert isinstance(number, Number)
    assert number.floating
    assert number.value == value


def test_displacements() -> None:
    (instruction,) = instructions(wrap("xyz [%rd1+-16];"))
    address = instruction.operands[0]
    assert isinstance(address, Address)
    assert (address.joint, getattr(address.offset, "value", None)) == ("+-", 16)


def test_every_directive_of_a_module() -> None:
    module = parsed(
        """.version 8.3
        .target sm_90a, texmode_independent, debug
        .address_size 64
        .file 1 "a\\\\b.cu", 12, 34
        .pragma "nounroll";
        .extern .func (.param .b32 r) f(.param .align 8 .b8 s[16], .param .b64 _);
        .visible .global .align 16 .v4 .f32 v[2][3] = {{0f00000000, 1.0}, {2.0}}, w;
        .const .u64 pointers[2] = { generic(v) + 8, f };
        .global .texref t; .common .global .u32 shared_with_others;
        .alias g, f;
        .section .debug_str { L: .b8 97, 0 .b64 L+4 }
        .weak .entry k(.param .u64 .ptr .global .align 4 p) .maxntid 32, 1, 1 .minnctapersm 2
        .pragma "used_bytes_mask 15"; { ret; }
        .func (.reg .b32 d) h(.reg .b32 a) .noreturn { p: .callprototype (.param .b32 _) _ (); }
        """
    )
    assert module.problems == []
    assert (module.version, module.address_size) == ((8, 3), 64)
    assert module.targets == ("sm_90a", "texmode_independent", "debug")
    assert module.files == {1: "a\\b.cu"}
    kinds = [type(item) for item in module.items]
    assert kinds.count(Function) == 3
    assert kinds.count(Section) == 1
    variables = [item for item in module.items if isinstance(item, Variables)]
    assert [one.name.text for item in variables for one in item.declarators] == [
        "v", "w", "pointers", "t", "shared_with_others",
    ]  # fmt: skip
    assert variables[0].declarators[0].initialiser == " {{0f00000000, 1.0}, {2.0}}"
    entry = next(one for one in module.functions if one.is_entry)
    assert [one.name for one in entry.header.performance] == [
        ".maxntid",
        ".minnctapersm",
        ".pragma",
    ]
    assert entry.header.parameters is not None
    pointer = entry.header.parameters[0].pointer
    assert pointer is not None
    assert (pointer.space, pointer.alignment and pointer.alignment.value) == (".global", 4)


def test_register_declarations() -> None:
    module = parsed(wrap(" .reg .v2 .f32 v; .reg .pred a, b<3>; ret;"))
    found = [s for s in module.functions[0].body or () if isinstance(s, Registers)]
    assert [(s.vector, s.type) for s in found[-2:]] == [(".v2", ".f32"), ("", ".pred")]
    names = [(name.text, count.value if count else None) for name, count in found[-1].names]
    assert names == [("a", None), ("b", 3)]


def test_lines_are_read_once() -> None:
    module = parsed(wrap(" .loc 1 2 3\n ret;\n .loc 1 2 3\n ret;"))
    first, second = (s for s in module.functions[0].body or () if isinstance(s, Loc))
    assert first.place is second.place


def test_comments_are_blanks() -> None:
    module = parsed(wrap('add.s32 /* ; { */ %r1, // %r9;\n %r2, 1; .pragma "a//b"; ret;'))
    assert module.problems == []
    statements = [print_statement(module, s).strip() for s in module.functions[0].body or ()]
    assert statements[-3:] == ["add.s32 %r1, %r2, 1;", '.pragma "a//b";', "ret;"]


def test_line_markers_of_a_preprocessor_are_blanks() -> None:
    assert parsed(f'# 1 "a.ptx"\n{HEAD}#line 3\n').problems == []


# ---- damage --------------------------------------------------------------------------------------


def problems(module: PtxModule) -> list[tuple[int, int, str, str | None]]:
    return [
        (problem.span.line, problem.span.column, problem.message, problem.kernel)
        for problem in module.problems
        if problem.span is not None
    ]


def test_a_statement_that_cannot_be_read() -> None:
    module = parsed(f"{HEAD}.entry k()\n{{\n bar.sync 0;\n add.s32 %r1, , %r2;\n ret;\n}}\n")
    ((line, column, message, kernel),) = problems(module)
    assert (line, column, kernel) == (7, 15, "k")
    assert message.startswith("expected ")
    assert message.endswith("found ','")
    assert module.problems[0].damage is Damage.PARTIAL
    body = module.functions[0].body or ()
    assert [type(s) for s in body] == [Instruction, Unread, Instruction]


def test_a_missing_semicolon_costs_one_statement() -> None:
    module = parsed(f"{HEAD}.entry k()\n{{\n bar.sync 0\n bar.sync 1;\n ret\n}}\n")
    assert problems(module) == [
        (6, 12, "expected ';' at the end of the statement", "k"),
        (8, 2, "expected ';' at the end of the statement", "k"),
    ]
    assert [type(s) for s in module.functions[0].body or ()] == [Unread, Instruction, Unread]


def test_a_missing_brace_ends_at_the_next_function() -> None:
    module = parsed(f"{HEAD}.entry a()\n{{\n ret;\n.entry b()\n{{\n ret;\n}}\n.entry c() {{ ret;")
    assert [function.name for function in module.functions] == ["a", "b", "c"]
    assert [message for _, _, message, _ in problems(module)] == [
        "expected '}' before the next function",
        "expected '}' at the end of the function",
    ]
    assert [kernel for _, _, _, kernel in problems(module)] == ["a", "c"]


def test_a_damaged_header_keeps_its_kernel() -> None:
    module = parsed(f"{HEAD}.visible .entry k(.param .u64 a .param .u64 b)\n{{\n ret;\n}}\n")
    assert [function.name for function in module.functions] == ["k"]
    ((line, column, message, kernel),) = problems(module)
    assert (line, column, kernel) == (4, 33, "k")
    assert message.startswith("expected ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ret;", "outside"),
        ("}", "unexpected '}'"),
        ("%%%%", "expected a statement"),
        (".global .u32 x[;\n", "expected"),
        ("/* never closed", "comment"),
        (".global .b32 x[4] = {1, 2", "expected"),
    ],
)
def test_damage_outside_of_functions(text: str, message: str) -> None:
    module = parsed(f"{HEAD}{text}\n.entry k() {{ ret; }}" if "*" not in text else HEAD + text)
    assert message in module.problems[0].message


def test_what_was_lost_is_counted() -> None:
    found = lowered(f"{HEAD}.entry k()\n{{\n bar.sync 0;\n add.s32 %r1, , 2;\n ret;\n}}\n").kernels[
        0
    ]
    assert (found.statements, len(found.unread), found.status) == (3, 1, "partial")
    assert found.unread[0].span.text == "add.s32 %r1, , 2;"
    assert {"add", "r1"} <= found.unread[0].names
    assert [op.opcode.value for op in found.operations()] == ["barrier", "opaque", "return"]
    nothing = lowered(f"{HEAD}.entry k()\n{{\n ] ;\n}}\n").kernels[0]
    assert nothing.status == "none"


def test_a_lost_statement_may_have_written_its_registers() -> None:
    text = wrap(" mov.u32 %r1, 7; add.s32 %r1, , 2; st.global.u32 [%rd1], %r1; ret;")
    store = lowered(text).kernels[0].blocks[0].operations[1]
    assert getattr(store.operands[1], "reason", "") == "this statement could not be parsed"
