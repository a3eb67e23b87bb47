"""Inputs that grow without end: one generator for each construct, for `growth.py`.

Each gives the text of a file for a number of repetitions. Texts are what a hostile or a careless
generator would write: one construct, over and over, deeper and deeper or side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Piece = Callable[[int], str]

OPEN = (
    "__global__ void k(float *o, const float *a, int n) {\n"
    "int t = threadIdx.x; int x = 0; int y = blockIdx.x; __shared__ float s[256];\n"
)
CLOSE = "\no[t] = x + y + s[t];\n}\n"
PTX = (
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<100000>; .reg .pred %p<10>;"
    " .reg .b64 %rd<20>; .reg .f32 %f<100>; .shared .align 16 .b8 s[4096];\n"
    "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n"
)


def joined(piece: Piece, count: int, between: str = "\n") -> str:
    return between.join(map(piece, range(count)))


def body(piece: Piece, between: str = "\n") -> Callable[[int], str]:
    """Statements one after the other in one kernel."""
    return lambda count: OPEN + joined(piece, count, between) + CLOSE


def nested(before: Piece, inner: str, after: str) -> Callable[[int], str]:
    """Statements inside of each other."""
    return lambda count: OPEN + joined(before, count, "") + inner + after * count + CLOSE


def _expression(before: str, inner: str, after: str) -> Callable[[int], str]:
    return lambda count: f"{OPEN}x = {before * count}{inner}{after * count};{CLOSE}"


def module(piece: Piece, end: str = "") -> Callable[[int], str]:
    """Declarations of a file, and a kernel behind them."""
    return lambda count: f"{joined(piece, count)}\n{OPEN}{end}{CLOSE}"


def ptx(piece: Piece) -> Callable[[int], str]:
    """Statements one after the other in one entry."""
    return lambda count: f"{PTX}{joined(piece, count)}\nst.global.u32 [%rd1], %r2;\nret;\n}}\n"


def ptx_module(piece: Piece) -> Callable[[int], str]:
    return lambda count: PTX.replace(".visible", joined(piece, count) + "\n.visible") + "ret;\n}\n"


def _switch(piece: Piece) -> Callable[[int], str]:
    return lambda count: f"{OPEN}switch (t) {{\n{joined(piece, count)}\n}}{CLOSE}"


def _gotos(count: int) -> str:
    lines = joined(lambda i: f"L{i}: if (a[{i}] > t) goto L{(i * 7 + 3) % count};", count)
    return OPEN + lines + CLOSE


def _ptx_branches(count: int) -> str:
    lines = joined(
        lambda i: f"L{i}:\nsetp.gt.s32 %p1, %r1, {i};\n@%p1 bra L{(i * 37 + 11) % count};",
        count,
    )
    return f"{PTX}{lines}\nret;\n}}\n"


def _ptx_table(count: int) -> str:
    labels = joined(lambda i: f"L{i}", count, ", ")
    lines = joined(lambda i: f"L{i}:\nadd.s32 %r2, %r2, {i};", count)
    return f"{PTX}t: .branchtargets {labels};\nbrx.idx %r1, t;\n{lines}\nret;\n}}\n"


CUDA: dict[str, Callable[[int], str]] = {
    "assignments": body(lambda i: f"x = x * 3 + {i};"),
    "doubling sums": body(lambda i: "x = x + y; y = y + x;"),
    "loads and stores": body(lambda i: f"o[t + {i}] = a[t + {i}];"),
    "shared accesses": body(lambda i: f"s[(t + {i}) % 256] = s[(t * {i}) % 256];"),
    "barriers": body(lambda i: f"s[t] = a[{i}]; __syncthreads(); x += s[255 - t];"),
    "barriers in branches": body(lambda i: f"if (t < {i}) {{ __syncthreads(); }}"),
    "branches": body(lambda i: f"if (a[{i}] > t) x += {i}; else y -= {i};"),
    "early returns": body(lambda i: f"if (x > {i}) return; x += a[{i}];"),
    "continued loops": lambda count: OPEN + "for (int i = 0; i < n; i++) {\n" + joined(lambda i: f"if (a[{i}] > x) continue; x += t;", count) + "}" + CLOSE,
    "left loops": lambda count: OPEN + "for (int i = 0; i < n; i++) {\n" + joined(lambda i: f"if (a[i + {i}] > x) break; x += t;", count) + "}" + CLOSE,
    "decisions with barriers": body(lambda i: f"if (blockIdx.x == {i}) {{ s[t] = a[{i}]; __syncthreads(); x += s[t ^ 1]; }}"),
    "loops": body(lambda i: f"for (int i = 0; i < n; i++) x += a[i + {i}];"),
    "halving loops": body(
        lambda i: "for (int m = 128; m > 0; m >>= 1) {"
        " if (t < m) s[t] += s[t + m]; __syncthreads(); }"
    ),
    "while loops": body(lambda i: f"while (x < {i}) x += a[x];"),
    "nested loops": nested(lambda i: f"for (int i{i} = 0; i{i} < n; i{i}++) ", "x++;", ""),
    "nested branches": nested(lambda i: f"if (a[{i}] > t) {{ ", "x++;", "}"),
    "nested blocks": nested(lambda i: "{", "x++;", "}"),
    "else if": body(lambda i: f"if (t == {i}) x = {i};", " else "),
    "falling switch": _switch(lambda i: f"case {i}: x += a[{i}];"),
    "returning switch": _switch(lambda i: f"case {i}: x = a[{i}]; if (x > t) return; break;"),
    "switch in a loop": lambda count: OPEN + "for (int i = 0; i < n; i++) switch (i) {\n" + joined(lambda i: f"case {i}: s[t] += a[{i}]; break;", count) + "}" + CLOSE,
    "breaking switch": _switch(lambda i: f"case {i}: x = a[{i}]; break;"),
    "empty cases": _switch(lambda i: f"case {i}:"),
    "gotos": _gotos,
    "arrays": body(lambda i: f"__shared__ float s{i}[32]; s{i}[t & 31] = t;"),
    "local arrays": body(lambda i: f"float l{i}[4]; l{i}[t & 3] = x; x += l{i}[1];"),
    "variables": body(lambda i: f"float v{i} = a[{i}]; x += v{i};"),
    "atomics": body(lambda i: f"atomicAdd(&o[t % {i + 1}], 1.0f);"),
    "shuffles": body(lambda i: f"x += __shfl_xor_sync(0xffffffff, x, {i % 32});"),
    "inline assembly": body(lambda i: f'asm volatile("add.s32 %0, %0, {i};" : "+r"(x));'),
    "printing": body(lambda i: f'printf("%d {i}", x);'),
    "lambdas": body(lambda i: f"auto f{i} = [=](int v) {{ return v + {i}; }}; x += f{i}(t);"),
    "ternaries": body(lambda i: f"x = a[{i}] > t ? x : y;"),
    "nested ternaries": _expression("t > 1 ? ", "x", " : y"),
    "long sum": _expression("", "x", " + t"),
    "parentheses": _expression("(", "x", ")"),
    "casts": _expression("(int)", "x", ""),
    "cast statements": body(lambda i: f"x = (int)(float)(unsigned)(char)x + {i};"),
    "minus signs": _expression("- ", "x", ""),
    "calls in calls": _expression("min(t, ", "x", ")"),
    "subscripts": _expression("s[", "t", "]"),
    "comparisons": _expression("", "a", " < b"),
    "logic": _expression("", "x", " && t"),
    "strings": lambda count: f'{OPEN}const char *p = "{"ab" * count}"; x = p[t];{CLOSE}',
    "string arrays": lambda count: f'{OPEN}const char p[] = "{"ab" * count}"; x = p[t];{CLOSE}',
    "escapes": lambda count: f'{OPEN}const char p[] = "{(chr(92) + "x41") * count}"; x = p[t];{CLOSE}',
    "broken escapes": lambda count: f'{OPEN}const char p[] = "{(chr(92) + "u") * count}";{CLOSE}',
    "many strings": body(lambda i: f'x += "abc{i}"[t & 1];'),
    "comments": module(lambda i: f"/* {i} */ // {'/' * 40}"),
    "slashes": lambda count: f"#incl{'/' * count}\n{OPEN}{CLOSE}",
    "blanks": lambda count: " \t" * count + OPEN + CLOSE,
    "blank lines": lambda count: OPEN + "\n" * count + CLOSE,
    "continued lines": lambda count: f"#define A {chr(92)}\n" + f"1 + {chr(92)}\n" * count + "1\n" + OPEN + "x = A;" + CLOSE,
    "#if nests": lambda count: "#if N > 1\n" * count + "#endif\n" * count + OPEN + CLOSE,
    "#if in a row": module(lambda i: f"#if N > {i}\nint v{i};\n#endif"),
    "#elif": lambda count: "#if 0\n" + joined(lambda i: f"#elif X == {i}\nint v{i};", count) + "\n#endif\n" + OPEN + CLOSE,
    "long condition": lambda count: f"#if 1{' && defined(A)' * count}\n#endif\n{OPEN}{CLOSE}",
    "macros": module(lambda i: f"#define M{i} {i}"),
    "macro chain": lambda count: "#define M0 1\n" + joined(lambda i: f"#define M{i + 1} (M{i}+1)", count) + f"\n{OPEN}x = M{count};{CLOSE}",
    "doubling macros": lambda count: "#define M0 a[t]\n" + joined(lambda i: f"#define M{i + 1} (M{i}+M{i})", count) + f"\n{OPEN}x = M{count};{CLOSE}",
    "macro uses": lambda count: "#define ADD(v) x += v; y += v;\n" + body(lambda i: f"ADD({i})")(count),
    "macro arguments": lambda count: f"#define F(v) (v)\n{OPEN}x = {'F(' * count}t{')' * count};{CLOSE}",
    "unclosed macros": lambda count: f"#define F(v) (v)\n{OPEN}x = {'F(' * count}t;{CLOSE}",
    "macro bodies without an end": lambda count: f"#define F(v) v\n#define G {'F( ' * count}\n{OPEN}x = G;\nx = G;{CLOSE}",
    "nested macro uses": lambda count: f"#define F(...) __VA_ARGS__\n{OPEN}{'F(x++; ' * count}{')' * count};{CLOSE}",
    "open macros": lambda count: "#define M0 (\n" + joined(lambda i: f"#define M{i + 1} M{i} ; M{i}", count) + "\n" + OPEN + CLOSE,
    "structs in structs": lambda count: "struct S0 { float v; };\n" + joined(lambda i: f"struct S{i + 1} {{ S{i} a, b; }};", count) + f"\n{OPEN}S{count} q; __shared__ S{count} w[4]; w[t & 3] = q;{CLOSE}",
    "members": lambda count: f"struct S {{ {joined(lambda i: f'int m{i};', count)} }};\n{OPEN}S q; q.m1 = t; x += q.m0;{CLOSE}",
    "classes": module(lambda i: f"struct C{i} {{ int v; __device__ int f() {{ return v + {i}; }} }};"),
    "bases": lambda count: "struct B0 { int v; };\n" + joined(lambda i: f"struct B{i + 1} : B{i} {{ int w{i}; }};", count) + f"\n{OPEN}B{count} q; q.v = t; x += q.v;{CLOSE}",
    "nested namespaces": lambda count: f"namespace {joined(lambda i: f'a{i}', count, '::')} {{ struct S {{}}; }}\n{OPEN}{CLOSE}",
    "namespaces with kernels": lambda count: joined(lambda i: f"namespace a{i} {{ __global__ void k(float *o) {{ o[threadIdx.x] = {i}; }}", count) + "}" * count,
    "classes in classes": lambda count: joined(lambda i: f"struct C{i} {{", count, " ") + "};" * count + OPEN + CLOSE,
    "namespaces": lambda count: "namespace a { " * count + "}" * count + OPEN + CLOSE,
    "typedefs": lambda count: "typedef int T0;\n" + joined(lambda i: f"typedef T{i} T{i + 1};", count) + f"\n{OPEN}T{count} q = t; x += q;{CLOSE}",
    "constants": lambda count: "constexpr int c0 = 1;\n" + joined(lambda i: f"constexpr int c{i + 1} = c{i} + c{i};", count) + f"\n{OPEN}__shared__ int q[c{count}]; q[t] = c{count};{CLOSE}",
    "constants twice": lambda count: "constexpr int c0 = 1;\n" + joined(lambda i: f"constexpr int c{i + 1} = c{i} > 0 ? c{i} - 1 : c{i};", count) + f"\n{OPEN}x = c{count};{CLOSE}",
    "enumerators": lambda count: f"enum E {{ {joined(lambda i: f'e{i}', count, ', ')} }};\n{OPEN}x = e{count - 1};{CLOSE}",
    "enumerators that add": lambda count: f"enum E {{ e0 = 1, {joined(lambda i: f'e{i + 1} = e{i} + e{i}', count, ', ')} }};\n{OPEN}x = e{count};{CLOSE}",
    "initialisers": lambda count: f"__constant__ int c[] = {{{joined(str, count, ', ')}}};\n{OPEN}x = c[t];{CLOSE}",
    "local initialisers": lambda count: f"{OPEN}int c[] = {{{joined(str, count, ', ')}}}; x = c[t];{CLOSE}",
    "nested initialisers": lambda count: f"int c = {'{' * count}1{'}' * count};\n{OPEN}{CLOSE}",
    "dimensions": lambda count: f"{OPEN}__shared__ int q{'[2]' * count}; x = 1;{CLOSE}",
    "pointers to pointers": lambda count: f"{OPEN}int {'*' * count}q = 0; x = q != 0;{CLOSE}",
    "parameters": lambda count: f"__global__ void k({joined(lambda i: f'int *p{i}', count, ', ')}) {{ p0[threadIdx.x] = p1[0]; }}\n",
    "kernels": lambda count: joined(lambda i: f"__global__ void k{i}(float *o) {{ o[threadIdx.x] = {i}; }}", count),
    "same kernels": lambda count: joined(lambda i: "__global__ void k(float *o) { o[threadIdx.x] = 1; } int main() { k<<<1, 64>>>(0); k<<<2, 32>>>(0); }", count),
    "shared kernels": lambda count: joined(lambda i: f"__global__ void k{i}(float *o) {{ __shared__ float s[64]; s[threadIdx.x] = o[{i}]; __syncthreads(); o[threadIdx.x] = s[63 - threadIdx.x]; }}", count),
    "launches": lambda count: f"{OPEN}{CLOSE}int main() {{ {joined(lambda i: f'k<<<{i + 1}, 64>>>(0, 0, {i});', count)} }}\n",
    "launch functions": lambda count: f"{OPEN}{CLOSE}" + joined(lambda i: f"void f{i}(int n) {{ k<<<n, 64>>>(0, 0, {i}); }}", count),
    "host calls": lambda count: f"{OPEN}{CLOSE}void f0(int n) {{ k<<<n, 64>>>(0, 0, n); }}\n" + joined(lambda i: f"void f{i + 1}(int n) {{ f{i}(n + 1); f{i}(n + 2); }}", count),
    "device functions": module(lambda i: f"__device__ int f{i}(int v) {{ return v + {i}; }}"),
    "calls": lambda count: f"__device__ int f(int v) {{ return v * 3; }}\n{OPEN}{joined(lambda i: f'x += f({i});', count)}{CLOSE}",
    "call chain": lambda count: "__device__ int f0(int v) { return v; }\n" + joined(lambda i: f"__device__ int f{i + 1}(int v) {{ return f{i}(v) + f{i}(v + 1); }}", count) + f"\n{OPEN}x = f{count}(t);{CLOSE}",
    "kernel overloads": lambda count: joined(lambda i: f"struct T{i} {{}}; __global__ void k(T{i} v, float *o) {{ o[threadIdx.x] = {i}; }}", count) + "\nint main() {\n" + joined(lambda i: f"k<<<1, 32>>>(T{i}(), 0);", count) + "}\n",
    "overloads": lambda count: joined(lambda i: f"struct T{i} {{}}; __device__ int f(T{i} v) {{ return {i}; }}", count) + f"\n{OPEN}x = f(T{count - 1}());{CLOSE}",
    "templates": module(lambda i: f"template <int N{i}> __device__ int f{i}(int v) {{ return v + N{i}; }}", "x = f0<3>(t);"),
    "template arguments": lambda count: f"template <typename T> struct A {{ T v; }};\n{OPEN}{'A<' * count}int{'>' * count} q; x = 1;{CLOSE}",
    "template instances": lambda count: f"template <int N> __global__ void q(int *p) {{ p[N] = N; }}\nint main() {{ {joined(lambda i: f'q<{i}><<<1, 32>>>(0);', count)} }}\n",
    "template recursion": lambda count: "template <int N> struct F { static const int v = F<N - 1>::v + F<N - 2>::v; };\ntemplate <> struct F<0> { static const int v = 1; };\ntemplate <> struct F<1> { static const int v = 1; };\n" + OPEN + joined(lambda i: f"x += F<{i}>::v;", count) + CLOSE,
    "using": module(lambda i: f"using U{i} = float[{i + 1}];"),
    "stray brackets": lambda count: f"{OPEN}{CLOSE}{')' * count}",
    "open brackets": lambda count: f"{OPEN}{CLOSE}int v = {'(' * count}",
    "open braces": lambda count: f"{OPEN}{CLOSE}void f() {'{' * count}",
    "open angles": lambda count: f"{OPEN}{CLOSE}int v = {'a < ' * count}1;",
    "nested template heads": lambda count: f"{'template<' * count}int{'>' * count} struct Q {{}};\n{OPEN}{CLOSE}",
    "open templates": lambda count: f"{OPEN}{CLOSE}{'template<' * count}",
    "odd characters": lambda count: OPEN + "@ $ ` " * count + CLOSE,
    "broken statements": body(lambda i: "int 3 = ;"),
    "nested suppressions": module(lambda i: "// warplint: ignore-begin[GLB001] because"),
    "lone suppressions": module(lambda i: "// warplint: ignore[GLB001] because"),
    "file suppressions": module(lambda i: f"// warplint: ignore-file[SHM{i % 10:03}] because"),
    "crossed suppressions": lambda count: OPEN + joined(lambda i: f"// warplint: ignore-begin[A{i}]", count) + joined(lambda i: f"\n// warplint: ignore-end[B{i}]", count) + CLOSE,
    "long suppression": lambda count: f"{OPEN}// warplint: ignore[{joined(lambda i: f'GLB{i:03}', count, ', ')}] because\nx += a[t];{CLOSE}",
    "suppressions left out": lambda count: joined(lambda i: "#if 0\n// warplint: ignore-file[GLB001]\n#endif", count) + "\n" + OPEN + CLOSE,
    "suppressions": body(lambda i: f"x += {i}; // warplint: ignore[GLB001] because {i}"),
    "semicolons": lambda count: OPEN + ";" * count + CLOSE,
    "attributes": module(lambda i: f"__attribute__((aligned({1 << i % 8}))) int v{i};"),
    "raw strings": body(lambda i: f'x += R"x(a{i})x"[0];'),
    "unfinished raw strings": lambda count: OPEN + 'R"a( ' * count + CLOSE,
    "includes": module(lambda i: f'#include "none{i}.h"'),
    "pragmas": body(lambda i: "#pragma unroll 2\nfor (int i = 0; i < 4; i++) x += i;"),
    "cooperative groups": body(lambda i: "{ auto g = cooperative_groups::this_thread_block(); g.sync(); }"),
}  # fmt: skip

PTX_INPUTS: dict[str, Callable[[int], str]] = {
    "additions": ptx(lambda i: f"add.s32 %r2, %r2, {i};"),
    "doublings": ptx(lambda i: "add.s32 %r2, %r2, %r3; add.s32 %r3, %r3, %r2;"),
    "registers": ptx(lambda i: f"add.s32 %r{i + 3}, %r{i + 2}, 1;"),
    "global accesses": ptx(lambda i: f"ld.global.f32 %f1, [%rd1+{4 * i}]; st.global.f32 [%rd1+{4 * i}], %f1;"),
    "shared accesses": ptx(lambda i: f"st.shared.u32 [s+{4 * i % 4096}], %r1; ld.shared.u32 %r2, [s+{8 * i % 4096}];"),
    "barriers": ptx(lambda i: f"st.shared.u32 [s+{4 * i % 4096}], %r1; bar.sync 0;"),
    "branches": _ptx_branches,
    "forward branches": ptx(lambda i: f"setp.gt.s32 %p1, %r1, {i}; @%p1 bra N{i};\nadd.s32 %r2, %r2, 1;\nN{i}:"),
    "back branches": ptx(lambda i: f"B{i}:\nadd.s32 %r2, %r2, 1;\nsetp.gt.s32 %p1, %r2, {i}; @%p1 bra B{i};"),
    "nested loops": lambda count: PTX + joined(lambda i: f"B{i}:", count) + joined(lambda i: f"\nsetp.gt.s32 %p1, %r1, {i}; @%p1 bra B{count - 1 - i};", count) + "\nret;\n}\n",
    "branch table": _ptx_table,
    "labels": ptx(lambda i: f"L{i}:"),
    "guards": ptx(lambda i: "@%p1 add.s32 %r2, %r2, 1; @!%p1 add.s32 %r2, %r2, 2;"),
    "selections": ptx(lambda i: "setp.lt.s32 %p1, %r2, %r1; selp.b32 %r2, %r2, %r1, %p1;"),
    "calls": lambda count: ptx(lambda i: "call f, ();")(count).replace(".visible", ".func f() { ret; }\n.visible"),
    "call chain": lambda count: ptx(lambda i: f"call f{count}, ();")(1).replace(".visible", ".func f0() { ret; }\n" + joined(lambda i: f".func f{i + 1}() {{ call f{i}, (); call f{i}, (); ret; }}", count) + "\n.visible"),
    "parameters of calls": ptx(lambda i: "{ .param .b32 p; st.param.b32 [p], %r1; call.uni g, (p); }"),
    "scopes": ptx(lambda i: "{ .reg .b32 t; mov.u32 t, %r2; }"),
    "nested scopes": lambda count: PTX + "{" * count + "}" * count + "ret;\n}\n",
    "shared variables": ptx_module(lambda i: f".shared .b8 v{i}[16];"),
    "used shared variables": lambda count: ptx(lambda i: f"st.shared.u32 [v{i}], %r1;")(count).replace(".visible", joined(lambda i: f".shared .b8 v{i}[16];", count) + "\n.visible"),
    "initialised variables": ptx_module(lambda i: f".global .u32 v{i}[2] = {{1, {i}}};"),
    "long initialiser": lambda count: PTX.replace(".visible", f".global .u8 v[] = {{{joined(lambda i: str(i % 256), count, ', ')}}};\n.visible") + "ret;\n}\n",
    "entries": lambda count: PTX + "ret;\n}\n" + joined(lambda i: f".visible .entry k{i}(.param .u64 a) {{ .reg .b64 %rd<3>; ld.param.u64 %rd1, [a]; st.global.u64 [%rd1], %rd1; ret; }}", count),
    "functions": ptx_module(lambda i: f".func (.reg .b32 %o) f{i}(.reg .b32 %i) {{ add.s32 %o, %i, 1; ret; }}"),
    "entry parameters": lambda count: PTX.replace("(.param .u64 a)", f"(.param .u64 a, {joined(lambda i: f'.param .u32 p{i}', count, ', ')})") + "ret;\n}\n",
    "places": ptx(lambda i: f".loc 1 {i} 3\nadd.s32 %r2, %r2, 1;"),
    "comments": ptx(lambda i: f"// {'x' * 40}"),
    "blanks": lambda count: PTX + " \t" * count + "ret;\n}\n",
    "expressions": lambda count: f"{PTX}mov.u32 %r2, {'(' * count}1{')' * count};\nret;\n}}\n",
    "long expression": lambda count: f"{PTX}mov.u32 %r2, 1{' + 1' * count};\nret;\n}}\n",
    "vectors": ptx(lambda i: "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; st.global.v4.f32 [%rd1], {%f4, %f3, %f2, %f1};"),
    "shuffles": ptx(lambda i: f"shfl.sync.bfly.b32 %r2, %r2, {i % 32}, 31, -1;"),
    "atomics": ptx(lambda i: f"atom.global.add.u32 %r2, [%rd1+{4 * i}], 1;"),
    "copies": ptx(lambda i: f"cp.async.ca.shared.global [s+{16 * i % 4096}], [%rd1], 16; cp.async.commit_group;"),
    "mbarriers": ptx(lambda i: f"mbarrier.init.shared.b64 [s+{8 * i % 4096}], 1;"),
    "matrices": ptx(lambda i: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};"),
    "odd statements": ptx(lambda i: f"zzz{i} %r1;"),
    "broken statements": ptx(lambda i: "add , ;"),
    "unfinished": lambda count: PTX + "add.s32 %r2, " * count,
    "dotted labels": lambda count: PTX + joined(lambda i: f"$L{i}: bra $L{i + 1};", count) + f"\n$L{count}:\nret;\n}}\n",
    "tables": lambda count: PTX + joined(lambda i: f"t{i}: .branchtargets L0, L1; brx.idx %r1, t{i};", count) + "\nL0: ret;\nL1: ret;\n}\n",
    "debug places": lambda count: ptx(lambda i: f".loc 1 {i} 3, function_name $L, inlined_at 1 {i} 3\nadd.s32 %r2, %r2, 1;")(count),
    "pragmas": ptx(lambda i: '.pragma "nounroll";'),
    "quotes": lambda count: PTX + '"' * count + "ret;\n}\n",
    "open comments": lambda count: PTX + "/* " * count + "ret;\n}\n",
    "predicates": ptx(lambda i: "setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3; and.pred %p3, %p1, %p2;"),
    "sections": lambda count: PTX + "ret;\n}\n" + ".section .debug_info {\n" + ".b8 1,2,3\n" * count + "}\n",
    "local memory": ptx(lambda i: f".local .align 4 .b8 l{i}[16]; st.local.u32 [l{i}], %r1;"),
    "addresses": ptx(lambda i: "mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3];"),
}  # fmt: skip
