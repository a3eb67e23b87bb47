"""Calls: what is inlined, what is not and why, and what intrinsics become."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import cuda_module, facts_of

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.pointers.pointer_contents import displacement
from warplint.analyzer.cuda.lowering.state.context import DEPTH_LIMIT
from warplint.analyzer.ir.kernel import Module
from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    Call,
    Fence,
    Field,
    MemoryAccess,
    OpaqueOperation,
    Pure,
    WarpOperation,
    unconverted,
)
from warplint.analyzer.ir.unfollowed import TOO_DEEP, TOO_LARGE
from warplint.analyzer.ir.values import Constant, Special, SpecialRegister

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel


def kernel(text: str) -> Kernel:
    return cuda_module(text).kernels[-1]


def body(statements: str, before: str = "") -> Kernel:
    return kernel(f"{before}\n__global__ void k(int *p, float *f, int n) {{ {statements} }}")


def calls(lowered: Kernel) -> list[tuple[str, str]]:
    """Name and reason of every call that was not looked into."""
    return [(o.callee, o.reason) for o in lowered.operations() if isinstance(o, Call)]


def stored(lowered: Kernel) -> list[object]:
    """The constants that a kernel stores."""
    return [
        operation.operands[1].value
        for operation in lowered.operations()
        if isinstance(operation, MemoryAccess)
        and operation.kind.value == "store"
        and isinstance(operation.operands[1], Constant)
    ]


# ---- inlining ------------------------------------------------------------------------------------


def test_functions_are_inlined_and_know_where_from() -> None:
    lowered = body("p[0] = 1;\nset_to(p, 2);", "__device__ void set_to(int *q, int v) { *q = v; }")
    assert calls(lowered) == []
    first, second = [o for o in lowered.operations() if isinstance(o, MemoryAccess)]
    assert first.location.inlined_at is None
    assert second.location.span.line == 1
    assert [site.span.line for site in second.location.call_chain()] == [3]


def test_a_chain_of_calls_is_kept_innermost_first() -> None:
    text = (
        "__device__ void a(int *q) { *q = 1; }\n"
        "__device__ void b(int *q) { a(q); }\n"
        "__global__ void k(int *q) {\n    b(q);\n}"
    )
    (access,) = [o for o in kernel(text).operations() if isinstance(o, MemoryAccess)]
    assert [site.span.line for site in access.location.call_chain()] == [2, 4]


def test_recursion_is_not_followed() -> None:
    fact = "__device__ int fact(int n) { if (n < 2) return 1; return n * fact(n - 1); }"
    assert calls(body("p[0] = fact(n);", fact)) == [("fact", "recursion is not followed")]
    mutual = (
        "__device__ int odd(int n); __device__ int even(int n) { return n ? odd(n - 1) : 1; }"
        "__device__ int odd(int n) { return n ? even(n - 1) : 0; }"
    )
    assert calls(body("p[0] = even(n);", mutual)) == [("even", "recursion is not followed")]


def test_deep_chains_stop_at_the_limit() -> None:
    chain = "__device__ int f0(int n) { return n; }\n" + "\n".join(
        f"__device__ int f{i}(int n) {{ return f{i - 1}(n); }}" for i in range(1, 40)
    )
    ((name, reason),) = calls(body("p[0] = f39(n);", chain))
    assert name == f"f{40 - DEPTH_LIMIT}"
    assert reason == TOO_DEEP


def test_growth_stops_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warplint.analyzer.cuda.read.MOST_INLINED", 2000)
    doubling = "__device__ void g0(int *p) { *p += 1; }\n" + "\n".join(
        f"__device__ void g{i}(int *p) {{ g{i - 1}(p); g{i - 1}(p + 1); }}" for i in range(1, 22)
    )
    lowered = body("g21(p);", doubling)
    assert {reason for _, reason in calls(lowered)} == {TOO_LARGE}
    assert len(list(lowered.operations())) < 2200


def test_lambdas_stop_at_the_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warplint.analyzer.cuda.read.MOST_INLINED", 2000)
    doubling = "auto g0 = [=](int *q) { *q += 1; };\n" + "\n".join(
        f"auto g{i} = [=](int *q) {{ g{i - 1}(q); g{i - 1}(q + 1); }};" for i in range(1, 18)
    )
    lowered = body(f"{doubling}\ng17(p);")
    assert set(calls(lowered)) == {("lambda", TOO_LARGE)}
    assert len(list(lowered.operations())) < 2200


def test_elements_of_packs_count_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call takes one of a pack and hands on the rest: the work is their number squared."""
    monkeypatch.setattr("warplint.analyzer.cuda.read.MOST_INLINED", 2000)
    taking = "template <class T, class... R> __device__ int g(T v, R... r) { return v + g(r...); }"
    lowered = body(f"p[0] = g({', '.join(map(str, range(900)))});", taking)
    assert calls(lowered) == [("g", TOO_LARGE)]


def test_what_leaves_no_operation_counts_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of constants are folded away, but each call reads all of them again."""
    monkeypatch.setattr("warplint.analyzer.cuda.read.MOST_INLINED", 2000)
    sums = "".join(f"v = v * 3 + {i};\n" for i in range(400))
    lowered = body(
        "".join(f"p[{i}] = g({i});\n" for i in range(100)),
        f"__device__ int g(int v) {{ {sums} return v; }}",
    )
    assert set(calls(lowered)) == {("g", TOO_LARGE)}
    assert 2 < sum(value is not None for value in stored(lowered)[:20]) < 20
    assert lowered.made < 4000


def test_an_unknown_function_is_a_call_with_its_arguments() -> None:
    lowered = body("p[0] = elsewhere(n, p);")
    assert calls(lowered) == [("elsewhere", "its definition is not in this file")]


def test_overloads_go_by_type() -> None:
    before = (
        "__device__ int kind(int x) { return 1; } __device__ int kind(float x) { return 2; }"
        "__device__ int kind(int *x) { return 3; } __device__ int kind(int x, int y) { return 4; }"
    )
    statements = "p[0] = kind(n); p[1] = kind(f[0]); p[2] = kind(p); p[3] = kind(n, n);"
    assert stored(body(statements, before)) == [1, 2, 3, 4]


def test_a_function_of_the_file_wins_over_a_type_of_that_name() -> None:
    """`half` is a type of cuda_fp16.h, `set` one of the standard library; not here."""
    before = (
        "__host__ __device__ constexpr int half(int x) { return x / 2; }"
        "__device__ void set(int *q) { *q = 9; }"
    )
    lowered = body("__shared__ int s[half(16)]; p[0] = half(6); set(p + 1); s[0] = n;", before)
    assert stored(lowered) == [3, 9]
    assert lowered.objects[-1].size == 32


def test_parameters_without_a_name_take_their_argument() -> None:
    before = "__device__ int second(int, int b, float *) { return b; }"
    assert stored(body("*p = second(3, 4, f);", before)) == [4]


def test_default_arguments() -> None:
    before = "__device__ int with(int a, int b = 7) { return b; }"
    assert stored(body("p[0] = with(1); p[1] = with(1, 2);", before)) == [7, 2]


def test_methods_and_operators() -> None:
    before = (
        "struct V { int a; __device__ int get() const { return a; }"
        " __device__ void set(int b) { a = b; }"
        " __device__ int operator[](int i) const { return a + i; } };"
        "__device__ int operator+(V x, V y) { return x.a * y.a; }"
    )
    statements = "V v = {3}; V w = {4}; w.set(5); p[0] = v.get(); p[1] = v + w; p[2] = v[1];"
    lowered = body(statements, before)
    assert stored(lowered)[:2] == [3, 15]
    assert calls(lowered) == []


def test_functors_and_lambdas() -> None:
    before = "struct Add { int by; __device__ int operator()(int x) const { return x + by; } };"
    lowered = body(
        "Add add = {4}; p[0] = add(3); auto two = [](int x) { return 2 * x; }; p[1] = two(two(3));",
        before,
    )
    assert stored(lowered) == [7, 12]


# ---- intrinsics ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "vote"),
    [
        ("__syncthreads()", BarrierKind.BLOCK, ""),
        ("__syncthreads_and(n)", BarrierKind.BLOCK, "and"),
        ("__syncthreads_or(n)", BarrierKind.BLOCK, "or"),
        ("__syncthreads_count(n)", BarrierKind.BLOCK, "popc"),
        ("__syncwarp()", BarrierKind.WARP, ""),
        ("__syncwarp(15)", BarrierKind.WARP, ""),
        ("cooperative_groups::this_thread_block().sync()", BarrierKind.BLOCK, ""),
        ("cooperative_groups::this_grid().sync()", BarrierKind.GRID, ""),
        ("cooperative_groups::this_cluster().sync()", BarrierKind.CLUSTER, ""),
    ],
)
def test_barriers(call: str, kind: BarrierKind, vote: str) -> None:
    (barrier,) = [o for o in body(f"{call};").operations() if isinstance(o, Barrier)]
    assert (barrier.kind, barrier.vote) == (kind, vote)


@pytest.mark.parametrize(
    ("call", "register"),
    [
        ("this_thread_block().group_index().y", Special.BLOCK_Y),
        ("this_thread_block().dim_threads().x", Special.BLOCK_SIZE_X),
        ("this_grid().dim_blocks().z", Special.GRID_SIZE_Z),
        ("this_cluster().block_index().y", Special.CLUSTER_Y),
        ("this_cluster().dim_blocks().x", Special.CLUSTER_SIZE_X),
        ("this_cluster().block_rank()", Special.CLUSTER_RANK),
        ("this_cluster().num_blocks()", Special.CLUSTER_BLOCKS),
    ],
)
def test_numbers_of_groups(call: str, register: Special) -> None:
    kernel = body(f"p[0] = cooperative_groups::{call};")
    (store,) = [each for each in kernel.operations() if isinstance(each, MemoryAccess)]
    value = unconverted(store.operands[1])
    if isinstance(value, Field):
        value = value.operands[0].operands["xyz".index(call[-1])]
    assert isinstance(value, SpecialRegister)
    assert value.register is register


def test_the_rank_of_a_thread_in_a_cluster() -> None:
    kernel = body("p[0] = cooperative_groups::this_cluster().thread_rank();")
    registers = {
        each.register
        for operation in kernel.operations()
        for each in operation.operands
        if isinstance(each, SpecialRegister)
    }
    assert {Special.CLUSTER_RANK, Special.BLOCK_SIZE_X, Special.THREAD_X} <= registers


@pytest.mark.parametrize(
    ("call", "scope"),
    [
        ("__threadfence()", "device"),
        ("__threadfence_block()", "block"),
        ("__threadfence_system()", "system"),
    ],
)
def test_fences(call: str, scope: str) -> None:
    (fence,) = [o for o in body(f"{call};").operations() if isinstance(o, Fence)]
    assert fence.scope == scope


@pytest.mark.parametrize(
    ("call", "atomic", "scope", "operands"),
    [
        ("atomicAdd(p, 1)", "add", "device", 2),
        ("atomicSub_block(p, n)", "sub", "block", 2),
        ("atomicMin_system(p, n)", "min", "system", 2),
        ("atomicCAS(p + 1, 0, n)", "cas", "device", 3),
        ("atomicExch(&p[n], 0)", "exch", "device", 2),
        ("atomicOr((unsigned *)p, 3u)", "or", "device", 2),
        ("atomicAdd(f, 1.0f)", "add", "device", 2),
    ],
)
def test_atomics(call: str, atomic: str, scope: str, operands: int) -> None:
    (access,) = [o for o in body(f"{call};").operations() if isinstance(o, MemoryAccess)]
    assert (access.atomic, access.scope, len(access.operands)) == (atomic, scope, operands)
    assert access.width == 4
    assert access.reads
    assert access.writes


@pytest.mark.parametrize(
    ("call", "name", "operands"),
    [
        ("__shfl_sync(~0u, n, 3)", "shfl.idx", 3),
        ("__shfl_up_sync(~0u, n, 3)", "shfl.up", 3),
        ("__shfl_down_sync(~0u, n, 3, 16)", "shfl.down", 4),
        ("__shfl_xor_sync(~0u, n, 3)", "shfl.bfly", 3),
        ("__shfl_xor(n, 3)", "shfl.bfly", 2),
        ("__any_sync(~0u, n)", "vote.any", 2),
        ("__ballot_sync(~0u, n)", "vote.ballot", 2),
        ("__all(n)", "vote.all", 1),
        ("__match_any_sync(~0u, n)", "match.any", 2),
        ("__reduce_max_sync(~0u, n)", "redux.max", 2),
        ("__activemask()", "activemask", 0),
    ],
)
def test_warp_operations(call: str, name: str, operands: int) -> None:
    (warp,) = [o for o in body(f"p[0] = {call};").operations() if isinstance(o, WarpOperation)]
    assert (warp.name, len(warp.operands)) == (name, operands)


@pytest.mark.parametrize("call", ["sqrtf(f[0])", "__expf(f[0])", "fmaf(f[0], f[1], f[2])"])
def test_mathematics_is_pure(call: str) -> None:
    lowered = body(f"f[3] = {call};")
    assert [o.name for o in lowered.operations() if isinstance(o, Pure)] == [call.split("(")[0]]
    assert calls(lowered) == []


def test_a_function_of_the_file_wins_over_mathematics() -> None:
    before = "__device__ float sqrtf(float x) { return 5.0f; }"
    assert stored(body("f[0] = sqrtf(f[1]);", before)) == [5.0]


@pytest.mark.parametrize("call", ["__ldg(p + 1)", "__ldcg(&p[1])", "__ldcs(p + 1)"])
def test_loads_by_function(call: str) -> None:
    lowered = body(f"n = {call}; p[0] = n;")
    load = next(o for o in lowered.operations() if isinstance(o, MemoryAccess))
    assert (load.kind.value, load.width) == ("load", 4)


def test_inline_ptx() -> None:
    lowered = body(
        'asm volatile("bar.sync 0;"); int x; asm("mov.u32 %0, %%laneid;" : "=r"(x));'
        ' p[0] = x; asm volatile("st.global.u32 [%0], 1;" :: "l"(p) : "memory");'
    )
    assert sum(isinstance(o, Barrier) for o in lowered.operations()) == 1
    assert any(isinstance(o, OpaqueOperation | MemoryAccess) for o in lowered.operations())


def test_explicit_template_arguments_call_a_template() -> None:
    lowered = kernel(
        """__device__ int width() { return 3; }
        template <int N> __device__ int width() { return N; }
        __global__ void k(float *out) { out[width<7>()] = 1; out[width()] = 2; }"""
    )
    stores = [o for o in lowered.operations() if isinstance(o, MemoryAccess)]
    assert [displacement(store.address) for store in stores] == [28, 12]


@pytest.mark.parametrize("made", ["SharedMemory<T>()", "shared.getPointer()"])
def test_the_shared_memory_of_the_samples_is_known_without_its_header(made: str) -> None:
    lowered = kernel(
        "template <class T> __global__ void k(T *out) {"
        f" SharedMemory<T> shared; T *s = {made}; s[threadIdx.x] = out[0]; }}"
    )
    (object,) = [item for item in lowered.objects if item.space is Space.SHARED]
    assert object.dynamic
    facts = KernelFacts(lowered, Module(lowered.span.source, "cuda"), AnalysisOptions())
    assert facts.points_to.object_of(facts.accesses[-1]) is object


def test_a_class_that_stands_for_dynamic_shared_memory() -> None:
    lowered = kernel(
        """template <class T> struct Shared {
            __device__ operator T *() { extern __shared__ int raw[]; return (T *)raw; }
        };
        __global__ void k(float *out) { float *s = Shared<float>(); s[threadIdx.x] = out[0]; }"""
    )
    pointers = KernelFacts(lowered, Module(lowered.span.source, "cuda"), AnalysisOptions())
    spaces = [pointers.points_to.spaces(access) for access in pointers.accesses]
    assert spaces == [{Space.GLOBAL}, {Space.SHARED}]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("assert(n == 64);", [("n", "eq", 64)]),
        ("__builtin_assume(n > 3 & n <= 64);", [("n", "gt", 3), ("n", "le", 64)]),
        ("__requires(256 >= n);", [("n", "le", 256)]),
        ("if (p[0]) assert(n == 64);", []),
        ("assert(p[0] == 64);", []),
    ],
)
def test_what_is_said_of_parameters_is_kept(statement: str, said: list[object]) -> None:
    stated = [
        (each.parameter.name, each.relation.value, getattr(each.number, "value", None))
        for each in body(statement).stated
    ]
    assert stated == said


def test_an_expected_value_is_the_value() -> None:
    assert stored(body("if (__builtin_expect(!!(n > 3), 1)) *p = 7;")) == [7]
    given = "__builtin_expect_with_probability(n > 3, 1, 0.9)"
    assert sorted(stored(body(f"if ({given}) *p = 7; else *p = 8;"))) == [7, 8]


def test_words_for_verifiers_are_no_calls() -> None:
    loop = "for (int i = 0; __invariant(__implies(__write(p), i > 0)), i < n; i++) p[i] = i;"
    assert calls(body(f"__requires_fresh_array(p); {loop} __ensures(__no_read(p));")) == []


def test_a_function_of_the_file_may_have_the_name_of_such_a_word() -> None:
    own = "__device__ int __invariant(int *p) { *p = 7; return 1; }"
    assert stored(body("__invariant(p);", own)) == [7]


def test_explicit_instantiations_make_instances() -> None:
    module = cuda_module(
        """template <typename T, int SIZE> __global__ void k(T *out);
        template __global__ void k<int, 16>(int *out);
        template __global__ void k<double, 32>(double *out);
        template <typename T, int SIZE> __global__ void k(T *out) { out[SIZE] = 0; }"""
    )
    assert [each.instance for each in module.kernels] == ["k<int, 16>", "k<double, 32>"]
    assert [len(each.launches) for each in module.kernels] == [0, 0]


FUNCTIONS = """
using writer = void (*)(int *, int);
__device__ void one(int *p, int n) { p[threadIdx.x] = n; }
__device__ void two(int *p, int n) { p[2 * threadIdx.x] = n; p[7] = n; }
template <class F> __device__ void apply(F f, int *p, int n) { f(p, n); }
"""


@pytest.mark.parametrize(
    ("call", "stores"),
    [("apply(one, p, n);", 1), ("apply(&two, p, n);", 2), ("apply(two, p, n); one(p, n);", 3)],
)
def test_functions_given_as_arguments_are_looked_into(call: str, stores: int) -> None:
    lowered = body(call, FUNCTIONS)
    assert calls(lowered) == []
    assert len([each for each in lowered.operations() if isinstance(each, MemoryAccess)]) == stores


def test_a_function_as_template_argument_reaches_the_kernel_through_host_code() -> None:
    text = f"""{FUNCTIONS}
    template <writer F> __global__ void k(int *p, int n) {{ F(p, n); }}
    template <writer F> void run(int *p) {{ k<F><<<4, 64>>>(p, 5); }}
    void host(int *p) {{ run<one>(p); run<two>(p); }}"""
    found = cuda_module(text).kernels
    assert [each.instance for each in found] == ["k<one>", "k<two>"]
    assert [len(each.launches) for each in found] == [1, 1]
    counts = [[type(op) for op in each.operations()].count(MemoryAccess) for each in found]
    assert counts == [1, 2]


PACKS = """
struct Put {
    __device__ static void call(int *p, int v) { *p = v; }
    __device__ static void call(float *f, float v, int i) { f[i] = v; }
};
template <class F, class... A>
__device__ void apply(F, A &&...a) { F::call(static_cast<A &&>(a)...); }
template <class... A> __device__ void copied(A... a) { Put::call(a...); }
template <class... A> __device__ void through(A &&...a) { apply(Put{}, std::forward<A>(a)...); }
template <class... A> __device__ int last(int first, A... a) { return last(a...); }
__device__ int last(int first) { return first; }
__device__ int count() { return 0; }
template <class... A> __device__ int count(int, A... rest) { return 1; }
"""


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("apply(Put{}, p, 4);", [4]),
        ("copied(p, 5); copied(f, 6.0f, 3);", [5, 6.0]),
        ("through(f, 7.0f, 2);", [7.0]),
        ("*p = count();", [0]),
        ("*p = count(3);", [1]),
        ("*p = count(3, f, 2.0);", [1]),
    ],
)
def test_packs_of_arguments_are_expanded(statement: str, expected: list[object]) -> None:
    lowered = body(statement, PACKS)
    assert calls(lowered) == []
    assert stored(lowered) == expected


@pytest.mark.parametrize("space", ["std", "cuda::std"])
def test_what_is_forwarded_is_the_argument_itself(space: str) -> None:
    before = f"""
    __device__ void set(int &to, int v) {{ to = v; }}
    template <class... A> __device__ void pass(A &&...a) {{ set({space}::forward<A>(a)...); }}"""
    lowered = body("int x = 1; pass(x, 5); *p = x;", before)
    assert calls(lowered) == []
    assert stored(lowered) == [5]


def test_an_overload_without_a_pack_is_preferred_and_recursion_ends() -> None:
    assert stored(body("*p = last(9);", PACKS)) == [9]
    assert calls(body("*p = last(8, 9);", PACKS)) == []
    assert stored(body("*p = last(7, 8, 9);", PACKS)) == [9]
    assert calls(body("*p = last(7, 8, 9);", PACKS)) == []


@pytest.mark.parametrize(
    "result", ["float &", "auto &", "decltype(auto)"], ids=["named", "deduced", "by-value-category"]
)
def test_a_lambda_that_returns_a_reference_is_assigned_to(result: str) -> None:
    lowered = body(f"auto at = [&](int i) -> {result} {{ return f[2 * i]; }};\nat(n) = 1.5f;")
    opaque = [o for o in lowered.operations() if isinstance(o, OpaqueOperation)]
    assert opaque == []
    (store,) = [o for o in lowered.operations() if isinstance(o, MemoryAccess)]
    assert store.writes
    assert store.location.span.line == 3  # where it is assigned, not where it is named


def test_what_a_call_that_is_not_known_refers_to_is_not_understood() -> None:
    lowered = body("tile(n) = 1.5f;\np[0] = 3;")
    opaque = [o for o in lowered.operations() if isinstance(o, OpaqueOperation)]
    assert [o.location.span.line for o in opaque] == [2]
    assert len([o for o in lowered.operations() if isinstance(o, MemoryAccess)]) == 1


@pytest.mark.parametrize(
    "call",
    [
        "__ldg()", "__stcs(p)", "__mul24(n)", "__pipeline_memcpy_async(p)",
        "__cvta_generic_to_shared()", "wmma::load_matrix_sync()", "wmma::mma_sync()",
    ],
)  # fmt: skip
def test_an_intrinsic_with_too_few_arguments_is_a_call_like_any_other(call: str) -> None:
    ((name, _),) = calls(body(f"{call};"))
    assert name == call.partition("(")[0]


def test_a_declaration_without_a_name_declares_nothing() -> None:
    lowered = body("int ; p[0] = 1;")
    assert [variable.name for variable in lowered.variables] == ["p", "f", "n"]
    assert stored(lowered) == [1]


def test_a_pointer_to_auto_points_to_what_it_is_given() -> None:
    """As a variable, as a parameter (an abbreviated template), as a result; with qualifiers."""
    before = (
        "struct S { int a; int b[2]; __device__ void set(int x) { a = x; } };"
        "__device__ int first(auto *s, int l) { s->set(3); return s->b[l]; }"
        "__device__ auto *second(S *s) { return s + 1; }"
    )
    statements = (
        "__shared__ S s[2]; auto *t = s; const auto *const u = t;"
        "t->b[0] = u->b[1]; auto **v = &t; p[0] = first(t, n) + second(s)->b[1]; (*v)->a = 7;"
    )
    lowered = body(statements, before)
    accesses = [each for each in lowered.operations() if isinstance(each, MemoryAccess)]
    assert calls(lowered) == []
    assert {access.width for access in accesses} == {4}
    assert not any(isinstance(each, Pure) for each in lowered.operations())


def test_an_array_is_passed_by_value_as_a_pointer_and_by_reference_as_itself() -> None:
    before = (
        "template <class I> __device__ void put(I from, I to) {"
        " for (I i = from; i != to; ++i) *i = 1; }"
        "template <class A> __device__ int room(A &a) { return sizeof(a); }"
    )
    lowered = body("int t[16]; put(t, t + 16); p[n] = t[n]; p[0] = room(t);", before)
    local = [each for each in lowered.objects if each.space is Space.LOCAL]
    assert [each.name for each in local] == ["t"]
    assert 64 in stored(lowered)


@pytest.mark.parametrize(
    ("folded", "value"),
    [
        ("(... - x)", (5 - 3) - 1),
        ("(x - ...)", 5 - (3 - 1)),
        ("(20 - ... - x)", ((20 - 5) - 3) - 1),
        ("(x - ... - 20)", 5 - (3 - (1 - 20))),
        ("(... & (x + 1))", 6 & 4 & 2),
        ("(... && (x > 1)) ? 8 : 9", 9),
        ("((x > 4) || ...) ? 8 : 9", 8),
        ("((2 * x), ...)", 2),
    ],
)
def test_fold_expressions(folded: str, value: int) -> None:
    before = f"template <class... A> __device__ int all(A... x) {{ return {folded}; }}"
    lowered = body("p[0] = all(5, 3, 1);", before)
    assert calls(lowered) == []
    assert stored(lowered) == [value]


def test_a_fold_over_nothing_and_one_that_may_stop_early() -> None:
    before = (
        "template <class... A> __device__ bool every(A... x) { return (... && x); }"
        "template <class... A> __device__ bool set(A... x) { return (... && (*x = 1)); }"
    )
    assert stored(body("p[0] = every() ? 4 : 5;", before)) == [4]
    (reason,) = [
        each.reason
        for each in body("p[0] = set(p, p + 1);", before).operations()
        if isinstance(each, OpaqueOperation)
    ]
    assert reason == "Fold is not supported"


@pytest.mark.parametrize(
    ("call", "stored"),
    [
        ("float s, c; sincosf(x[0], &s, &c); x[1] = s; x[2] = c;", ["sin", "cos"]),
        ("float s, c; __sincosf(x[0], &s, &c); x[2] = c;", ["cos"]),
        ("double s, c; sincospi((double)x[0], &s, &c); y[1] = s;", ["sinpi"]),
        ("sincos((double)x[0], y, y + 1);", ["sin", "cos"]),
        ("float whole; x[1] = modff(x[0], &whole); x[2] = whole;", ["modf", "trunc"]),
        ("int e; frexpf(x[0], &e); n[0] = e;", ["exponent"]),
        ("int q; x[1] = remquof(x[0], 2, &q); n[0] = q;", ["remquo", "quotient"]),
    ],
)
def test_results_behind_pointers(call: str, stored: list[str]) -> None:
    facts = facts_of(f"__global__ void k(float *x, double *y, int *n) {{ {call} }}", (32, 1, 1))
    assert not [each for each in facts.kernel.operations() if isinstance(each, Call)]
    stores = [access for access in facts.accesses if access.kind is AccessKind.STORE]
    assert [getattr(access.operands[1], "name", "") for access in stores] == stored


def test_the_address_of_what_an_unknown_call_returns_is_not_known() -> None:
    body = "*(int *)&view(x)(3) = 1; *(int *)cute::cast_smem_ptr_to_uint(x) = 2;"
    facts = facts_of(f"__global__ void k(float *x) {{ {body} }}", (32, 1, 1))
    found = [facts.points_to.object_of(access) for access in facts.accesses]
    assert ["?" if item is None else item.name for item in found] == ["?", "*x"]


def test_a_lambda_has_default_arguments() -> None:
    text = "auto put = [p](int i, int v = 2, int w = 3) { p[i] = v; p[n] = w; }; put(0); put(1, 4);"
    assert stored(body(text.replace("p[n]", "p[i + 1]"))) == [2, 3, 4, 3]


@pytest.mark.parametrize("owner", ["Table<int, 4>", "Plain"])
def test_functions_of_classes_may_have_the_names_of_standard_templates(owner: str) -> None:
    before = """
    template <class T, int N> struct Table {
        __device__ static void set(T *at, int i, T v) { if (i < N) at[i] = v; }
    };
    struct Plain { __device__ static void set(int *at, int i, int v) { at[i] = v; } };
    """
    lowered = body(f"{owner}::set(p, 1, 7);", before)
    assert (stored(lowered), calls(lowered)) == ([7], [])


def test_code_behind_a_return_in_a_template_ends() -> None:
    # The loop there is one that nothing leads to, and what is read behind it is of unknown type.
    text = """
    template <typename T> __device__ void zero(T &out) {
        constexpr int words = sizeof(T) / 4;
        union { T whole; unsigned part[words]; } held;
        for (int i = 0; i < words; ++i) held.part[i] = 0u;
        out = held.whole;
    }
    template <typename T> struct Vector {};
    template <typename T, bool works> __device__ void fill(float *out, int n) {
        if constexpr (!works) return;
        typename Vector<T>::Type value;
        zero(value);
        out[n] = value.x;
    }
    template <typename T> __global__ void k(float *out, int n)
    { if (n > 3) fill<T, true>(out, n); else fill<T, false>(out, n); }
    template __global__ void k<float>(float *, int);
    """
    assert len(list(kernel(text).operations())) > 5


def test_an_argument_is_read_where_it_stands() -> None:
    text = """__device__ float twice(float x, const float &y) { return x + y; }
    __global__ void k(float *a, float *b) {
        b[0] = twice(
            a[1],
            a[2]);
    }"""
    loads = [each for each in facts_of(text).accesses if each.kind is AccessKind.LOAD]
    assert [load.location.span.text for load in loads] == ["a[1]", "x + y"]
    assert [load.location.span.line for load in loads] == [4, 1]
