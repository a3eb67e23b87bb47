"""The register estimator: what it says is marked, bounded, and near what ptxas said."""

from __future__ import annotations

import json

import pytest
from source_tree import ROOT

from warplint.analyzer.ir.usage import UNKNOWN, Source
from warplint.analyzer.ptx.estimate.exact_resources import ModuleResources
from warplint.analyzer.ptx.estimate.least_registers import least_pressure
from warplint.analyzer.ptx.estimate.register_code import read_code
from warplint.analyzer.ptx.estimate.register_features import FEATURES, entry_numbers, features_for
from warplint.analyzer.ptx.estimate.register_pressure import highest_pressure, live_sets
from warplint.analyzer.ptx.estimate.scheduled_blocks import joined_blocks
from warplint.analyzer.ptx.syntax.parse import parse_ptx
from warplint.analyzer.resources.register_cap import register_cap
from warplint.analyzer.resources.register_model import estimated_registers
from warplint.analyzer.source.text import SourceText

NOTHING_LIVES = 8  # what a kernel takes beyond live registers
HEAD = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {bounds}
{{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .f32 %f<300>; .reg .b64 %rd<20>;
    {body}
    ret;
}}
"""
SUM = """
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; cvta.to.global.u64 %rd3, %rd1;
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd5+4]; ld.global.f32 %f3, [%rd5+8];
    add.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3;
    add.s64 %rd6, %rd2, %rd4; st.global.f32 [%rd6], %f5;
"""


def module(body: str, bounds: str = ""):  # type: ignore[no-untyped-def]
    """A module with one entry."""
    return parse_ptx(SourceText("k.ptx", HEAD.format(body=body, bounds=bounds)))


def module_row(body: str, threads: int = 2048) -> tuple[float, ...]:
    """The features of the entry."""
    parsed = module(body)
    return features_for(entry_numbers(parsed.source, {}, parsed.functions[0]), threads)


def feature(name: str, body: str, threads: int = 2048) -> float:
    """One feature of the entry."""
    return module_row(body, threads)[FEATURES.index(name)]


def test_an_estimate_is_marked_and_has_an_interval() -> None:
    parsed = module(SUM)
    amount = ModuleResources(parsed).usage(parsed.functions[0], 90).registers
    assert amount.source is Source.ESTIMATE
    assert amount.value is not None
    assert amount.low is not None
    assert amount.high is not None
    assert amount.low <= amount.value <= amount.high
    assert abs(amount.value - 12) <= 4  # ptxas 13.0: 12


def test_nothing_is_said_of_architectures_that_were_never_seen() -> None:
    assert estimated_registers(61, [0.0] * len(FEATURES), FEATURES) == UNKNOWN


def test_a_model_for_other_features_is_refused() -> None:
    with pytest.raises(ValueError, match="trained on"):
        estimated_registers(90, [0.0], ["written"])


def test_the_data_fits_the_code() -> None:
    text = (ROOT / "analyzer/resources/register_model.json").read_text()
    model = json.loads(text)
    assert model["features"] == list(FEATURES)
    assert set(model["architectures"]) == {"80", "90", "120"}
    for arch in model["architectures"].values():
        assert len(arch["picked"]) == 256
        assert arch["picked"] == sorted(arch["picked"])
        assert all(abs(picked - said) <= 8 for said, picked in enumerate(arch["picked"]))
    leaf = len(FEATURES) + 1  # behind the features comes the architecture
    for name in ("value", "spread", "above"):
        for flat in model[name]["trees"]:
            nodes = flat[::2]
            assert all(0 <= feature <= leaf for feature in nodes)
            assert nodes.count(leaf) == len(nodes) // 2 + 1


def test_the_networks_fit_the_features() -> None:
    text = (ROOT / "analyzer/resources/register_model.json").read_text()
    networks = json.loads(text)["networks"]
    inputs = len(FEATURES) + 1 + networks["plain"] + len(networks["apart"])
    assert len(networks["centre"]) == len(networks["scale"]) == inputs
    assert min(networks["scale"]) > 0
    for layers in networks["parts"]:
        given = inputs
        for layer in layers:
            assert {len(unit) for unit in layer} == {given + 1}  # a weight each, and a bias
            given = len(layer)
        assert given == 1


@pytest.mark.parametrize("arch", [80, 90, 120])
def test_features_far_from_all_that_was_learnt_do_not_carry_the_estimate_away(arch: int) -> None:
    row = dict(zip(FEATURES, module_row(SUM), strict=True))
    far = {**row, "ops": 10**9, "blocks": 10**7, "largest_block": 10**9}
    amount = estimated_registers(arch, list(far.values()), FEATURES)
    assert amount.value is not None
    assert amount.low is not None
    assert amount.high is not None
    assert 8 <= amount.low <= amount.value <= amount.high <= row["cap"]
    further = {**far, "ops": 10**12, "blocks": 10**9, "largest_block": 10**12}
    assert estimated_registers(arch, list(further.values()), FEATURES) == amount


@pytest.mark.parametrize("arch", [80, 90])
def test_where_a_step_was_learnt_the_estimate_is_on_one_side(arch: int) -> None:
    """More and more values that live at once: at some point the estimate passes 32, and stays."""
    said = []
    for count in range(4, 60, 4):
        parsed = module(held(count))
        amount = ModuleResources(parsed).usage(parsed.functions[0], arch).registers
        assert amount.value is not None
        said.append(amount.value > 32)
    assert said == sorted(said)
    assert (said[0], said[-1]) == (False, True)


@pytest.mark.parametrize(
    ("bounds", "cap"),
    [
        ("", 255),
        (".maxntid 1024, 1, 1", 64),
        (".maxntid 256, 1, 1 .minnctapersm 4", 64),
        (".maxnreg 40", 40),
        (".maxntid 96, 1, 1 .minnctapersm 5", 128),
        (".maxntid 288, 1, 1", 168),  # 9 warps, of which one partition has three
        (".maxntid 576, 1, 1", 96),
        (".maxntid 160, 1, 1 .minnctapersm 3", 128),
        (".maxntid 1024, 1, 1 .minnctapersm 3", 64),  # so many cannot be resident
        (".maxntid 1024, 1, 1 .maxnreg 100", 100),
    ],
)
def test_launch_bounds_cap_the_estimate(bounds: str, cap: int) -> None:
    parsed = module(SUM, bounds)
    from warplint.analyzer.ptx.syntax.entry import bounds_of

    assert register_cap(bounds_of(parsed.functions[0], parsed.source), 2048) == cap
    high = ModuleResources(parsed).usage(parsed.functions[0], 80).registers.high
    assert high is not None
    assert high <= cap


def test_coordinates_of_a_texture_are_read() -> None:
    """The sums are dead code where nothing reads them."""
    fetch = "tex.2d.v4.f32.f32 {%f11, %f12, %f13, %f14}, [%rd7, {%f5, %f4}];"
    body = f"{SUM.split('st.global')[0]} {fetch} st.global.f32 [%rd6], %f11;"
    assert feature("add", body) == feature("add", SUM)


def test_dead_code_and_folded_addresses_cost_nothing() -> None:
    dead = SUM + "add.f32 %f9, %f1, %f3; mul.f32 %f10, %f9, %f9;"
    assert feature("base", dead) == feature("base", SUM)
    assert feature("ops", dead) == feature("ops", SUM)
    code = read_code(module(SUM).functions[0])
    assert [op.kind.mnemonic for block in code.blocks for op in block].count("mul") == 0


def pressure(body: str, name: str) -> float:
    """A pressure that is given as its distance from the base."""
    return feature("base", body) + feature(name, body)


def test_uniform_values_have_no_width() -> None:
    read = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;"
    body = f"{read} mul.lo.s32 %r3, %r1, %r2; st.shared.u32 [0], %r3;"
    assert pressure(body, "low") == NOTHING_LIVES + 1  # what is stored is in a register
    assert pressure(body, "full") == 2


def test_constants_that_are_stored_need_registers_and_share_them() -> None:
    def low(*stored: str) -> float:
        return pressure(
            "".join(f"st.shared.u32 [{4 * i}], {x};" for i, x in enumerate(stored)), "low"
        )

    assert low("0") == NOTHING_LIVES
    assert low("7") == NOTHING_LIVES + 1
    assert low("7", "7") == NOTHING_LIVES + 1


def test_divisions_by_the_same_value_share_a_reciprocal() -> None:
    def ops(second: str) -> float:
        read = "ld.shared.u32 %r1, [0]; ld.shared.u32 %r2, [4]; ld.shared.u32 %r3, [8];"
        both = f"div.u32 %r4, %r1, %r2; div.u32 %r5, %r3, {second};"
        return feature("ops", f"{read} {both} st.shared.u32 [0], %r4; st.shared.u32 [4], %r5;")

    assert ops("%r1") - ops("%r2") == 5  # steps of a reciprocal


def test_halves_cut_from_a_register_cost_nothing_and_put_together_they_do() -> None:
    read = "ld.shared.u32 %r1, [0]; mov.b32 {%h1, %h2}, %r1;"
    halves = ".reg .b16 %h<9>;"
    assert feature("ops", f"{halves} {read} st.shared.u16 [0], %h1;") == 3
    packed = "mov.b32 %r2, {%h2, %h1}; st.shared.u32 [0], %r2;"
    assert feature("ops", f"{halves} {read} {packed}") == 4


def test_a_schedule_loads_all_before_it_adds() -> None:
    """Eight loads, each added at once to the sum of those before it."""
    steps = "".join(
        f"ld.global.f32 %f{i}, [%rd5+{4 * i}]; add.f32 %f{20 + i}, %f{19 + i}, %f{i};"
        for i in range(1, 9)
    )
    body = f"{SUM.split('ld.global')[0]} mov.f32 %f20, %f39; {steps} st.global.f32 [%rd2], %f28;"
    assert pressure(body, "low") == NOTHING_LIVES + 4  # an address, a value, the sum
    assert feature("held", body) + feature("base", body) == 8


def test_loads_are_hoisted_as_far_as_all_threads_stay_resident() -> None:
    steps = "".join(
        f"ld.global.f32 %f{i}, [%rd5+{4 * i}]; add.f32 %f39, %f39, %f{i};" for i in range(1, 39)
    )
    head = f"{SUM.split('ld.global')[0]} mov.f32 %f39, 0f00000000;"
    body = f"{head} {steps} st.shared.f32 [0], %f39;"
    assert feature("base", body) == 30
    assert feature("base", body, threads=1536) == 38


@pytest.mark.parametrize(
    ("store", "load", "held"),
    [
        ("global.f32 [%rd5]", "[%rd5]", 1),
        ("global.f32 [%rd5+4]", "[%rd5]", 2),  # not the same bytes
        ("global.f32 [%rd5+4]", "[%rd2]", 1),  # perhaps the same
        ("shared.f32 [%rd5]", "[%rd5]", 2),
    ],
)
def test_a_load_does_not_pass_a_store_that_may_change_it(store: str, load: str, held: int) -> None:
    body = f"""{SUM.split("ld.global")[0]}
        ld.global.f32 %f1, [%rd5]; add.f32 %f2, %f1, %f1; st.{store}, %f2;
        ld.global.f32 %f3, {load}; add.f32 %f4, %f3, %f3; st.{store}, %f4;
    """
    assert feature("held", body) + feature("base", body) == held


@pytest.mark.parametrize(
    ("test", "kind"),
    [
        ("add.s32 %r2, %r2, 4; setp.ne.s32 %p1, %r2, 64;", "counted"),
        ("add.s32 %r2, %r2, 4; setp.lt.s32 %p1, %r2, %r1;", "limited"),
        ("add.s32 %r2, %r2, %r3; setp.lt.s32 %p1, %r2, %r1;", "open"),
    ],
)
def test_loops_are_told_apart_by_how_they_end(test: str, kind: str) -> None:
    body = f"""
        ld.shared.u32 %r1, [0]; ld.shared.u32 %r3, [4]; mov.u32 %r2, 0; mov.u32 %r4, %tid.x;
        LOOP: ld.shared.u32 %r5, [8]; add.s32 %r4, %r4, %r5; {test} @%p1 bra LOOP;
        st.shared.u32 [0], %r4;
    """
    kinds = ("counted", "limited", "open")
    assert [feature(f"{one}_loops", body) for one in kinds] == [one == kind for one in kinds]
    assert (pressure(body, "unrolled") > 0) == (kind != "open")


def test_a_loop_that_had_branches_is_not_unrolled() -> None:
    body = """
        ld.shared.u32 %r1, [0]; mov.u32 %r2, 0; mov.u32 %r4, %tid.x;
        LOOP: ld.shared.u32 %r5, [8]; setp.lt.s32 %p2, %r5, %r4; @%p2 bra NEXT;
        add.s32 %r4, %r4, %r5;
        NEXT: add.s32 %r2, %r2, 4; setp.ne.s32 %p1, %r2, 64; @%p1 bra LOOP;
        st.shared.u32 [0], %r4;
    """
    assert feature("branching_loops", body) == 1
    assert feature("counted_loops", body) == 0
    assert pressure(body, "unrolled") == 0


@pytest.mark.parametrize(("divide", "blocks"), [("div.approx.f32", 1), ("div.rn.f32", 2)])
def test_a_block_ends_where_a_subroutine_is_called(divide: str, blocks: int) -> None:
    body = f"{SUM.split('st.global')[0]} {divide} %f6, %f5, %f1; st.global.f32 [%rd6], %f6;"
    assert feature("blocks", body) == blocks


def test_a_block_of_thousands_of_subroutines_is_cut_a_few_hundred_times() -> None:
    divisions = "".join(["div.rn.f32 %f6, %f6, %f1;"] * 3000)
    body = f"{SUM.split('st.global')[0]} mov.f32 %f6, %f5; {divisions} st.global.f32 [%rd6], %f6;"
    assert feature("blocks", body) == 401
    assert feature("float", body) == 3000


def test_what_accesses_take_is_held_to_the_end_where_registers_are_to_spare() -> None:
    """Four stores to computed places: each address may go after its store, or stay."""
    stores = "".join(
        f"mul.wide.u32 %rd{i}, %r{i}, %r1; st.global.u32 [%rd{i}], %r1;" for i in range(10, 14)
    )
    loads = "".join(f"ld.shared.u32 %r{i}, [{4 * i}];" for i in range(10, 14))
    body = f"mov.u32 %r1, %tid.x; {loads} {stores}"
    assert pressure(body, "low") == NOTHING_LIVES + 6  # three factors, one address, what is stored
    assert pressure(body, "held_operands") == 9  # four addresses, and what is stored


def test_a_fragment_of_halves_takes_as_many_registers_as_it_has_different_ones() -> None:
    def low(kind: str) -> float:
        fragment = ", ".join(f"%r{i}" for i in range(1, 9))
        stores = "".join(f"st.shared.u32 [{4 * i}], %r{i};" for i in range(1, 9))
        return pressure(f"wmma.load.{kind} {{{fragment}}}, [s], 16; {stores}", "low")

    assert low("c.sync.aligned.row.m16n16k16.shared.f32") == NOTHING_LIVES + 8
    assert low("a.sync.aligned.row.m16n16k16.shared.f16") == NOTHING_LIVES + 4


def test_an_arm_waits_for_what_decides_whether_it_runs() -> None:
    """The second load cannot be hoisted above the first one, which says whether it is done."""
    read = "ld.global.u32 %r1, [%rd5]; setp.ne.s32 %p1, %r1, 0;"
    arm = "ld.global.u32 %r2, [%rd5+4]; st.global.u32 [%rd5+8], %r2;"
    head = SUM.split("ld.global")[0]
    assert pressure(f"{head} {read} @%p1 bra OUT; {arm} OUT:", "held") == 1
    assert pressure(f"{head} {read} {arm} st.global.u32 [%rd5], %r1;", "held") == 2


def test_a_loop_keeps_what_it_needs_alive() -> None:
    body = """
        mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.f32 %f1, 0f00000000;
        LOOP: cvt.rn.f32.s32 %f2, %r1; add.f32 %f1, %f1, %f2; add.s32 %r2, %r2, 1;
        setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;
        st.shared.f32 [0], %f1;
    """
    assert feature("loops", body) == 1
    assert pressure(body, "loop_live") == 3  # the thread index, the counter, the sum


@pytest.mark.parametrize(("pragma", "expected"), [("", 9), ('.pragma "nounroll";', 0)])
def test_the_rounds_of_a_loop_are_loaded_together(pragma: str, expected: int) -> None:
    """Two 64-bit values, the sum, four loaded values; nothing where it is not to be unrolled."""
    body = f"""
        mov.u32 %r1, %tid.x; mov.f32 %f1, 0f00000000;
        ld.param.u64 %rd1, [in]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4;
        LOOP: {pragma} ld.global.f32 %f2, [%rd5]; add.f32 %f1, %f1, %f2;
        add.s64 %rd5, %rd5, 4; setp.lt.u64 %p1, %rd5, %rd4; @%p1 bra LOOP;
        st.shared.f32 [0], %f1;
    """
    assert pressure(body, "unrolled") == expected


def test_small_branches_are_joined_and_large_ones_are_not() -> None:
    def blocks(operations: int) -> float:
        arm = "add.f32 %f1, %f1, %f1;" * operations
        return feature(
            "blocks",
            f"""
            mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; setp.lt.u32 %p1, %r1, 8;
            @%p1 bra NEXT; {arm} NEXT: st.shared.f32 [0], %f1;
            """,
        )

    assert blocks(4) == 1
    assert blocks(40) == 3


def test_a_value_that_one_block_needs_is_computed_there() -> None:
    def places(in_loop: str) -> list[int]:
        body = f"""{SUM.split("ld.global")[0]} mov.f32 %f3, 0f00000000;
            ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd5+4];
            LOOP: add.f32 %f3, %f3, %f2; {in_loop} setp.lt.f32 %p1, %f3, %f2; @%p1 bra LOOP;
            add.f32 %f4, %f1, %f3; st.shared.f32 [0], %f4;
        """
        code = joined_blocks(read_code(module(body).functions[0]))
        return [
            index
            for index, block in enumerate(code.blocks)
            for op in block
            if op.kind.mnemonic == "ld" and "global" in op.kind.modifiers
        ]

    assert places("") == [0, 2]  # the first one after the loop, the other one before it
    assert places("add.f32 %f3, %f3, %f1;") == [0, 0]


def test_a_division_needs_the_registers_of_its_subroutine() -> None:
    def base(divide: str) -> float:
        return feature("base", f"{SUM.split('st.global')[0]} {divide} st.global.f32 [%rd6], %f6;")

    assert base("div.approx.f32 %f6, %f5, %f1;") < base("div.rn.f32 %f6, %f5, %f1;")


def test_a_call_takes_what_the_calling_convention_sets_aside() -> None:
    assert feature("base", "call f, ();") == 24


def held(count: int) -> str:
    """Loads on one side of a barrier, and stores of what they loaded on the other."""
    address = (
        "ld.param.u64 %rd1, [in]; cvta.to.global.u64 %rd3, %rd1; mov.u32 %r1, %tid.x; "
        "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;"
    )
    loads = "".join(f"ld.global.f32 %f{i}, [%rd5+{4096 * i}];" for i in range(count))
    stores = "".join(f"st.global.f32 [%rd5+{4096 * i + 4}], %f{i};" for i in range(count))
    return f"{address}{loads}bar.sync 0;{stores}"


@pytest.mark.parametrize(
    ("values", "bounds", "expected"),
    [  # as ptxas 13.0 does for sm_80, which spills the first alone
        (40, ".maxnreg 24", 1),
        (40, ".maxnreg 128", 0),
        (10, ".maxntid 256, 1, 1", 0),
        (39, ".maxntid 1024, 1, 1 .minnctapersm 3", 0),  # 3 blocks cannot be resident
        (40, ".maxnreg 48", None),  # too close to the cap
        (300, "", None),  # without bounds nothing is foreseen
    ],
)
def test_more_values_than_registers_will_be_spilled(
    values: int, bounds: str, expected: int | None
) -> None:
    parsed = module(held(values), bounds)
    usage = ModuleResources(parsed).usage(parsed.functions[0], 80)
    assert usage.expected_spills.value == expected
    assert usage.spills == (None if expected is None else bool(expected))


def test_values_that_can_be_loaded_one_by_one_are_not_said_to_spill() -> None:
    one_by_one = held(40).replace("bar.sync 0;", "")
    parsed = module(one_by_one, ".maxnreg 24")
    assert ModuleResources(parsed).usage(parsed.functions[0], 80).expected_spills.value != 1
    code = joined_blocks(read_code(parsed.functions[0]))
    (block,), (out,) = code.blocks, live_sets(code)[1]
    assert highest_pressure(code) >= 40
    assert least_pressure(block, out, code.widths) < 10


def test_local_variables_say_nothing_of_spills() -> None:
    local = ".local .b8 array[64]; st.local.u32 [array], 0; ld.local.u32 %r1, [array];"
    parsed = module(local)
    assert ModuleResources(parsed).usage(parsed.functions[0], 80).spills is False


def test_values_move_to_the_block_behind_which_all_their_readers_lie() -> None:
    # Two loads that only two later blocks read, one behind the other: no pressure before them.
    body = (
        "ld.param.u64 %rd1, [in]; ld.param.u32 %r9, [n]; cvta.to.global.u64 %rd3, %rd1;"
        "mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;"
        "ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd5+4]; ld.global.f32 %f3, [%rd5+8];"
        "setp.eq.f32 %p1, %f1, 0f00000000; @%p1 bra END;"
        "bar.sync 0; setp.lt.f32 %p1, %f2, %f3; @%p1 bra END;"
        "bar.sync 0; add.f32 %f4, %f2, %f3; st.global.f32 [%rd5], %f4;"
        "END:"
    )
    code = joined_blocks(read_code(module(body).functions[0]))
    loads = [sum("global" in op.kind.modifiers and op.kind.load for op in b) for b in code.blocks]
    assert loads[:2] == [1, 2]
