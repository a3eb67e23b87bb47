"""Operators that classes overload, and constructors that convert without a cast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import cuda_module

from warplint.analyzer.analyses.pointers.pointer_contents import displacement
from warplint.analyzer.cuda.lowering.program.program import Program
from warplint.analyzer.ir.operations import Branch, Call, Compare, MemoryAccess, OpaqueOperation
from warplint.analyzer.ir.unfollowed import TOO_LARGE
from warplint.analyzer.ir.values import Constant

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from warplint.analyzer.cuda.syntax import nodes
    from warplint.analyzer.ir.kernel import Kernel

ITERATOR = """
struct Iterator {
    int *at;
    __device__ int &operator*() const { return *at; }
    __device__ int *operator->() const { return at; }
    __device__ Iterator &operator++() { ++at; return *this; }
    __device__ Iterator operator++(int) { Iterator old = *this; ++at; return old; }
    __device__ Iterator &operator+=(int n) { at += n; return *this; }
    __device__ Iterator &operator=(int *p) { at = p; return *this; }
    __device__ explicit operator bool() const { return at != nullptr; }
};
__device__ Iterator &operator-=(Iterator &it, int n) { it.at -= n; return it; }
"""


def lowered(statements: str, before: str = ITERATOR) -> Kernel:
    kernel = cuda_module(f"{before} __global__ void k(int *p, int n) {{ {statements} }}").kernels[0]
    assert not any(isinstance(each, Call | OpaqueOperation) for each in kernel.operations())
    return kernel


def stores(kernel: Kernel) -> list[int | None]:
    """Where each store goes, in bytes from the pointer it starts from."""
    accesses = (each for each in kernel.operations() if isinstance(each, MemoryAccess))
    return [displacement(access.address) for access in accesses if access.writes]


def test_an_operator_changes_the_object_it_is_used_on() -> None:
    kernel = lowered("Iterator it{p}; *it = 1; ++it; *it = 2; it += 3; *it = 3; it -= 2; *it = 4;")
    assert stores(kernel) == [0, 4, 16, 8]


def test_a_postfix_operator_is_another_one_than_its_prefix() -> None:
    assert stores(lowered("Iterator it{p}; *it++ = 1; *it = 2; *++it = 3;")) == [0, 4, 8]


def test_assignment_by_an_operator() -> None:
    assert stores(
        lowered("Iterator it{p}; it = p + 5; *it = 1; Iterator o{p}; o = it; *o = 2;")
    ) == [
        20,
        20,
    ]


def test_members_behind_an_object_that_acts_as_a_pointer() -> None:
    """`operator->` is asked again for as long as it answers with an object."""
    before = (
        "struct Pair { int a, b; __device__ void set(int x) { b = x; } };"
        "struct Inner { Pair *at; __device__ Pair *operator->() const { return at; } };"
        "struct Outer { Inner in; __device__ Inner operator->() const { return in; } };"
    )
    kernel = lowered("Outer o{{(Pair *)p}}; o->b = 1; o->set(2);", before)
    assert stores(kernel) == [4, 4]


def test_an_object_as_a_condition() -> None:
    kernel = lowered("Iterator it{p}; if (it) *it = 1;")
    (branch,) = [each for each in kernel.operations() if isinstance(each, Branch)]
    assert isinstance(branch.operands[0], Compare)
    assert branch.operands[0].operands[0] is kernel.parameters[0]


CONVERTED = """
struct View {
    int *at;
    int size;
    __device__ View(int *p) : at(p), size(8) {}
};
__device__ int *end(View view) { return view.at + view.size; }
__device__ View shifted(int *p) { return p + 1; }
"""


def test_a_constructor_converts_what_is_passed_returned_initialised_and_assigned() -> None:
    kernel = lowered(
        "*end(p) = 1; *shifted(p).at = 2; View v = p + 2; *v.at = 3; v = p + 3; v.at[v.size] = 4;",
        CONVERTED,
    )
    assert stores(kernel) == [32, 4, 8, 44]


def test_a_template_parameter_hides_a_type_of_its_name() -> None:
    before = """
    struct Mine { int c; };
    struct Other { int a, b; };
    using X = Other;
    template <class T, class X> __device__ T pick(T t, X const &x) { return t + x.c; }
    """
    assert stores(lowered("Mine mine{3}; p[pick(4, mine)] = 1;", before)) == [28]


def test_where_many_overloads_are_called_often_the_last_calls_are_left_unknown() -> None:
    """Each call looks at each overload: of 650 times 700 not all are followed, and that is said."""
    functions = "".join(
        f"struct T{i} {{ int v; }}; __device__ int f(T{i} a) {{ return a.v; }}" for i in range(650)
    )
    calls = "".join(f"T{i % 650} a{i}; x[{i}] = f(a{i});" for i in range(700))
    (kernel,) = cuda_module(f"{functions} __global__ void k(int *x) {{ {calls} }}").kernels
    left = [each for each in kernel.operations() if isinstance(each, Call)]
    assert 0 < len(left) < 350
    assert {each.reason for each in left} == {TOO_LARGE}


def test_functions_of_one_name_are_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many calls there are, whether each is a method is asked once for each place."""
    asked: list[nodes.Function] = []
    is_method = Program.is_method

    def counted(program: Program, function: nodes.Function) -> bool:
        asked.append(function)
        return is_method(program, function)

    monkeypatch.setattr(Program, "is_method", counted)
    functions = "".join(
        f"namespace n{i} {{ __device__ int f(int a) {{ return a; }} }}" for i in range(40)
    )

    def questions(calls: int) -> int:
        asked.clear()
        body = "".join(f"x[{i}] = n{i % 40}::f(x[{i}]);" for i in range(calls))
        cuda_module(f"{functions} __global__ void k(int *x) {{ {body} }}")
        return sum(function.decl.name == "f" for function in asked)

    assert questions(200) < questions(20) + 10 * 180


def test_a_class_is_gone_through_once_for_all_of_its_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A class of many conversions, each of them called."""
    count = 60
    named: list[str] = []
    inside = Program._inside

    class Counted(list[object]):
        def __iter__(self) -> Iterator[object]:
            named.append("again")
            return super().__iter__()

    def counted(program: Program, owner: nodes.ClassDefinition) -> dict[str, list[nodes.Function]]:
        if not isinstance(owner.members, Counted):
            owner.members = Counted(owner.members or ())
        return inside(program, owner)

    monkeypatch.setattr(Program, "_inside", counted)
    types = "".join(f"struct T{i} {{ int v; }};" for i in range(count))
    methods = "".join(f"__device__ int m{i}() {{ return v + {i}; }}" for i in range(count))
    calls = "".join(f"x[{i}] = c.m{i}();" for i in range(count))
    cuda_module(
        f"{types} struct C {{ int v; {methods} }};"
        f" __global__ void k(int *x) {{ C c; c.v = x[0]; {calls} }}"
    )
    assert 0 < len(named) < count


def test_what_a_class_template_is_deduced_from_is_an_instance_of_it() -> None:
    """An object that converts itself, and a number, fit no operator on ranges of any type."""
    before = """
        template <typename T> struct Range {
            T held;
            __device__ int get() const { return held; }
        };
        struct Count {
            int value;
            __device__ operator int() const { return value; }
        };
        template <typename A, typename T>
        __device__ int operator+(const Range<A> &one, const T &) { return one.get() + 100; }
        template <typename T, typename B>
        __device__ int operator+(const T &, const Range<B> &two) { return two.get() + 200; }
    """
    body = "Count c; c.value = n; Range<int> r; r.held = n;"
    added = [
        {
            operand.value
            for each in lowered(f"{body} *p = {written};", before).operations()
            for operand in each.operands
            if isinstance(operand, Constant)
        }
        for written in ("c + 3", "r + 3", "3 + r")
    ]
    assert added == [{3}, {100}, {200}]
