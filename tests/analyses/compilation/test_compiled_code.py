"""What of a kernel needs registers, as the estimate sees it."""

from __future__ import annotations

from analyses.compiled import code_of, mnemonics

from warplint.analyzer.ptx.estimate.register_pressure import highest_pressure


def pressure(body: str) -> int:
    return highest_pressure(code_of(body))


def test_what_nobody_reads_is_gone() -> None:
    assert mnemonics("int unused = threadIdx.x * 7;") == []
    assert mnemonics("out[0] = 1.0f;") == ["st"]


def test_what_is_computed_twice_is_computed_once() -> None:
    once = mnemonics("int i = threadIdx.x ^ 5; out[i] = in[i];")
    twice = mnemonics("out[threadIdx.x ^ 5] = in[threadIdx.x ^ 5];")
    assert once == twice
    assert once.count("xor") == 1


def test_a_value_of_another_branch_is_computed_again() -> None:
    body = "if (in[0] > 0) out[threadIdx.x ^ 5] = 1; else out[threadIdx.x ^ 5] = 2;"
    assert mnemonics(body).count("xor") == 2


def test_scales_of_addresses_cost_nothing() -> None:
    assert "mul" not in mnemonics("out[threadIdx.x] = in[threadIdx.x];")


def test_a_product_in_a_sum_is_one_operation() -> None:
    assert "mul" not in mnemonics("out[0] = in[0] * in[1] + in[2];")
    assert "mul" in mnemonics("out[0] = in[0] * in[1];")


def test_what_all_threads_share_costs_nothing() -> None:
    shared = "int i = blockIdx.x * 3 + 1; out[i] = in[i + 1] + in[i + 9];"
    own = shared.replace("blockIdx", "threadIdx")
    assert pressure(shared) < pressure(own)


def test_values_that_live_together_add_up() -> None:
    few = "float a = in[0], b = in[1]; __syncthreads(); out[0] = a * b;"
    many = (
        "float a = in[0], b = in[1], c = in[2], d = in[3]; __syncthreads();"
        "out[0] = a * b; out[1] = c * d;"
    )
    assert pressure(many) >= pressure(few) + 2


def test_doubles_take_two() -> None:
    body = "T a = in[0], b = in[1]; __syncthreads(); out[0] = a; out[1] = b;"
    assert pressure(body.replace("T", "double")) > pressure(body.replace("T", "float"))


def test_an_array_in_registers_is_registers() -> None:
    body = (
        "float part[N];\n#pragma unroll\nfor (int k = 0; k < N; ++k) part[k] = in[k];\n"
        "__syncthreads();\n#pragma unroll\nfor (int k = 0; k < N; ++k) out[k] = part[k];"
    )
    assert pressure(body.replace("N", "24")) >= pressure(body.replace("N", "8")) + 16


def test_an_array_in_memory_is_none() -> None:
    body = "float part[256]; part[int(in[0])] = in[1]; part[1] = 2; out[0] = part[int(in[2])];"
    assert pressure(body) < 32
    assert mnemonics(body).count("ld") == 4


def test_loops_are_copied_and_their_counters_are_constants() -> None:
    body = "float s = 0; for (int k = 0; k < 4; ++k) if (k != 2) s += in[k]; out[0] = s;"
    assert mnemonics(body).count("ld") == 3
    assert "setp" not in mnemonics(body)


def test_a_loop_without_known_end_stays_one() -> None:
    code = code_of("int k = 0; while (in[k] > 0) ++k; out[0] = k;")
    assert any(to <= index for index, ones in enumerate(code.successors) for to in ones)


def test_elements_that_a_loop_carries_are_registers() -> None:
    body = (
        "float sum[2] = {}; int k = 0; while (in[k] > 0) { sum[0] += in[k + n]; sum[1] += in[k];"
        " k += 3; } out[0] = sum[0] * sum[1];"
    )
    assert "st" not in mnemonics(body)[:-1]
    assert mnemonics(body).count("st") == 1


def test_a_branch_that_is_decided_is_gone() -> None:
    assert mnemonics("int k = 3; if (k > 2) out[0] = 1.0f; else out[1] = in[2];") == ["st"]
    assert mnemonics("switch (2) { case 1: out[1] = 1; break; case 2: out[2] = 2; }") == ["st"]


def test_what_is_printed_is_a_call() -> None:
    assert "call" in mnemonics('printf("%f", in[0]);')


def test_a_kernel_too_long_to_copy_is_read_once() -> None:
    line = "out[k * 7 + 1] = in[k * 5 + 1] * in[k]; "
    body = f"#pragma unroll\nfor (int k = 0; k < 100; ++k) {{ {line * 9} }}"
    few = len(mnemonics(body * 3))
    assert few < 1_000
