"""Each construct of the language and the tree it makes."""

from __future__ import annotations

import pytest

from .reading import body, expression

HEAD = "template <class T> struct Foo {}; template <class T> struct A {}; typedef float T;"

EXPRESSIONS = [
    ("a + b * c - d", "(- (+ a (* b c)) d)"),
    ("a << 2 >> 1", "(>> (<< a 2) 1)"),
    ("a < b && c > d || !e", "(|| (&& (< a b) (> c d)) (! e))"),
    ("a = b += c", "(= a (+= b c))"),
    ("(int)x + (T)y", "(+ (cast <int> x) (cast <T> y))"),
    ("(float*)p", "(cast <pointer to float> p)"),
    ("-(int)x", "(- (cast <int> x))"),
    ("(a) - b", "(- a b)"),
    ("sizeof(int) * 4 + sizeof x", "(+ (* (sizeof int) 4) (sizeof x))"),
    ("static_cast<const float4*>(&p[i])", "(static_cast <pointer to const float4> (& ([] p i)))"),
    ("f<int, 4>(x)", "(call f<int, 4> x)"),
    ("a.template get<3>()", "(call (. a get<3>))"),
    ("p->q.r[i]", "([] (. (-> p q) r) i)"),
    ("ns::f(x)", "(call ns::f x)"),
    ("::g", "::g"),
    ("A<T>::value", "A<T>::value"),
    ("int(3.5f)", "(construct <int> 3.5f)"),
    ("float4{1.f, 2.f}", "(construct{} <float4> 1.f 2.f)"),
    ("make_float2(1.0f, 2.0f).x", "(. (call make_float2 1.0f 2.0f) x)"),
    ("[&](int i) { return i; }", "(lambda [&] (i: int) (block (return i)))"),
    (
        "[=] __device__ (int i, float& y) -> float { return y; }",
        ("(lambda [=] __device__ (i: int, y: reference to float) -> float (block (return y)))"),
    ),
    ("c ? a : b, d", " x (? c a b)) d"),
    ("i++ + ++j", "(+ (p++ i) (++ j))"),
    ("*p++", "(* (p++ p))"),
    ("&a[0]", "(& ([] a 0))"),
    ('"a" "b"', '"a" "b"'),
    ("0x1'000ull", "0x1'000ull"),
    ("1e-3f", "1e-3f"),
    ("(threadIdx.x & 31) == 0", "(== (& (. threadIdx x) 31) 0)"),
    ("a and not b", "(&& a (! b))"),
    ("(... + args)", "(fold + - args)"),
    ("sizeof...(args)", "(sizeof... args)"),
    ("new float[n]", "(new [] float n [])"),
    ("reinterpret_cast<uint64_t>(p) >> 4", "(>> (reinterpret_cast <uint64_t> p) 4)"),
    ("x ? y : z ? 1 : 2", "(? x y (? z 1 2))"),
    ("c ? 1 : ~T(0)", "(? c 1 (~ (construct <T> 0)))"),
    ("std::min<int>(a, b)", "(call std::min<int> a b)"),
    ("min(a, b)", "(call min a b)"),
    ("nullptr", "nullptr"),
    ("a <= b != c", "(!= (<= a b) c)"),
    ("({ int y = 3; y; })", "(statementexpression (block (decl y : int = 3) y))"),
    ("decltype(x)(3)", "(construct <decltype(x)> 3)"),
    ("Foo<N>{}(y)", "(call (construct{} <Foo<N>>) y)"),
    ("a[{1, 2}]", "([] a {1, 2})"),
    ("__ldg(&p[i])", "(call __ldg (& ([] p i)))"),
    ("tile.shfl_down(v, 1)", "(call (. tile shfl_down) v 1)"),
    ("n % 32 == 0", "(== (% n 32) 0)"),
    ("(x) * (y)", "(* x y)"),
    ("(size_t)n * m", "(* (cast <size_t> n) m)"),
    ("dim3(1, 2).x", "(. (construct <dim3> 1 2) x)"),
    ("N<<1", "(<< N 1)"),
]

DECLARATIONS = [
    (
        "int a, *b = 0, c[3][4];",
        ("(decl a : int) (decl b : pointer to int = 0) (decl c : array[3] of array[4] of int)"),
    ),
    (
        "const int* __restrict__ const p = q;",
        "(decl p : __restrict__ const pointer to const int = q)",
    ),
    (
        "__shared__ __align__(16) float s[32][33];",
        "(decl {__shared__} s : array[32] of array[33] of float (alignas 16))",
    ),
    (
        "extern __shared__ unsigned char smem[];",
        "(decl {extern __shared__} smem : array[] of unsigned char)",
    ),
    ("unsigned long long int x = 1ull;", "(decl x : unsigned long long int = 1ull)"),
    (
        "dim3 g(1, 2), h{3}, i = dim3(4);",
        (
            "(decl g : dim3 = (construct 1 2)) (decl h : dim3 = {3}) (decl i : dim3 = "
            "(construct <dim3> 4))"
        ),
    ),
    ("auto [u, v] = f();", "(structuredbinding {u v} (call f))"),
    ("auto& [u, v] = w;", "(structuredbinding {u v} & w)"),
    ("auto& r = a[0];", "(decl r : reference to auto = ([] a 0))"),
    (
        "T (*fp)(int, float*) = f;",
        "(decl fp : pointer to function(int, pointer to float) to T = f)",
    ),
    ("int (&ar)[4] = c;", "(decl ar : reference to array[4] of int = c)"),
    ("Foo<int>::type z;", "(decl z : Foo<int>::type)"),
    ("typename T::value_type z = 3;", "(decl z : T::value_type = 3)"),
    (
        "std::vector<std::vector<int>> w(3);",
        "(decl w : std::vector<std::vector<int>> = (construct 3))",
    ),
    ("using namespace cooperative_groups;", "(using using namespace cooperative_groups;)"),
    ("using V = float4;", "(typealias V float4 -)"),
    ("using ns::f;", "(using using ns::f;)"),
    ("namespace cg = cooperative_groups;", "(using namespace cg = cooperative_groups;)"),
    ("typedef float vec __attribute__((ext_vector_type(4)));", "(typedef vec : float)"),
    (
        (
            "struct P { float x, y; __device__ P(float a) : x(a), y{0} {} __device__ float "
            "f() const { return x; } int b : 3; };"
        ),
        (
            "(classdefinition struct P [] [(decl x : float) (decl y : float) (function "
            "(decl {__device__} P : function(a: float) to void) (block)) (function (decl "
            "{__device__} f : function() to float) (block (return x))) (decl b : int bits "
            "3)] - [])"
        ),
    ),
    (
        "union { int i; float f; } pun;",
        ("(decl pun : (classdefinition union - [] [(decl i : int) (decl f : float)] - []))"),
    ),
    (
        "enum class E : int { a, b = 3, };",
        "(decl - : (enum E (enumeratorlist (enumerator a) (enumerator b 3)) int))",
    ),
    ('static_assert((of<T, U> && ...), "all");', "(staticassert 1)"),
    ('static_assert(N % 4 == 0, "whole");', "(staticassert (== (% N 4) 0))"),
    ("static constexpr int W = N * 2;", "(decl {static constexpr} W : int = (* N 2))"),
    ("float4 v = {1, 2, .3f, {4}};", "(decl v : float4 = {1, 2, .3f, {4}})"),
    (
        "A a = {.x = 1, .y = {2}};",
        "(decl a : A = {(namedinitializer 1 x), (namedinitializer {2} y)})",
    ),
    ("int t[] = {[0] = 1, 2};", "(decl t : array[] of int = {(namedinitializer 1 0), 2})"),
    (
        ("cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());"),
        (
            "(decl tile : cg::thread_block_tile<32> = (call cg::tiled_partition<32> (call "
            "cg::this_thread_block)))"
        ),
    ),
    (
        "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;",
        "(decl fa : wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>)",
    ),
    (
        "volatile float* vp = (volatile float*)s;",
        "(decl vp : pointer to volatile float = (cast <pointer to volatile float> s))",
    ),
    ("T * q = nullptr;", "(decl q : pointer to T = nullptr)"),
    ("Unknown * w = nullptr;", "(decl w : pointer to Unknown = nullptr)"),
    ("Unknown w2;", "(decl w2 : Unknown)"),
    ("Unknown<3> w3(1);", "(decl w3 : Unknown<3> = (construct 1))"),
    ("[[maybe_unused]] int z = 3;", "(decl z : int = 3)"),
    ("bool ok = a < b || c > d;", "(decl ok : bool = (|| (< a b) (> c d)))"),
    (
        "half2 hh = __hadd2(__float2half2_rn(1.f), h);",
        "(decl hh : half2 = (call __hadd2 (call __float2half2_rn 1.f) h))",
    ),
    ("float x = a[i] * b[j], y;", "(decl x : float = (* ([] a i) ([] b j))) (decl y : float)"),
    (
        "unsigned mask = __ballot_sync(0xffffffff, x > 0);",
        "(decl mask : unsigned = (call __ballot_sync 0xffffffff (> x 0)))",
    ),
    ("int y = (x & 1) ? -1 : +1;", "(decl y : int = (? (& x 1) (- 1) (+ 1)))"),
    ("int z = (n) - 1;", "(decl z : int = (- n 1))"),
    ("float q = (float)(a) / b;", "(decl q : float = (/ (cast <float> a) b))"),
    (
        "constexpr auto f2 = []<typename T>(T x) { return x; };",
        "(decl {constexpr} f2 : auto = (lambda [] (x: T) (block (return x))))",
    ),
    (
        "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;",
        ("(decl {__shared__} state : cuda::pipeline_shared_state<cuda::thread_scope_block, 2>)"),
    ),
    (
        "const auto idx = blockIdx.x * (blockDim.x >> 1) + threadIdx.x;",
        ("(decl idx : const auto = (+ (* (. blockIdx x) (>> (. blockDim x) 1)) (. threadIdx x)))"),
    ),
]

BRANCHES = [
    (
        "if (int n = f()) g(); else h();",
        "(if (conditiondeclaration (decl n : int = (call f)) -) (call g) (call h))",
    ),
    (
        "if (int n = f(); n > 3) g();",
        "(if (conditiondeclaration (decl n : int = (call f)) (> n 3)) (call g) -)",
    ),
    (
        "if constexpr (N > 2) { a(); } else if (x) b();",
        "(if-constexpr (> N 2) (block (call a)) (if x (call b) -))",
    ),
    (
        "for (int i = 0, j = n - 1; i < j; ++i, --j) s[i] = j;",
        (
            "(for (decls (decl i : int = 0) (decl j : int = (- n 1))) (< i j) (, (++ i) "
            "(-- j)) (= ([] s i) j))"
        ),
    ),
    ("for (;;) { break; }", "(for - - - (block (break)))"),
    ("for (auto& e : list) e = 1;", "(rangefor (decl e : reference to auto) list (= e 1))"),
    (
        "for (const auto& [k, v] : map) f(k);",
        "(rangefor (structuredbinding {k v} & -) map (call f k))",
    ),
    ("while (true) continue;", "(while true (continue))"),
    ("do { x--; } while (x > 0);", "(dowhile (> x 0) (block (p-- x)))"),
    (
        "switch (n) { case 0: case 1: a(); break; case 2 ... 4: b(); default: c(); }",
        (
            "(switch n (block (case 0) (case 1 (call a) (break)) (case (... 2 4) (call b)) "
            "(default (call c))))"
        ),
    ),
    ("again: x = 1; goto again;", "(label again (= x 1)) (goto again)"),
    ("return;", "(return)"),
    ("return {1, 2};", "(return {1, 2})"),
    (";", "(emptystatement)"),
    ("{ int q; }", "(block (decl q : int))"),
    (
        "try { f(); } catch (const E& e) { throw; } catch (...) { throw 3; }",
        "(try (block (call f)) [(block (throw -)) (block (throw 3))])",
    ),
    (
        "CUDA_UNROLL for (int i = 0; i < 4; ++i) x += i;",
        "(pragma unroll) (for (decls (decl i : int = 0)) (< i 4) (++ i) (+= x i))",
    ),
    ("if (a < b && c > d) return;", "(if (&& (< a b) (> c d)) (return) -)"),
    ('_Pragma("unroll") for (;;) ;', "(pragma unroll) (for - - - (emptystatement))"),
    (
        "for (int i{}; i != 3; i++) ;",
        "(for (decls (decl i : int = {})) (!= i 3) (p++ i) (emptystatement))",
    ),
    ("if (x) { } else { }", "(if x (block) (block))"),
    (
        "{ struct image *image = (struct image *)m; g(sizeof(struct image)); }",
        "(block (decl image : pointer to image = (cast <pointer to image> m))"
        " (call g (sizeof image)))",
    ),
]

OTHERS = [
    (
        (
            'asm volatile("mma.sync %0, {%1};\\n" "exit;" : "=r"(a), [out] "+f"(b[0]) : '
            '"r"(c), "n"(N) : "memory", "cc");'
        ),
        (
            "(inlineassembly mma.sync %0, {%1};\nexit; True {memory cc} [(assemblyoperand - "
            "=r a) (assemblyoperand out +f ([] b 0))] [(assemblyoperand - r c) "
            "(assemblyoperand - n N)])"
        ),
    ),
    ('asm("bar.sync 0;");', "(inlineassembly bar.sync 0; False {} [] [])"),
    (
        'asm volatile("ld %0" : "=r"(x) :: "memory");',
        "(inlineassembly ld %0 True {memory} [(assemblyoperand - =r x)] [])",
    ),
    (
        "k<<<dim3(1,2), 256, 0, stream>>>(a, b);",
        "(launch k [(construct <dim3> 1 2) 256 0 stream] [a b])",
    ),
    (
        "k<N, float><<<(n + 255) / 256, {16, 16}>>>(p);",
        "(launch k<N, float> [(/ (+ n 255) 256) {16, 16}] [p])",
    ),
    (
        "cudaLaunchKernel((void*)k, grid, block, args, 0, 0);",
        "(call cudaLaunchKernel (cast <pointer to void> k) grid block args 0 0)",
    ),
    (
        "auto f = [&, n = N](auto x) mutable { return x + n; };",
        ("(decl f : auto = (lambda [&, n = N] mutable (x: auto) (block (return (+ x n)))))"),
    ),
    ("x = y, z = 3;", "(, (= x y) (= z 3))"),
    ("delete[] p; delete q;", "(delete True p) (delete False q)"),
    ("__syncthreads();", "(call __syncthreads)"),
    ("(void)x;", "(cast <void> x)"),
    (
        "*reinterpret_cast<float4*>(&s[i]) = v;",
        "(= (* (reinterpret_cast <pointer to float4> (& ([] s i)))) v)",
    ),
    ("i < n ? f() : g();", "(? (< i n) (call f) (call g))"),
    ("a * b;", "(decl b : pointer to a)"),
    ("f(Unknown{1});", "(call f (construct{} <Unknown> 1))"),
    ("CHECK(f(x));", "(call CHECK (call f x))"),
    (
        "auto sem = cuda::barrier<cuda::thread_scope_block>{};",
        "(decl sem : auto = (construct{} <cuda::barrier<cuda::thread_scope_block>>))",
    ),
    ("auto op = T::template get<3>();", "(decl op : auto = (call T::get<3>))"),
    (
        "__pipeline_memcpy_async(&a[0], (const void*)&b[0], sizeof(float4));",
        (
            "(call __pipeline_memcpy_async (& ([] a 0)) (cast <pointer to const void> (& "
            "([] b 0))) (sizeof float4))"
        ),
    ),
    (
        "auto k2 = kernel_t<float, (N > 3)>{};",
        "(decl k2 : auto = (construct{} <kernel_t<float, (> N 3)>>))",
    ),
]


@pytest.mark.parametrize(("source", "tree"), EXPRESSIONS)
def test_expression(source: str, tree: str) -> None:
    assert expression(source, head=HEAD) == tree


@pytest.mark.parametrize(("source", "tree"), [*DECLARATIONS, *BRANCHES, *OTHERS])
def test_statement(source: str, tree: str) -> None:
    assert body(source, head=HEAD, parameters="int n") == tree
