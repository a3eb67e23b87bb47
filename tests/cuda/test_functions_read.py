"""Function headers: qualifiers, templates, scopes, macros in the way."""

from __future__ import annotations

import pytest

from warplint.analyzer.cuda.syntax.printing import as_text, type_text

from .reading import unit


def header(text: str) -> str:
    """The one function of a text: its scope, specifiers, name and type."""
    read = unit(text)
    (function,) = read.functions
    assert read.opaque[function] == []
    scope = "".join(f"{part}::" for part in function.scope)
    words = " ".join(function.decl.funcspec)
    return f"{words} | {scope}{function.decl.name} | {type_text(function.decl.type)}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__global__ void k() {}", "__global__ | k | function() to void"),
        ("void __global__ k(void) {}", "__global__ | k | function() to void"),
        (
            "__device__ void f(REAL const * p, volatile REAL * v, REAL const & w, REAL const x) {}",
            "__device__ | f | function(p: pointer to const REAL, v: pointer to volatile REAL,"
            " w: reference to const REAL, x: const REAL) to void",
        ),
        (
            "__device__ MY_API const int *f() { return 0; }",
            "__device__ MY_API | f | function() to pointer to const int",
        ),
        (
            'extern "C" __global__ void k(const float* __restrict__ a, int n = 3) {}',
            "extern __global__ | k | function(a: __restrict__ pointer to const float, n: int = 3)"
            " to void",
        ),
        (
            "static __device__ __forceinline__ float4 f(float (&a)[4], float2) { return x; }",
            "static __device__ __forceinline__ | f | "
            "function(a: reference to array[4] of float, float2) to float4",
        ),
        (
            "__device__ auto f(int* const p[3], ...) -> float& { return *p; }",
            "__device__ | f | function(p: array[3] of const pointer to int, ...)"
            " to reference to float",
        ),
        (
            "template <class T> __device__ std::enable_if_t<(sizeof(T) > 4), T> f(T&& t) {}",
            "__device__ | f | function(t: rvalue reference to T) to"
            " std::enable_if_t<(> (sizeof T) 4), T>",
        ),
        (
            "template <class T> __device__ s::E<!s::A<s::B<T>> || s::C<T>, void> f(T t) {}",
            "__device__ | f | function(t: T) to s::E<(|| (! s::A<s::B<T>>) s::C<T>), void>",
        ),
        (
            "template <class T> __device__ EnableIf<s::A<T> && s::C<T>> f(T t) {}",
            "__device__ | f | function(t: T) to EnableIf<(&& s::A<T> s::C<T>)>",
        ),
        (
            "template <typename... A> __global__ void k(A... a) {}",
            "__global__ | k | function(a: pack of A) to void",
        ),
        (
            "namespace a { namespace b::c { __global__ void k() {} } }",
            "__global__ | a::b::c::k | function() to void",
        ),
        (
            "struct A { __device__ int operator()(int x) const { return x; } };",
            "__device__ | A::operator() | function(x: int) to int",
        ),
        (
            "struct A { int x; __host__ __device__ A(int y) : x(y) {} };",
            "__host__ __device__ | A::A | function(y: int) to void",
        ),
        ("struct A { __device__ ~A() { f(); } };", "__device__ | A::~A | function() to void"),
        (
            "struct A { __device__ operator float() const { return 1; } };",
            "__device__ | A::operator float | function() to void",
        ),
        (
            "template <class T> __device__ void A<T>::f(T x) {}",
            "__device__ | A::f | function(x: T) to void",
        ),
        ("struct A; __device__ A::A(int x) {}", "__device__ | A::A | function(x: int) to void"),
        (
            "__device__ bool operator<(const A& a, const A& b) { return a.x < b.x; }",
            "__device__ | operator< | function(a: reference to const A, b: reference to const A)"
            " to bool",
        ),
        (
            "__global__ void k(__grid_constant__ const P p) {}",
            "__global__ | k | function(p: const P) to void",
        ),
        (
            "__global__ void k(float *array, int surface, T *set) {}",
            "__global__ | k | function(array: pointer to float, surface: int, set: pointer to T)"
            " to void",
        ),
    ],
)
def test_headers(text: str, expected: str) -> None:
    assert header(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "#define KERNEL __global__ void\nKERNEL k() {}",
        "RAFT_KERNEL void k() {}",
        "template <int N> CUTLASS_GLOBAL void k() {}",
        "MY_BEGIN_NAMESPACE __global__ void k() {}",
        "PUSH_WARNINGS(x) __global__ void k() {}",
        "__global__ MY_BOUNDS(256) void k() {}",
        "__global__ void MY_BOUNDS(256, 2) k() {}",
        "__global__ void CUDARTAPI k() {}",
        "[[nodiscard]] __attribute__((noinline)) __global__ void k() {}",
        "__declspec(dllexport) __global__ void k() {}",
        "#define K(name) __global__ void name() {}\nK(k)",
        'extern "C" {\n__global__ void k() {}\n}',
    ],
)
def test_kernels_behind_macros_and_attributes(text: str) -> None:
    (function,) = unit(text).functions
    assert function.decl.name == "k"
    assert "__global__" in function.decl.funcspec


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void __launch_bounds__(256, N * 2) k() {}",
        "__launch_bounds__(256, N * 2) __global__ void k() {}",
        "__global__ __launch_bounds__(256, N * 2) void k() {}",
    ],
)
def test_launch_bounds(text: str) -> None:
    (function,) = unit(text).functions
    (bounds,) = function.attributes
    assert bounds.name == "__launch_bounds__"
    assert as_text(bounds.arguments) == "[256 (* N 2)]"


def test_several_attributes() -> None:
    text = "__global__ void __cluster_dims__(2, 1, 1) __maxnreg__(64) k() {}"
    (function,) = unit(text).functions
    assert [a.name for a in function.attributes] == ["__cluster_dims__", "__maxnreg__"]


def test_template_parameters() -> None:
    text = (
        "template <typename T, int N = 4, bool... B, template <class> class C,"
        " typename = std::enable_if_t<(N > 2)>, void (*F)(int) = nullptr> __global__ void k() {}"
    )
    (function,) = unit(text).functions
    assert function.template is not None
    kinds = [(p.kind, p.name, p.pack) for p in function.template.parameters]
    assert kinds == [
        ("type", "T", False),
        ("value", "N", False),
        ("value", "B", True),
        ("template", "C", False),
        ("type", None, False),
        ("value", "F", False),
    ]
    assert as_text(function.template.parameters[1].default) == "4"
    assert type_text(function.template.parameters[5].type) == "pointer to function(int) to void"


def test_specialisations_and_instantiations() -> None:
    read = unit(
        "template <class T, int N> __global__ void k(T* p) {}\n"
        "template <> __global__ void k<float, 4>(float* p) {}\n"
        "template __global__ void k<int, 8>(int* p);\n"
    )
    first, second = read.functions
    assert first.specialization is None
    assert as_text(second.specialization) == "[float 4]"
    (made,) = read.declarations
    assert made.instantiation
    assert as_text(made.specialization) == "[int 8]"


def test_overloads_are_told_apart_by_line() -> None:
    read = unit("__device__ int f(int x) { return x; }\n__device__ int f(float x) { return 1; }")
    assert [(f.decl.name, f.coord.line) for f in read.functions] == [("f", 1), ("f", 2)]


def test_host_functions_are_kept_when_they_talk_to_the_device() -> None:
    read = unit(
        "void idle() { puts(1); }\n"
        "void launch() { k<<<1, 2>>>(); }\n"
        "void allocate() { cudaMalloc(&p, 4); }\n"
        "void lambda() { run([=] __device__ (int i) { p[i] = i; }); }\n"
        "constexpr int size(int n) { return n * 4; }\n"
    )
    assert [f.decl.name for f in read.functions] == ["launch", "allocate", "lambda", "size"]


def test_a_header_that_is_not_read_keeps_name_and_body() -> None:
    read = unit("__global__ void k(int 3 x) { y = 1; }")
    (function,) = read.functions
    assert function.decl.name == "k"
    assert as_text(function.body) == "(block (= y 1))"
    assert "header" in read.opaque[function][0].reason


def test_two_macros_before_a_body_are_no_variable() -> None:
    read = unit("SUITE(distance, Fixture)\nCASE(correct)\n{ int *p; k<<<1, 32>>>(p); }")
    (function,) = read.functions
    assert type_text(function.decl.type) == "function() to void"
    assert "launch" in as_text(function.body)


@pytest.mark.parametrize(
    "text",
    [
        "template <typename T> requires (sizeof(T) > 2) __global__ void k(T* p) {}",
        "template <Number T> __global__ void k(T* p) { T x = T(1); }",
        "template <typename T> __global__ void k(T* p) requires Number<T> && Small<T> {}",
        "template <class T> __global__ void k(T* p) { if constexpr (requires { p->x; }) f(); }",
        "template <class T> __global__ void k(T* p) { bool b = requires(T t) { t + t; }; }",
        "template <class T> concept N = requires(T t) { t + t; };\n__global__ void k(auto p) {}",
    ],
)
def test_concepts(text: str) -> None:
    read = unit(text)
    (function,) = read.functions
    assert function.decl.name == "k"
    assert read.opaque[function] == []


@pytest.mark.parametrize(
    "requirement",
    ["Small<T>", "std::convertible_to<T *, int *> && (sizeof(T) > 2)", "(N > 4) || Small<T>"],
)
def test_constructors_with_requirements(requirement: str) -> None:
    head = f"template <typename T> requires {requirement} OUR_MACRO __host__ __device__"
    read = unit(f"struct A {{ {head} A(const T &v) : x(v) {{}} int x; }};")
    (function,) = read.functions
    assert [as_text(each.target) for each in function.initializers] == ["x"]
    assert read.opaque[function] == []


def test_constructors_of_classes_in_class_templates() -> None:
    classes = "template <class T, int N> struct Outer { struct Inner { int held; Inner(); }; };\n"
    head = "template <class T, int N> __device__ Outer<T, N>::Inner::"
    assert header(f"{classes}{head}Inner() {{ held = N; }}").endswith("Inner | function() to void")


def test_constructor_initialisers() -> None:
    read = unit("struct A { __device__ A(int y) : B<int>(y), x{y, 2}, z(f(y)...) {} };")
    names = [as_text(i.target) for i in read.functions[0].initializers]
    assert names == ["B", "x", "z"]


def test_conversions_to_types_of_arguments() -> None:
    read = unit(
        "template <class T> struct Ref {\n"
        "  __device__ operator typename T::Data&() { return *data; }\n"
        "  typename T::Data *data;\n"
        "};"
    )
    (function,) = read.functions
    assert function.decl.name == "operator typename T::Data&"
    assert read.opaque[function] == []


def test_new_of_the_global_namespace() -> None:
    read = unit("__device__ void f(void *p) { ::new (p) Pair; }")
    (function,) = read.functions
    assert read.opaque[function] == []
