"""Classes as the lowering sees them: members, bases, constructors, methods, specialisations."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module, facts_of

from warplint.analyzer.analyses.pointers.pointer_contents import displacement
from warplint.analyzer.analyses.storage.unwritten import unwritten_uses
from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import AccessKind, Call, MemoryAccess, OpaqueOperation
from warplint.analyzer.ir.values import Constant, whole_number

HEAD = """
struct Place { int row, column; };
struct Grid {
    float *data; int pitch;
    __device__ Grid(float *p, int n) : data(p), pitch(n) { pitch += 2; }
    __device__ float &at(int row, int column) { return data[row * pitch + column]; }
    __device__ float *line(int row) const { return this->data + row * pitch; }
    __device__ float &first() { return at(0, 0); }
};
template <typename T> struct Base { static constexpr int N = sizeof(T); T *p; };
template <typename T, int M> struct Derived : Base<T> {
    int shift = M;
    explicit __device__ Derived(T *q) : Base<T>{q} {}
    template <typename U> __device__ U get(int i) const;
    __device__ T own(int i) { return this->p[i * Derived::N + shift]; }
};
template <typename X, int Y> template <typename U>
__device__ U Derived<X, Y>::get(int i) const { return this->p[i + Y]; }
template <typename T> struct Traits { static constexpr int width = 1; using type = char; };
template <> struct Traits<float> { static constexpr int width = 4; using type = float; };
template <typename T> struct Traits<T *> { static constexpr int width = 8; using type = T; };
struct Small { static const int N = 4; };
struct Large { static const int N = 64; };
enum class First { none, one };
enum class Second { one, none };
struct View { float *p; __device__ float &operator[](int i) const { return p[i + 1]; } };
struct Twice { __device__ int operator()(int i) const { return 2 * i; } };
template <typename F> __device__ int apply(F f, int i) { return f(i); }
__device__ Place split(int i) { if (i < 4) return {i, 0}; return {i / 4, i % 4}; }
__device__ void halves(int i, int *low, int *high) { *low = i & 15; *high = i >> 4; }
__device__ void grow(int &n) { int *p = &n; *p += 5; }
"""


def distances(body: str) -> list[int | None]:
    """The constant distances from x, in elements, of the stores of a kernel."""
    facts = facts_of(f"{HEAD}__global__ void k(float *x, int n) {{ {body} }}", (32, 1, 1))
    found: list[int | None] = []
    for access in facts.accesses:
        if access.kind is AccessKind.STORE:
            distance = displacement(access.address)
            found.append(None if distance is None else distance // 4)
    unread = [
        item for item in facts.kernel.operations() if isinstance(item, OpaqueOperation | Call)
    ]
    assert unread == []
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Place p{3, 4}; x[p.row + p.column] = 1;", 7),
        ("Place p = {.row = 1, .column = 4}; x[p.column] = 1;", 4),
        ("Place p{1, 2}; Place q = p; q.row = 9; x[p.row + q.row] = 1;", 10),
        ("Place p = split(3); x[p.row] = 1;", 3),
        ("Grid g(x, 6); g.at(2, 1) = 1;", 17),
        ("Grid g{x, 6}; g.line(1)[3] = 1;", 11),
        ("Grid g = Grid(x, 6); *(g.line(3) + 1) = 1;", 25),
        ("Derived<float, 7> d(x); x[d.shift] = d.own(0);", 7),
        ("x[Derived<double, 1>::N] = 1;", 8),
        ("x[Traits<int>::width] = 1;", 1),
        ("x[Traits<float>::width] = 1;", 4),
        ("x[Traits<short *>::width] = 1;", 8),
        ("x[sizeof(Traits<short *>::type)] = 1;", 2),
        ("x[sizeof(typename Traits<float>::type)] = 1;", 4),
        ("x[Small::N + Large::N] = 1;", 68),
        ("x[(int)First::one * 10 + (int)Second::one] = 1;", 10),
        ("View v{x}; v[2] = 1;", 3),
        ("x[apply(Twice(), 4)] = 1;", 8),
        ("x[apply([](int i) { return 3 * i; }, 4)] = 1;", 12),
        ("int k = 5; auto f = [k](int i) { return i + k; }; x[f(1)] = 1;", 6),
        ("x[[&] { return 9; }()] = 1;", 9),
        ("int low, high; halves(37, &low, &high); x[low + high] = 1;", 7),
        ("int m = 3; grow(m); x[m] = 1;", 8),
        ("union { int i; unsigned u; }; i = 4; x[3] = u;", 3),
    ],
)
def test_where_the_last_store_goes(body: str, expected: int) -> None:
    assert distances(body)[-1] == expected


def test_a_constant_of_several_classes_is_not_taken_from_one_of_them() -> None:
    assert distances("x[Small::N] = 1; x[Large::N] = 1;") == [4, 64]


def test_a_method_defined_outside_knows_the_arguments_of_its_class() -> None:
    text = (
        f"{HEAD}__global__ void k(float *x) {{ Derived<float, 7> d(x); x[0] = d.get<float>(2); }}"
    )
    facts = facts_of(text, (32, 1, 1))
    (load,) = [access for access in facts.accesses if access.kind is AccessKind.LOAD]
    assert isinstance(load.address.operands[1], Constant)  # type: ignore[attr-defined]
    assert load.address.operands[1].value == 36  # type: ignore[attr-defined]


def test_the_counter_in_a_class_is_a_counter() -> None:
    body = "for (Place p{0, 0}; p.row < n; p.row += 2) x[p.row * 32 + threadIdx.x] = 1;"
    facts = facts_of(f"{HEAD}__global__ void k(float *x, int n) {{ {body} }}", (32, 1, 1))
    phis = [phi for block in facts.kernel.blocks for phi in block.phis]
    assert [phi.variable for phi in phis] == ["p.row"]


def test_a_variable_whose_address_gets_away_is_in_memory() -> None:
    text = "int m = 3; int *where[2]; where[n & 1] = &m; *where[0] = 4; x[m] = 1;"
    facts = facts_of(f"__global__ void k(float *x, int n) {{ {text} }}", (32, 1, 1))
    assert {item.name for item in facts.kernel.objects if item.space is Space.LOCAL} == {
        "m",
        "where",
    }
    store = [item for item in facts.accesses if item.kind is AccessKind.STORE][-2]
    assert isinstance(store, MemoryAccess)
    targets = facts.points_to.of(store.address)
    assert {None if item is None else item.name for item in targets} == {"m"}


def test_overloads_are_told_apart_by_what_they_take() -> None:
    text = """
    struct Pair { float x, y; };
    __device__ float low(Pair a, Pair b) { return fminf(a.x, b.x); }
    __device__ Pair fminf(Pair a, Pair b) { return Pair{fminf(a.x, b.x), fminf(a.y, b.y)}; }
    __global__ void k(float *x) { Pair p{x[0], x[1]}; x[2] = fminf(p, p).x + fminf(x[3], x[4]); }
    """
    facts = facts_of(text, (32, 1, 1))
    assert not any(isinstance(item, Call) for item in facts.kernel.operations())


def test_a_name_behind_decltype_is_not_known() -> None:
    text = (
        "__global__ void k(float *x, int n) { decltype(n)::type i = 3; x[decltype(n)::width] = i; }"
    )
    assert facts_of(text, (32, 1, 1)).kernel.blocks


def test_each_instance_of_a_class_calls_the_next_one() -> None:
    facts = facts_of(
        """template <int n> struct Unroll {
            template <typename F> __device__ void operator()(const F &f) const {
                f(n - 1);
                Unroll<n - 1>{}(f);
            }
        };
        template <> struct Unroll<1> {
            template <typename F> __device__ void operator()(const F &f) const { f(0); }
        };
        __global__ void k(int *x) {
            auto store = [&](const int i) { x[i] = i; };
            Unroll<3>{}(store);
        }"""
    )
    operations = list(facts.kernel.operations())
    stores = [each for each in operations if isinstance(each, MemoryAccess)]
    assert [whole_number(each.operands[1]) for each in stores] == [2, 1, 0]
    assert not [each for each in operations if isinstance(each, Call)]


def test_a_method_of_a_base_is_called_on_the_object_itself() -> None:
    text = """
    struct Base { float *mask; __device__ const float *get() const { return mask + 2; } };
    template <typename T> struct Offset { int n; __device__ int get() const { return n; } };
    struct View : Base, Offset<float> {
        __device__ float *get() const { return const_cast<float *>(Base::get()); }
        __device__ void set() { get()[Offset<float>::get()] = 1; }
    };
    __global__ void k(float *x) { View v{{x}, {3}}; v.set(); }
    """
    facts = facts_of(text, (32, 1, 1))
    assert [displacement(access.address) for access in facts.accesses] == [20]
    assert not any(isinstance(item, Call) for item in facts.kernel.operations())


SESSION = """
struct Comm { float *slots; int rank; };
struct Session {
    float *mine; int rank; float *more;
    __device__ Session(const Comm &comm, int i);
    __device__ void set() const { mine[rank] = 1; }
    __device__ Session *self() { return this; }
};
template <typename S> __device__ void init(S *s, const Comm &comm, int i) {
    s->mine = comm.slots;
    for (int k = 0; k < 2; ++k) s->mine += i;
    s->rank = comm.rank;
}
__device__ Session::Session(const Comm &comm, int i) : more(comm.slots) { init(this, comm, i); }
__device__ void advance(Session *s) { s += 1; s->rank = 7; }
"""


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("Session s(c, 2); s.set();", True),
        ("Session s{c, 2}; s.self()->set();", True),
        ("Session s(c, 2); s.self()->self()->rank = 3; s.set();", True),
        ("Session s(c, 2); c.slots[(unsigned long)s.self() % 8] = 1; s.set();", False),
        ("Session s(c, 2); advance(s.self()); s.set();", False),
        ("Session s(c, 2), t(c, 3); (c.rank ? s.self() : t.self())->set();", False),
    ],
)
def test_an_object_stays_in_registers_while_its_address_is_only_followed(
    body: str, kept: bool
) -> None:
    facts = facts_of(f"{SESSION}__global__ void k(Comm c) {{ {body} }}", (32, 1, 1))
    objects = {facts.points_to.object_of(access) for access in facts.accesses}
    names = {item.name for item in objects if item is not None}
    assert names == {"*c.slots"} if kept else "s" in names


REFERENCES = """
struct Comm { float *slots; int rank; };
struct Tile { int left[8]; int right[8]; };
struct View {
    Comm const &comm; int pad; Tile &tile;
    __device__ View(Comm const &comm, Tile &tile) : comm(comm), pad(comm.rank), tile(tile) {}
    __device__ void mark(int i) { for (; i < comm.rank; i += 3) tile.right[i] = pad; }
    __device__ float *slot() const { return comm.slots + 2; }
};
struct Pair { int &first; int *second; };
struct Outer { View view; Pair pair; __device__ Outer(View v, Pair p) : view(v), pair(p) {} };
__device__ void bump(Pair p) { p.first += 2; *p.second = p.first; }
"""


@pytest.mark.parametrize(
    ("body", "objects"),
    [
        ("__shared__ Tile t; View v(c[1], t); v.mark(1);", {"t", "*c"}),
        ("__shared__ Tile t; View v{c[1], t}; v.tile.left[0] = 1;", {"t"}),
        ("__shared__ Tile t; Comm d{x, 4}; View v(d, t); *v.slot() = 1;", {"*x"}),
        ("__shared__ int s[4]; Pair p{s[1], x}; bump(p);", {"s", "*x"}),
        ("int n = 3; Pair p{n, x}; bump(p); x[n] = 1;", {"*x"}),
        (
            "__shared__ Tile t; Comm d{x, 4}; View v(d, t); int n = 1; Pair p{n, x};"
            "Outer o(v, p); o.view.mark(0); *o.view.slot() = 1; bump(o.pair); x[n] = 1;",
            {"t", "*x"},
        ),
    ],
)
def test_members_that_are_references_are_what_they_refer_to(body: str, objects: set[str]) -> None:
    kernel = f"__global__ void k(const Comm *c, int *x) {{ {body} }}".replace(
        "x, 4", "(float *)x, 4"
    )
    facts = facts_of(REFERENCES + kernel, (32, 1, 1))
    found = {facts.points_to.object_of(access) for access in facts.accesses}
    assert {"?" if item is None else item.name for item in found} == objects


def test_what_is_written_through_a_reference_is_there_afterwards() -> None:
    body = "int n = 3; Pair p{n, x}; bump(p); x[n] = 1;"
    facts = facts_of(f"{REFERENCES}__global__ void k(int *x) {{ {body} }}", (32, 1, 1))
    assert [displacement(access.address) for access in facts.accesses] == [0, 20]
    assert whole_number(facts.accesses[0].operands[1]) == 5


@pytest.mark.parametrize(
    ("member", "offset"),
    [
        ("struct Mixed, tail", 16),
        ("Mixed, inner.b", 8),
        ("Mixed, tail[2]", 32),
        ("Grid, pitch", 8),
        ("View2<double>, comm", 0),
        ("View2<double>, rank", 8),
        ("View2<double>, rest", 12),
    ],
)
def test_offsets_of_members(member: str, offset: int) -> None:
    more = """
    struct Inner { int a; float b; };
    struct Mixed { char c; Inner inner; short s; double tail[3]; };
    template <typename T> struct View2 { T &comm; int rank; int rest[]; };
    """
    kernel = f"__global__ void k(char *x) {{ constexpr int n = offsetof({member}); x[n] = 1; }}"
    facts = facts_of(f"{HEAD}{more}{kernel}", (32, 1, 1))
    assert [displacement(access.address) for access in facts.accesses] == [offset]


def test_a_pack_that_is_not_known_gets_what_it_names() -> None:
    text = """
    struct Held { float *first; };
    __device__ float *other(float **from, int i);
    template <int... i> __global__ void k(float *y) {
        float *held[2]; held[0] = y;
        float *apart[2]; apart[0] = y;
        Held h{other(held, i)...};
        *held[0] = 1;
        *apart[0] = 1;
    }
    """
    facts = facts_of(text, (32, 1, 1))
    stores = [access for access in facts.accesses if access.kind is AccessKind.STORE][-2:]
    assert [None in facts.points_to.of(access.address) for access in stores] == [True, False]


MIXED = """
struct Held { int n; float row[4]; int *more; };
__device__ void outside(float *);
__device__ int sum(Held h) { return h.n + (int)h.row[1]; }
struct Run {
    Held held; float *out;
    __device__ Run(float *p) : out(p) { held.n = 3; held.row[1] = 2; }
    __device__ void read() { outside(held.row + 0); }
};
"""


@pytest.mark.parametrize(
    ("body", "objects"),
    [
        ("Run r(x); r.out[r.held.n] = 1;", {"*x"}),
        ("Run r(x); outside(r.held.row); r.out[r.held.n] = 1;", {"r.held.row", "*x"}),
        ("Run r(x); outside(&r.held.row[1]); r.out[r.held.n] = 2;", {"r.held.row", "*x"}),
        ("Run r(x); r.read(); r.out[r.held.n] = r.held.row[1];", {"r.held.row", "*x"}),
        ("Held h; h.n = 5; h.row[1] = 1; outside(h.row); x[sum(h)] = 1;", {"h.row", "*x"}),
        ("Held h; h.n = 5; h.row[0] = 1; *h.row = 2; x[h.n + (int)*h.row] = 1;", {"h.row", "*x"}),
    ],
)
def test_only_the_member_whose_address_is_needed_lies_in_memory(
    body: str, objects: set[str]
) -> None:
    facts = facts_of(f"{MIXED}__global__ void k(float *x) {{ {body} }}", (32, 1, 1))
    found = {facts.points_to.object_of(access) for access in facts.accesses}
    assert {"?" if item is None else item.name for item in found} == objects


def test_what_a_function_leaves_open_is_stored_all_the_same() -> None:
    text = """
    struct Held { int n; float row[4]; };
    __device__ void outside(float *);
    __device__ Held left(int n) { Held h; h.n = n; return h; }
    __device__ float open(float x) { float y; return y; }
    __global__ void k(float *x) {
        Held h = left(3), blank; outside(h.row); outside(blank.row);
        float tile[4]; tile[threadIdx.x & 3] = open(x[0]); x[1] = tile[2];
        x[h.n] = h.row[2] + blank.row[1];
    }
    """
    facts = facts_of(text, (32, 1, 1))
    stores = [access for access in facts.accesses if access.kind is AccessKind.STORE]
    found = [facts.points_to.object_of(access) for access in stores]
    assert [item.name for item in found if item] == ["h.row", "tile", "*x", "*x"]


def test_a_pointer_of_an_object_to_itself_is_not_followed_to_where_it_was_made() -> None:
    text = """
    struct Node { Node *me; int *out; int n; __device__ Node(int *p) : me(this), out(p), n(1) {} };
    __global__ void k(int *x) { Node node(x); node.n = 5; x[2] = node.me->n; node.out[1] = 3; }
    """
    facts = facts_of(text, (32, 1, 1))
    stores = [access for access in facts.accesses if access.kind is AccessKind.STORE]
    assert [displacement(access.address) for access in stores] == [8, 4]
    assert not isinstance(stores[0].operands[1], Constant)
    assert whole_number(stores[1].operands[1]) == 3


def test_a_variable_that_is_set_for_other_architectures_only_is_one_that_is_given_away() -> None:
    text = """
    __device__ int fill(int n, unsigned char *out) {
    #if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 1200)
        if (out) *out = n;
    #endif
        return 0;
    }
    __global__ void k(char *x, int n) { unsigned char s; x[1] = fill(n, &s); x[2] = s; }
    """
    facts = facts_of(text, (32, 1, 1))
    assert list(unwritten_uses(facts)) == []


DIAMONDS = "struct B0 { int v; __device__ int get() { return 3; } };" + "".join(
    f"struct L{i} : B{i} {{}}; struct R{i} : B{i} {{}};"
    f"struct B{i + 1} : L{i}, R{i} {{ int own{i}; }};"
    for i in range(30)
)


def test_of_classes_that_double_the_members_are_not_known_beyond_some_thousands() -> None:
    module = cuda_module(
        DIAMONDS + "__global__ void k(int *x) { B30 b; B2 c; c.own1 = 1; x[0] = c.own1;"
        " L0 d; x[1] = d.get(); x[2] = sizeof(B2); x[3] = sizeof(B30); x[4] = b.none(); }"
    )
    stores = [each for each in module.kernels[0].operations() if isinstance(each, MemoryAccess)]
    stored = [whole_number(each.operands[1]) for each in stores if each.operands[1:]]
    assert stored == [1, 3, 28, None, None]
