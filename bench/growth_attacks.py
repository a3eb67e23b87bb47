"""More inputs that grow without end, for `growth.py`: what somebody writes who means harm.

Where `growth_inputs.py` repeats or nests one construct, these multiply: functions that are inlined
where they are called, names that are looked for in ever more places, instances, and tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from growth_inputs import CLOSE, OPEN, PTX, body, joined, nested, ptx, ptx_module

if TYPE_CHECKING:
    from collections.abc import Callable


def _instances(count: int) -> str:
    functions = joined(
        lambda i: (
            f"template <int N> __device__ int f{i + 1}(int v)"
            f" {{ return f{i}<N + 1>(v) + f{i}<N + 2>(v); }}"
        ),
        count,
    )
    return (
        "template <int N> __device__ int f0(int v) { return v + N; }\n"
        f"{functions}\n{OPEN}x = f{count}<1>(t);{CLOSE}"
    )


def _class_instances(count: int) -> str:
    classes = joined(
        lambda i: f"template <class T> struct A{i + 1} {{ A{i}<T*> a; A{i}<T&> b; }};", count
    )
    return (
        f"template <class T> struct A0 {{ int v; }};\n{classes}\n"
        f"{OPEN}A{count}<int> q; x = sizeof(q);{CLOSE}"
    )


def _inlined(statement: str) -> Callable[[int], str]:
    """A device function of `count` statements that is called as often."""
    return lambda count: (
        f"__device__ int f(int v, float *s) {{\n{joined(lambda i: statement.format(i), count)}\n"
        f"return v; }}\n{OPEN}{joined(lambda i: f'x += f({i}, s);', count)}{CLOSE}"
    )


def _called_switch(count: int) -> str:
    cases = joined(lambda i: f"case {i}: return v * {i};", count)
    return (
        f"__device__ int f(int v) {{ switch (v) {{\n{cases}\n}} return 0; }}\n"
        f"{OPEN}x += f(t); x += f(y); x += f(n);{CLOSE}"
    )


def _expanded(count: int) -> str:
    """A macro of `count` statements that is used as often."""
    text = joined(lambda i: f"x += a[{i}];", count, " ")
    return f"#define ALL {text}\n{OPEN}{'ALL ' * count}{CLOSE}"


def _host(lines: str, end: str) -> str:
    return f"{OPEN}{CLOSE}int main(int argc, char **argv) {{ int n = argc;\n{lines}\n{end} }}\n"


def _host_circles(count: int) -> str:
    functions = joined(
        lambda i: (
            f"void f{i}(int n) {{ f{(i * 7 + 3) % count}(n + 1); f{(i * 5 + 1) % count}(n);"
            " k<<<n, 64>>>(0, 0, n); }"
        ),
        count,
    )
    declared = joined(lambda i: f"void f{i}(int n);", count)
    return f"{OPEN}{CLOSE}{declared}\n{functions}\nint main() {{ f0(3); }}\n"


def _device_circles(count: int) -> str:
    declared = joined(lambda i: f"__device__ int f{i}(int v);", count)
    functions = joined(
        lambda i: (
            f"__device__ int f{i}(int v) {{ return v > 0 ? f{(i * 7 + 3) % count}(v - 1)"
            f" + f{(i * 5 + 1) % count}(v - 2) : 1; }}"
        ),
        count,
    )
    return f"{declared}\n{functions}\n{OPEN}x = f0(t);{CLOSE}"


def _used_namespaces(count: int) -> str:
    spaces = joined(
        lambda i: (
            f"namespace a{i} {{ using namespace a{max(i - 1, 0)}; using namespace a{i // 2};"
            f" __device__ int f(int v) {{ return v + {i}; }} }}"
        ),
        count,
    )
    uses = joined(lambda i: f"x += a{i}::f(t);", count)
    return f"{spaces}\n{OPEN}using namespace a{count - 1};\n{uses}{CLOSE}"


def _constructors(count: int) -> str:
    structs = joined(
        lambda i: f"struct S{i + 1} {{ S{i} a, b; __device__ S{i + 1}(int v) : a(v), b(v) {{}} }};",
        count,
    )
    return (
        "struct S0 { int v; __device__ S0(int v) : v(v) {} };\n"
        f"{structs}\n{OPEN}S{count} q(t); x = sizeof(q);{CLOSE}"
    )


def _constant_functions(count: int) -> str:
    functions = joined(
        lambda i: f"constexpr int f{i + 1}(int v) {{ return f{i}(v) + f{i}(v + 1); }}", count
    )
    return (
        "constexpr int f0(int v) { return v & 1; }\n"
        f"{functions}\n{OPEN}__shared__ int q[f{count}(1)]; q[t] = x;{CLOSE}"
    )


def _constant_loops(count: int) -> str:
    functions = joined(
        lambda i: (
            f"constexpr int f{i}() {{ int s = 0; for (int i = 0; i < 1000000000; i++) s += i;"
            " return s & 63; }"
        ),
        count,
    )
    return f"{functions}\n{OPEN}{joined(lambda i: f'__shared__ int q{i}[f{i}()];', count)}{CLOSE}"


def _designated(count: int) -> str:
    members = joined(lambda i: f"int m{i};", count)
    values = joined(lambda i: f".m{i} = {i}", count, ", ")
    return f"struct S {{ {members} }};\n{OPEN}S q = {{{values}}}; x = q.m1;{CLOSE}"


def _operators(count: int) -> str:
    return (
        "struct V { float x, y, z; };\n__device__ V operator+(V a, V b)"
        " { return {a.x + b.x, a.y + b.y, a.z + b.z}; }\n"
        f"{OPEN}V v = {{1, 2, 3}}; V w = v{' + v' * count}; x = w.x;{CLOSE}"
    )


def _pack(count: int) -> str:
    values = joined(str, count, ", ")
    return (
        "__device__ int sum() { return 0; }\ntemplate <class T, class... R>"
        " __device__ int sum(T v, R... r) { return v + sum(r...); }\n"
        f"{OPEN}x = sum({values});{CLOSE}"
    )


def _array_chain(count: int) -> str:
    arrays = joined(lambda i: f"__shared__ float s{i}[256];", count)
    steps = joined(lambda i: f"__syncthreads(); s{i + 1}[t] = s{i}[255 - t];", count - 1)
    return f"{OPEN}{arrays}\ns0[t] = t;\n{steps}{CLOSE}"


def _virtual(count: int) -> str:
    classes = joined(
        lambda i: (
            f"struct B{i + 1} : B{i} {{ __device__ virtual int f{i}(int v)"
            f" {{ return B{i}::g(v) + {i}; }} }};"
        ),
        count,
    )
    return (
        "struct B0 { __device__ int g(int v) { return v; } };\n"
        f"{classes}\n{OPEN}B{count} q; {joined(lambda i: f'x += q.f{i}(t);', count)}{CLOSE}"
    )


CUDA: dict[str, Callable[[int], str]] = {
    "template instances that double": _instances,
    "class instances that double": _class_instances,
    "lambdas in lambdas": nested(lambda i: f"auto f{i} = [=](int v{i}) {{ ", "return t;", " return 1; };"),
    "lambda chain": lambda count: f"{OPEN}auto f0 = [=](int v) {{ return v + t; }};\n" + joined(lambda i: f"auto f{i + 1} = [=](int v) {{ return f{i}(v) + f{i}(v + 1); }};", count) + f"x = f{count}(1);{CLOSE}",
    "inlined statements": _inlined("v = v * 3 + {};"),
    "inlined accesses": _inlined("s[v & 255] += {};"),
    "inlined branches": _inlined("if (v > {}) return v + 1;"),
    "called switch": _called_switch,
    "expanded statements": _expanded,
    "doubling macro arguments": lambda count: "#define M0(a) a\n" + joined(lambda i: f"#define M{i + 1}(a) M{i}((a) + (a))", count) + f"\n{OPEN}x = M{count}(t);{CLOSE}",
    "macro arguments in a row": lambda count: f"#define ADD(v, ...) v __VA_ARGS__\n{OPEN}x = ADD(t, {joined(lambda i: f'+ {i}', count, ', ')});{CLOSE}",
    "else if that returns": body(lambda i: f"if (n == {i}) {{ s[t] = a[{i}]; __syncthreads(); return; }}", " else "),
    "switch in switches": nested(lambda i: f"switch (n + {i}) {{ case 1: x += a[t]; break; default: ", "x++;", "}"),
    "loops that are left": nested(lambda i: f"for (int i{i} = 0; i{i} < n; i{i}++) {{ if (a[i{i}] > x) break; ", "x++;", "}"),
    "backward gotos": lambda count: OPEN + joined(lambda i: f"B{i}: x += a[{i}];", count) + joined(lambda i: f"\nif (x < {i}) goto B{count - 1 - i};", count) + CLOSE,
    "pointer chain": lambda count: f"{OPEN}float *p0 = o;\n" + joined(lambda i: f"float *p{i + 1} = p{i} + t; p{i + 1}[{i}] = x;", count) + CLOSE,
    "pointer choices": lambda count: f"{OPEN}float *p = o;\n" + joined(lambda i: f"p = n > {i} ? p + {i} : s + t; *p = {i};", count) + CLOSE,
    "reference chain": lambda count: f"{OPEN}int &r0 = x;\n" + joined(lambda i: f"int &r{i + 1} = r{i}; r{i + 1} += {i};", count) + CLOSE,
    "array chain": _array_chain,
    "operator chain": _operators,
    "packs": _pack,
    "constructors": _constructors,
    "constant functions": _constant_functions,
    "constant loops": _constant_loops,
    "designated initialisers": _designated,
    "braces in braces": lambda count: f"{OPEN}x += {'int{' * count}t{'}' * count};{CLOSE}",
    "pieces of a string": lambda count: f"{OPEN}printf({joined(lambda i: f'{chr(34)}%d {i}{chr(34)}', count, ' ')}, x);{CLOSE}",
    "used namespaces": _used_namespaces,
    "using declarations": lambda count: joined(lambda i: f"namespace a{i} {{ __device__ int f{i}(int v) {{ return v + {i}; }} }}\nusing a{i}::f{i};", count) + f"\n{OPEN}{joined(lambda i: f'x += f{i}(t);', count)}{CLOSE}",
    "device circles": _device_circles,
    "virtual functions": _virtual,
    "overloads that are called": lambda count: joined(lambda i: f"struct T{i} {{ int v; }}; __device__ int f(T{i} v) {{ return v.v; }}", count) + f"\n{OPEN}{joined(lambda i: f'T{i} q{i} = {{t}}; x += f(q{i});', count)}{CLOSE}",
    "spinning": body(lambda i: f"while (atomicCAS((int *)&o[{i}], 0, 1) != 0); o[t] += 1; atomicExch((int *)&o[{i}], 0);"),
    "asynchronous copies": body(lambda i: f"__pipeline_memcpy_async(&s[t & {i % 256}], &a[t + {i}], 4); __pipeline_commit(); __pipeline_wait_prior(0);"),
    "votes in branches": body(lambda i: f"if (a[t + {i}] > 0) x += __ballot_sync(0xffffffff, t > {i});"),
    "instances in files": lambda count: "template <int N> __global__ void q(float *o) { __shared__ float s[N]; s[threadIdx.x] = o[N]; __syncthreads(); o[threadIdx.x] = s[N - 1 - threadIdx.x]; }\n" + joined(lambda i: f"template __global__ void q<{i + 1}>(float *);", count),
    "kernels of classes": lambda count: joined(lambda i: f"template <class T> struct C{i} {{ T v; __device__ void f(T *o) {{ o[threadIdx.x] = v; }} }}; template <class T> __global__ void k{i}(C{i}<T> c, T *o) {{ c.f(o); }}", count),
    "host circles": _host_circles,
    "host variables": lambda count: _host("int b0 = n;\n" + joined(lambda i: f"int b{i + 1} = b{i} + b{i};", count), f"k<<<b{count}, 64>>>(0, 0, n);"),
    "host branches": lambda count: _host("dim3 g(1);\n" + joined(lambda i: f"if (n > {i}) g.x += {i};", count), "k<<<g, 64>>>(0, 0, n);"),
    "host loops": lambda count: _host(joined(lambda i: f"for (int i{i} = 0; i{i} < n; i{i}++) {{", count), "k<<<n, 64>>>(0, 0, n);" + "}" * count),
    "host launches in branches": lambda count: _host(joined(lambda i: f"if (n == {i}) {{ k<<<n + {i}, 64>>>(0, 0, {i}); return 0; }}", count), ""),
    "host memory": lambda count: _host(joined(lambda i: f"float *p{i}; cudaMalloc(&p{i}, n * sizeof(float)); cudaMemcpy(p{i}, p{max(i - 1, 0)}, n * 4, cudaMemcpyDeviceToDevice);", count), ""),
    "launches of many kernels": lambda count: joined(lambda i: f"__global__ void k{i}(float *o) {{ o[blockIdx.x * blockDim.x + threadIdx.x] = {i}; }}", count) + "\nint main() {\n" + joined(lambda i: f"k{i}<<<{i + 1}, 64>>>(0);", count) + "}\n",
}  # fmt: skip


def _nested_scopes(count: int) -> str:
    inside = joined(
        lambda i: f"{{ .reg .b32 t{i}; add.s32 t{i}, %r2, {i}; mov.u32 %r2, t{i};", count
    )
    return f"{PTX}{inside}{'}' * count}\nret;\n}}\n"


def _live_registers(count: int) -> str:
    made = joined(lambda i: f"ld.global.u32 %r{i + 3}, [%rd1+{4 * i}];", count)
    used = joined(lambda i: f"add.s32 %r2, %r2, %r{i + 3};", count)
    return f"{PTX}{made}\n{used}\nst.global.u32 [%rd1], %r2;\nret;\n}}\n"


def _wide_tables(count: int) -> str:
    labels = joined(lambda i: f"L{i}", 50, ", ")
    tables = joined(lambda i: f"t{i}: .branchtargets {labels};\nbrx.idx %r1, t{i};", count)
    places = joined(lambda i: f"L{i}: add.s32 %r2, %r2, {i};", 50)
    return f"{PTX}{tables}\n{places}\nret;\n}}\n"


def _tables_of_addresses(count: int) -> str:
    variables = joined(lambda i: f".global .u32 v{i};", count)
    table = joined(lambda i: f"v{i}", count, ", ")
    return (
        PTX.replace(".visible", f"{variables}\n.global .u64 t[] = {{{table}}};\n.visible")
        + "ret;\n}\n"
    )


def _used_parameters(count: int) -> str:
    named = joined(lambda i: f".param .u32 p{i}", count, ", ")
    loads = joined(lambda i: f"ld.param.u32 %r3, [p{i}]; add.s32 %r2, %r2, %r3;", count)
    head = PTX.replace("(.param .u64 a)", f"(.param .u64 a, {named})")
    return f"{head}{loads}\nst.global.u32 [%rd1], %r2;\nret;\n}}\n"


def _circles(count: int) -> str:
    declared = joined(lambda i: f".func f{i}();", count)
    functions = joined(
        lambda i: (
            f".func f{i}() {{ call f{(i * 7 + 3) % count}, (); call f{(i + 1) % count}, (); ret; }}"
        ),
        count,
    )
    return ptx(lambda i: "call f0, ();")(1).replace(
        ".visible", f"{declared}\n{functions}\n.visible"
    )


PTX_INPUTS: dict[str, Callable[[int], str]] = {
    "predicated chain": ptx(lambda i: f"setp.gt.s32 %p1, %r2, {i};\n@%p1 add.s32 %r2, %r2, %r1;\n@!%p1 sub.s32 %r2, %r2, {i};"),
    "predicated returns": ptx(lambda i: f"setp.gt.s32 %p1, %r1, {i};\n@%p1 ret;\nadd.s32 %r2, %r2, 1;"),
    "two ways": ptx(lambda i: f"setp.gt.s32 %p1, %r2, {i}; @%p1 bra T{i};\nadd.s32 %r2, %r2, 1; bra E{i};\nT{i}: sub.s32 %r2, %r2, 2;\nE{i}:"),
    "loops with two ends": ptx(lambda i: f"B{i}: add.s32 %r2, %r2, 1; setp.gt.s32 %p1, %r2, {i}; @%p1 bra E{i};\nsetp.lt.s32 %p2, %r1, %r2; @%p2 bra B{i};\nE{i}:"),
    "scopes in scopes with registers": _nested_scopes,
    "live registers": _live_registers,
    "wide branch tables": _wide_tables,
    "tables of addresses": _tables_of_addresses,
    "used parameters": _used_parameters,
    "function circles": _circles,
    "prototypes": ptx(lambda i: f"P{i}: .callprototype _ (.param .b32 _, .param .b64 _);"),
    "functions with many parameters": lambda count: PTX.replace(".visible", f".func f({joined(lambda i: f'.param .b32 p{i}', count, ', ')}) {{ ret; }}\n.visible") + "ret;\n}\n",
    "addresses of symbols": lambda count: ptx(lambda i: f"mov.u64 %rd2, v{i}; st.global.u32 [%rd2], %r1;")(count).replace(".visible", joined(lambda i: f".global .u32 v{i}[4];", count) + "\n.visible"),
    "packed registers": ptx(lambda i: "mov.b64 %rd3, {%r1, %r2}; mov.b64 {%r2, %r3}, %rd3;"),
    "pointer choices": ptx(lambda i: f"setp.gt.s32 %p1, %r1, {i}; add.s64 %rd3, %rd1, {i}; selp.b64 %rd1, %rd3, %rd1, %p1; st.global.u32 [%rd1], %r2;"),
    "barriers in branches": ptx(lambda i: f"setp.gt.s32 %p1, %r1, {i}; @%p1 bra N{i};\nbar.sync 0;\nN{i}:"),
    "named barriers": ptx(lambda i: f"st.shared.u32 [s+{4 * i % 4096}], %r1; bar.sync {i % 16}, 64; ld.shared.u32 %r2, [s+{8 * i % 4096}];"),
    "loops around loads": ptx(lambda i: f"mov.u32 %r3, 0;\nB{i}: ld.global.u32 %r4, [%rd1+{4 * i}]; add.s32 %r2, %r2, %r4; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, {i + 2}; @%p1 bra B{i};"),
    "files": ptx_module(lambda i: f'.file {i + 1} "a{i}.cu"'),
    "aliases": ptx_module(lambda i: f".visible .func f{i}() {{ ret; }}\n.alias g{i}, f{i};"),
}  # fmt: skip
