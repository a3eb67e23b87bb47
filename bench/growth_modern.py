"""Inputs that grow without end, for `growth.py`: what multiplies in modern C++, in macros, in PTX.

Classes that stand twice in the next one, types that name themselves twice, constants that are
computed in loops and calls, tokens that are pasted together, calls through tables, and choices of
one of many arrays or functions at each of many places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from growth_inputs import CLOSE, OPEN, PTX, body, joined, module, ptx, ptx_module

if TYPE_CHECKING:
    from collections.abc import Callable


def _chain(first: str, piece: Callable[[int], str], use: str) -> Callable[[int], str]:
    """Declarations, each of which names the one before, and a kernel that uses the last."""
    return lambda count: (
        f"{first}\n{joined(piece, count)}\n{OPEN}{use.replace('@', str(count))}{CLOSE}"
    )


def _chosen_arrays(count: int) -> str:
    """One of many arrays, read and written at as many places."""
    arrays = joined(lambda i: f"__shared__ float s{i}[64];", count)
    choices = joined(lambda i: f"p = n > {i} ? p : s{i};", count)
    uses = joined(lambda i: f"p[t + {i}] += x; __syncthreads();", count)
    return f"{OPEN}{arrays}\nfloat *p = s;\n{choices}\n{uses}{CLOSE}"


def _table_of_functions(count: int) -> str:
    functions = joined(lambda i: f"__device__ int f{i}(int v) {{ return v + {i}; }}", count)
    names = joined(lambda i: f"f{i}", count, ", ")
    calls = joined(lambda i: f"x += table[a[{i}] > 0](t);", count)
    return f"{functions}\n__device__ int (*table[])(int) = {{{names}}};\n{OPEN}{calls}{CLOSE}"


def _dispatched(count: int) -> str:
    """A virtual function with many overriders, called at as many places."""
    classes = joined(
        lambda i: f"struct D{i} : B {{ __device__ int f(int v) override {{ return v * {i}; }} }};",
        count,
    )
    calls = joined(lambda i: f"x += b->f({i});", count)
    made = joined(lambda i: f"D{i} d{i}; if (n == {i}) b = &d{i};", count)
    return (
        "struct B { __device__ virtual int f(int v) { return v; } };\n"
        f"{classes}\n{OPEN}B *b = 0;\n{made}\n{calls}{CLOSE}"
    )


def _conversions(count: int) -> str:
    """A class that becomes any of many, and a function that takes any of them."""
    classes = joined(lambda i: f"struct T{i} {{ int v; }};", count)
    operators = joined(lambda i: f"__device__ operator T{i}() {{ return T{i}{{v}}; }}", count)
    functions = joined(lambda i: f"__device__ int f{i}(T{i} q) {{ return q.v; }}", count)
    calls = joined(lambda i: f"x += f{i}(c);", count)
    return (
        f"{classes}\nstruct C {{ int v; {operators} }};\n{functions}\n{OPEN}C c; c.v = t;\n"
        f"{calls}{CLOSE}"
    )


def _overlapping_stores(count: int) -> str:
    """A local array whose bytes are written at many places, in many widths."""
    stores = joined(
        lambda i: (
            f"*({('char', 'short', 'int', 'double')[i % 4]} *)(l + {i * 13 % 4000}) = t;"
            f" x += l[{i * 7 % 4000}];"
        ),
        count,
    )
    return f"{OPEN}char l[4096];\n{stores}{CLOSE}"


def _bindings(count: int) -> str:
    members = joined(lambda i: f"int m{i};", count)
    names = joined(lambda i: f"b{i}", count, ", ")
    sums = joined(lambda i: f"x += b{i};", count)
    return f"struct S {{ {members} }};\n{OPEN}S q; auto [{names}] = q;\n{sums}{CLOSE}"


def _evaluated_macros(count: int) -> str:
    """The idiom that makes the preprocessor scan a text again: three times more at each level."""
    levels = joined(
        lambda i: f"#define E{i + 1}(...) E{i}(E{i}(E{i}(__VA_ARGS__)))",
        count,
    )
    return (
        "#define EMPTY()\n#define DEFER(m) m EMPTY()\n#define AGAIN() REPEAT\n"
        "#define REPEAT(v) x += v; DEFER(AGAIN)()(v)\n#define E0(...) __VA_ARGS__\n"
        f"{levels}\n{OPEN}E{count}(REPEAT(t)){CLOSE}"
    )


def _each_macro(count: int) -> str:
    """A macro for each length of its arguments."""
    steps = joined(lambda i: f"#define F{i + 1}(v, ...) x += v; F{i}(__VA_ARGS__)", count)
    values = joined(str, count, ", ")
    return f"#define F0(...)\n{steps}\n{OPEN}F{count}({values}, 0){CLOSE}"


def _maze(count: int) -> str:
    """Jumps from everywhere to everywhere, within a loop and with barriers."""
    lines = joined(
        lambda i: (
            f"L{i}: s[t] += {i}; __syncthreads(); if (a[{i}] > x) goto L{(i * 7919 + 13) % count};"
        ),
        count,
    )
    return f"{OPEN}for (int r = 0; r < n; r++) {{\n{lines}\n}}{CLOSE}"


def _nested_counts(count: int) -> str:
    """Loops of stated lengths inside of each other, with barriers, side by side."""
    heads = joined(lambda i: f"for (int i{i} = 0; i{i} < 1000; i{i}++) ", 6, "")
    return body(lambda i: f"{heads}{{ s[(t + i0 + i5) & 255] += {i}; __syncthreads(); }}")(count)


def _tables(count: int) -> str:
    """An aggregate of arrays of aggregates, written out."""
    values = joined(lambda i: f"{{{{{i}, {i + 1}}}, {{{i}.5f, 1e{i % 30}f}}, {i}}}", count, ", ")
    return (
        "struct In { int p, q; }; struct Row { In in; float f[2]; long v; };\n"
        f"__constant__ Row rows[] = {{{values}}};\n{OPEN}x = rows[t].in.q + rows[1].f[1];\n"
        f"Row own[] = {{{values}}}; x += own[t].in.p;{CLOSE}"
    )


def _shared_captures(count: int) -> str:
    """Closures that hold all closures before them, by value."""
    made = joined(
        lambda i: f"auto f{i + 1} = [=]<class T>(T v) {{ return f{i}(v) + f{i}(v + T(1)) + x; }};",
        count,
    )
    return f"{OPEN}auto f0 = [=](auto v) {{ return v + t; }};\n{made}\nx = f{count}(1);{CLOSE}"


def _default_arguments(count: int) -> str:
    functions = joined(
        lambda i: f"__device__ int f{i + 1}(int v = f{i}(), int w = f{i}()) {{ return v + w; }}",
        count,
    )
    return f"__device__ int f0() {{ return 1; }}\n{functions}\n{OPEN}x = f{count}();{CLOSE}"


def _recursive_instances(count: int) -> str:
    """Variable templates and functions whose values need all smaller ones, twice."""
    return (
        "template <int N> constexpr int v = v<N - 1> + v<N - 2>;\n"
        "template <> constexpr int v<0> = 1; template <> constexpr int v<1> = 1;\n"
        "template <int N> __device__ constexpr int f() {"
        " if constexpr (N < 2) return N; else return f<N - 1>() + f<N - 2>(); }\n"
        f"{OPEN}{joined(lambda i: f'x += v<{i}> + f<{i}>();', count)}{CLOSE}"
    )


def _fibonacci(count: int) -> str:
    uses = joined(lambda i: f"__shared__ int q{i}[fib({i + 20}) % 7 + 1];", count)
    return f"constexpr int fib(int n) {{ return n < 2 ? n : fib(n - 1) + fib(n - 2); }}\n{OPEN}{uses}{CLOSE}"


CUDA: dict[str, Callable[[int], str]] = {
    "diamonds": _chain("struct B0 { int v; };", lambda i: f"struct L{i} : B{i} {{}}; struct R{i} : B{i} {{}}; struct B{i + 1} : L{i}, R{i} {{ int w{i}; }};", "B@ q; q.w1 = t; x += q.w1; __shared__ B@ w[2]; w[t & 1] = q;"),
    "virtual diamonds": _chain("struct B0 { int v; };", lambda i: f"struct L{i} : virtual B{i} {{}}; struct R{i} : virtual B{i} {{}}; struct B{i + 1} : L{i}, R{i} {{}};", "B@ q; q.v = t; x += q.v;"),
    "diamonds with destructors": _chain("struct B0 { int v; __device__ ~B0() { v = 0; } };", lambda i: f"struct L{i} : B{i} {{}}; struct R{i} : B{i} {{}}; struct B{i + 1} : L{i}, R{i} {{ __device__ int f() {{ return L{i}::f() + R{i}::f(); }} }};", "B@ q; x += q.f();"),
    "type arguments that double": _chain("template <class A, class B> struct P { A a; B b; };\ntemplate <class T> using U0 = T;", lambda i: f"template <class T> using U{i + 1} = P<U{i}<T>, U{i}<T>>;", "U@<int> q; x = sizeof(q);"),
    "template defaults that double": _chain("template <class A, class B> struct P { A *a; B *b; };\ntemplate <class T> struct D0 { T v; };", lambda i: f"template <class T, class U = P<T, T>, class V = P<U, U>> struct D{i + 1} {{ D{i}<U> u; D{i}<V> v; }};", "D@<int> q; x = sizeof(q);"),
    "traits that double": _chain("template <class T> struct C0 { using type = T; };", lambda i: f"template <class T> struct C{i + 1} {{ using type = std::conditional_t<sizeof(typename C{i}<T>::type) == 4, typename C{i}<T>::type, typename C{i}<T *>::type>; }};", "typename C@<int>::type q = t; x = q;"),
    "concepts that double": _chain("template <class T> concept C0 = sizeof(T) > 0;", lambda i: f"template <class T> concept C{i + 1} = C{i}<T> && C{i}<T *>;", "x = 1;") ,
    "constrained functions": module(lambda i: f"template <class T> requires (sizeof(T) > {i}) && std::is_integral_v<T> __device__ T f{i}(T v) {{ return v + {i}; }}", "x = f0(t);"),
    "conditions on types": lambda count: f"template <class T, int N> __device__ T f(T v) {{ {joined(lambda i: f'if constexpr (sizeof(T) > {i} && N == {i}) return v + {i}; else', count, ' ')} return v; }}\n{OPEN}x = f<int, 3>(t);{CLOSE}",
    "variable templates": _recursive_instances,
    "constant recursion": _fibonacci,
    "constant functions with loops": lambda count: "constexpr int f(int n) { int s = 0; for (int i = 0; i < 100000; i++) { for (int j = 0; j < i; j++) { s ^= i * j; if (s > n) s -= n; } } return s & 15; }\n" + OPEN + joined(lambda i: f"__shared__ int q{i}[f({i}) + 1];", count) + CLOSE,
    "names in namespaces": lambda count: joined(lambda i: f"namespace a{i} {{ struct T {{ int v[{i % 7 + 1}]; }}; constexpr int w = {i % 5 + 1}; typedef int I; }}", count) + f"\n{OPEN}{joined(lambda i: f'a{i}::T q{i}; q{i}.v[0] = a{i}::w; a{i}::I z{i} = q{i}.v[0]; x += z{i};', count)}{CLOSE}",
    "asserted constants": module(lambda i: f"static_assert(((({i} * 7 + 1) % 64) << 3) / 2 >= 0 && sizeof(float[{i + 1}]) > 0, \"m\");"),
    "default arguments that double": _default_arguments,
    "generic lambdas that double": _shared_captures,
    "table of functions": _table_of_functions,
    "overriders": _dispatched,
    "conversions": _conversions,
    "arrows": _chain("struct P0 { int v; };", lambda i: f"struct P{i + 1} {{ P{i} p; __device__ P{i} *operator->() {{ return &p; }} }};", "P@ q; x = q->v;"),
    "member chain": lambda count: f"struct N {{ N *next; int v; }};\n__global__ void k(N *p, int *o) {{ o[threadIdx.x] = p{'->next' * count}->v; }}\n",
    "chosen arrays": _chosen_arrays,
    "overlapping stores": _overlapping_stores,
    "structured bindings": _bindings,
    "written tables": _tables,
    "values in a class with many members": lambda count: f"struct S {{ int m[{count}]; float f; }};\n{OPEN}S q[{count}] = {{}}; {joined(lambda i: f'q[{i}].m[{i}] = t; x += q[{i}].m[n];', count)}{CLOSE}",
    "unions in unions": _chain("union U0 { float f; int i; };", lambda i: f"union U{i + 1} {{ U{i} a; U{i} b; struct {{ char c; U{i} d; }} e; }};", "U@ q; x = sizeof(q); __shared__ U@ w; w = q;"),
    "bit-fields": lambda count: f"struct S {{ {joined(lambda i: f'unsigned b{i} : {i % 31 + 1};', count)} }};\n{OPEN}S q; {joined(lambda i: f'q.b{i} = t;', count)} x = q.b0;{CLOSE}",
    "pasted names that double": lambda count: "#define M0(a) a##a\n" + joined(lambda i: f"#define M{i + 1}(a) M{i}(a##a)", count) + f"\n{OPEN}int M{count}(v) = 1;{CLOSE}",
    "quoted text that doubles": lambda count: "#define Q(...) #__VA_ARGS__\n#define M0(a) a\n" + joined(lambda i: f"#define M{i + 1}(a) M{i}(Q(a) Q(a))", count) + f"\n{OPEN}const char *p = M{count}(v); x = p[t];{CLOSE}",
    "macros scanned again": _evaluated_macros,
    "macros over lists": _each_macro,
    "optional macro arguments": lambda count: f"#define F(v, ...) v __VA_OPT__(+ F2(__VA_ARGS__))\n#define F2(v, ...) v __VA_OPT__(+ (__VA_ARGS__))\n{OPEN}{joined(lambda i: f'x += F({i}, t, y);', count)}{CLOSE}",
    "conditions that double": lambda count: "#define A0 1\n" + joined(lambda i: f"#define A{i + 1} (A{i} + A{i})", count) + f"\n#if A{count} > 3\n#endif\n{OPEN}{CLOSE}",
    "names in conditions": lambda count: f"#if {'(' * count}1{')' * count}\n#endif\n#if {'1 ? ' * count}1{' : 0' * count}\n#endif\n{OPEN}{CLOSE}",
    "maze": _maze,
    "labels as values": lambda count: f"{OPEN}void *p[] = {{{joined(lambda i: f'&&L{i}', count, ', ')}}};\n{joined(lambda i: f'L{i}: x += a[{i}]; goto *p[x & 1];', count)}{CLOSE}",
    "ranges of cases": lambda count: f"{OPEN}switch (x) {{ {joined(lambda i: f'case {i * 1000} ... {i * 1000 + 999}: x += {i}; break;', count)} }}{CLOSE}",
    "huge switch that jumps in": lambda count: f"{OPEN}switch (n) {{ case 0: do {{ {joined(lambda i: f'case {i + 1}: s[t] += {i};', count)} }} while (--x > 0); }}{CLOSE}",
    "counted nests": _nested_counts,
    "long numbers": lambda count: f"{OPEN}x = {'9' * count}; y = 0x{'f' * count}; o[0] = 1.{'3' * count}e{'9' * count}f; x += 0b{'1' * count};{CLOSE}",
    "digits that are parted": body(lambda i: f"x += 1'{i:03}'{i:03}u; o[{i}] = 0x1.8p{i}f + 1e-{i}f + {i}.e+38f;"),
    "many letters": lambda count: f"{OPEN}x = '{'ab' * count}'; y = u8R\"q({'ab' * count})q\"[t];{CLOSE}",
    "assignments in a row": lambda count: f"{OPEN}{'x = y = ' * count}t; {'x++, ' * count}y++;{CLOSE}",
    "folded packs": lambda count: f"template <class... T> __device__ int sum(T... v) {{ return (... + (v * 2)) + sizeof...(v); }}\n{OPEN}x = sum({joined(str, count, ', ')});{CLOSE}",
    "packs of packs": _chain("template <class... T> struct L {}; template <class... T> __device__ int f0(L<T...>) { return sizeof...(T); }", lambda i: f"template <class... T> __device__ int f{i + 1}(L<T...>) {{ return f{i}(L<T..., T...>()); }}", "x = f@(L<int, float>());"),
    "index sequences": body(lambda i: f"{{ auto q = std::make_index_sequence<{i + 100000}>(); x += sizeof(q); }}"),
    "aliases of namespaces": lambda count: "namespace a0 { __device__ int f(int v) { return v; } }\n" + joined(lambda i: f"namespace a{i + 1} = a{i};", count) + f"\n{OPEN}x = a{count}::f(t);{CLOSE}",
    "inline namespaces": lambda count: joined(lambda i: f"inline namespace a{i} {{ __device__ int f{i}(int v) {{ return v; }}", count) + "}" * count + f"\n{OPEN}{joined(lambda i: f'x += f{i}(t);', count)}{CLOSE}",
    "operands of assembly": lambda count: f"{OPEN}asm volatile(\"{'add.u32 %0, %0, %1; ' * count}\" : \"+r\"(x) : \"r\"(y)); asm volatile(\"bar.sync 0;\" : : {joined(lambda i: f'{chr(34)}r{chr(34)}(a[{i}])', count, ', ')});{CLOSE}",
    "barriers of assembly": body(lambda i: f"s[t] = {i}; asm volatile(\"bar.sync {i % 16}, 128;\" ::: \"memory\"); x += s[t ^ 1];"),
    "tiles of groups": body(lambda i: f"{{ auto g = cooperative_groups::tiled_partition<{1 << i % 6}>(cooperative_groups::this_thread_block()); x += g.shfl_down(x, {i}); g.sync(); }}"),
    "matrix fragments": body(lambda i: f"{{ nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> f{i}; nvcuda::wmma::load_matrix_sync(f{i}, (half *)o + {i}, 16); }}"),
    "recursion in a kernel": lambda count: joined(lambda i: f"__device__ int f{i}(int v);", count) + "\n" + joined(lambda i: f"__device__ int f{i}(int v) {{ if (v > {i}) return f{(i + 1) % count}(v - 1) + f{i}(v - 2); return v; }}", count) + f"\n{OPEN}{joined(lambda i: f'x += f{i}(t);', count)}{CLOSE}",
    "arguments of bounds": lambda count: joined(lambda i: f"template <int N> __global__ void __launch_bounds__(N * {i % 4 + 1} > 512 ? 512 : N * {i % 4 + 1}) k{i}(float *o) {{ __shared__ float s[N]; s[threadIdx.x] = o[{i}]; __syncthreads(); o[threadIdx.x] = s[N - 1 - threadIdx.x]; }} template __global__ void k{i}<{i % 64 + 32}>(float *);", count),
    "host tables": lambda count: f"{OPEN}{CLOSE}int main() {{ std::vector<int> v = {{{joined(str, count, ', ')}}}; int w[] = {{{joined(str, count, ', ')}}}; for (int i : v) k<<<i, w[3]>>>(0, 0, i); }}\n",
    "host switches": lambda count: f"{OPEN}{CLOSE}int main(int n, char **) {{ int b = 0; for (int i = 0; i < n; i++) switch (i % 7) {{ {joined(lambda i: f'case {i}: b += {i}; k<<<b, 32>>>(0, 0, i);', count)} }} }}\n",
    "host lambdas": lambda count: f"{OPEN}{CLOSE}int main(int n, char **) {{ auto f0 = [&](int b) {{ k<<<b, 32>>>(0, 0, n); }};\n" + joined(lambda i: f"auto f{i + 1} = [&](int b) {{ f{i}(b); f{i}(b + 1); }};", count) + f"f{count}(n); }}\n",
    "host templates": lambda count: f"{OPEN}{CLOSE}template <int N> void f0(int n) {{ k<<<N, 32>>>(0, 0, n); }}\n" + joined(lambda i: f"template <int N> void f{i + 1}(int n) {{ f{i}<N>(n); f{i}<N + 1>(n); }}", count) + f"\nint main() {{ f{count}<1>(2); }}\n",
    "attributes of all kinds": body(lambda i: f"[[maybe_unused, gnu::aligned({1 << i % 8})]] alignas({1 << i % 8}) int v{i} = t; [[likely]] x += v{i};"),
    "exceptions": body(lambda i: f"try {{ x += a[{i}]; }} catch (const E{i} &e) {{ throw; }} catch (...) {{ x = {i}; }}"),
}  # fmt: skip


def _chosen_symbols(count: int) -> str:
    variables = joined(lambda i: f".shared .align 4 .b8 v{i}[64];", count)
    choices = joined(
        lambda i: f"mov.u32 %r3, v{i}; setp.gt.s32 %p1, %r1, {i}; selp.b32 %r4, %r3, %r4, %p1;",
        count,
    )
    uses = joined(lambda i: f"st.shared.u32 [%r4+{4 * i}], %r1; bar.sync 0;", count)
    return f"{PTX}{variables}\nmov.u32 %r4, s;\n{choices}\n{uses}\nret;\n}}\n"


def _indirect_calls(count: int) -> str:
    functions = joined(lambda i: f".func f{i}() {{ ret; }}", count)
    names = joined(lambda i: f"f{i}", count, ", ")
    calls = joined(lambda i: "call (), %rd2, (), T;", count)
    return (
        PTX.replace(".visible", f"{functions}\n.visible")
        + f"T: .calltargets {names};\nmov.u64 %rd2, f0;\n{calls}\nret;\n}}\n"
    )


def _ptx_maze(count: int) -> str:
    lines = joined(
        lambda i: (
            f"L{i}: st.shared.u32 [s+{4 * i % 4096}], %r2; bar.sync 0; ld.shared.u32 %r2, [s+{8 * i % 4096}];"
            f" setp.gt.s32 %p1, %r2, {i};\n@%p1 bra L{(i * 7919 + 13) % count};"
        ),
        count,
    )
    return f"{PTX}{lines}\nret;\n}}\n"


def _inlined_places(count: int) -> str:
    files = joined(lambda i: f'.file {i + 1} "a{i}.cu", {i}, {i}', count)
    places = joined(
        lambda i: (
            f"$L{i}: .loc {i + 1} {i + 1} 3, function_name $L{i}, inlined_at {max(i, 1)}"
            f" {max(i, 1)} 3\nld.global.u32 %r2, [%rd1+{4 * i}];"
        ),
        count,
    )
    return f"{PTX}{places}\nret;\n}}\n{files}\n"


PTX_INPUTS: dict[str, Callable[[int], str]] = {
    "vector moves": ptx(lambda i: "mov.b64 {%r3, %r4}, %rd1; mov.b64 %rd2, {%r4, %r3}; mov.b32 {%h1, %h2}, %r3; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1]; st.global.v2.u64 [%rd1], {%rd2, %rd2};"),
    "chosen symbols": _chosen_symbols,
    "indirect calls": _indirect_calls,
    "maze": _ptx_maze,
    "places of inlined functions": _inlined_places,
    "long pragma": ptx(lambda i: f'.pragma "{"used_bytes_mask " * 50}{i}";'),
    "list of pragmas": lambda count: f"{PTX}.pragma {joined(lambda i: f'{chr(34)}nounroll{i}{chr(34)}', count, ', ')};\nret;\n}}\n",
    "wide groups of registers": ptx(lambda i: f"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{{', '.join(f'%f{n % 100}' for n in range(128))}}}, %rd1, %rd2, 1, 1, 1, 0, 0;"),
    "nested initialisers": lambda count: PTX.replace(".visible", f".global .u32 v{'[2]' * 8} = {{{joined(lambda i: f'{{{{{i}, 1}}, {{2, 3}}}}', count, ', ')}}};\n.visible") + "ret;\n}\n",
    "initialisers with sums": lambda count: PTX.replace(".visible", f".global .u8 w[4];\n.global .u64 v[] = {{{joined(lambda i: f'generic(w)+{i}', count, ', ')}}};\n.visible") + "ret;\n}\n",
    "long numbers": lambda count: f"{PTX}mov.u64 %rd2, {'9' * count}; mov.u32 %r2, 0x{'f' * count}U; add.f32 %f1, %f1, 0f{'3' * count}; add.f32 %f1, %f1, 1.{'1' * count}e{'9' * count};\nret;\n}}\n",
    "long names": lambda count: PTX.replace(".visible", f".global .u32 {'v' * count};\n.visible") + f"mov.u64 %rd2, {'v' * count};\nret;\n}}\n",
    "registers that are declared": ptx(lambda i: f".reg .b32 %a{i}<4000000>; mov.u32 %a{i}1, %r1;"),
    "directives of an entry": lambda count: PTX.replace("k(.param .u64 a)", f"k(.param .u64 a) {joined(lambda i: f'.maxntid {i + 1}, 1, 1 .minnctapersm {i + 1}', count, ' ')}") + "ret;\n}\n",
    "targets": lambda count: PTX.replace(".target sm_80", f".target sm_80{', texmode_independent' * count}\n" + ".target sm_80\n" * count) + "ret;\n}\n",
    "long tables of branches in loops": lambda count: f"{PTX}t: .branchtargets {joined(lambda i: f'L{i}', count, ', ')};\n{joined(lambda i: f'L{i}: add.s32 %r2, %r2, {i}; setp.lt.s32 %p1, %r2, %r1; @%p1 brx.idx %r1, t;', count)}\nret;\n}}\n",
    "guarded by many": ptx(lambda i: f"{{ .reg .pred q{i}; setp.gt.s32 q{i}, %r1, {i}; @q{i} st.global.u32 [%rd1+{4 * i}], %r1; @!q{i} bar.sync 0; }}"),
    "bytes of parameters": lambda count: PTX.replace("(.param .u64 a)", f"(.param .u64 a, .param .align 16 .b8 p[{4 * count}])") + joined(lambda i: f"ld.param.v4.u32 {{%r3, %r4, %r5, %r6}}, [p+{4 * i // 16 * 16}]; add.s32 %r2, %r2, %r4;", count) + "\nst.global.u32 [%rd1], %r2;\nret;\n}\n",
    "bits": ptx(lambda i: f"lop3.b32 %r2, %r2, %r1, {i}, {i % 256}; prmt.b32 %r3, %r2, %r1, {i % 65536}; bfi.b32 %r2, %r3, %r2, {i % 32}, 3; shf.l.wrap.b32 %r2, %r2, %r3, {i % 32};"),
    "generic addresses": ptx(lambda i: f"cvta.shared.u64 %rd2, %rd1; isspacep.shared %p1, %rd2; @%p1 ld.u32 %r2, [%rd2+{4 * i}]; cvta.to.shared.u64 %rd1, %rd2;"),
    "circles of aliases": ptx_module(lambda i: f".visible .func f{i}();\n.alias f{i}, f{i + 1};"),
}  # fmt: skip
