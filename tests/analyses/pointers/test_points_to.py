"""Which objects an access may touch: one store per kernel, and what it is known to hit."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess

DECLARED = """
struct Two { int *first; int count; int *second; };
struct Inner { float *data; };
struct Outer { Inner inner; int n; };
__device__ int counter[8];
__constant__ int table[8];
__managed__ int shared_with_host[8];
__device__ int *pick(int *a, int *b, int n) { return n > 0 ? a : b; }
__device__ void put(int *where) { *where = 1; }
__device__ int *advanced(int *p, int n) { p += n; return p + 1; }
"""


def store(body: str, parameters: str) -> tuple[set[str], set[Space], str | None]:
    """Targets, spaces and the one object of the last store of a kernel."""
    facts = facts_of(f"{DECLARED}__global__ void k({parameters}) {{ {body} }}", (64, 1, 1))
    stores = [
        operation
        for operation in facts.kernel.operations()
        if isinstance(operation, MemoryAccess) and operation.kind is AccessKind.STORE
    ]
    access = stores[-1]
    targets = {"?" if item is None else item.name for item in facts.points_to.of(access.address)}
    one = facts.points_to.object_of(access)
    return targets, set(facts.points_to.spaces(access)), None if one is None else one.name


P = "int *p, int *q, int n"
CASES: list[tuple[str, str, set[str], set[Space]]] = [
    ("p[threadIdx.x] = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("*(p + n * 4 - 3) = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("int *r = p; r += 4; ++r; *r = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("int *r = n ? p : q; *r = 1;", P, {"*p", "*q"}, {Space.GLOBAL}),
    ("int *r = p; if (n) r = q; *r = 1;", P, {"*p", "*q"}, {Space.GLOBAL}),
    ("int *r = p; for (int i = 0; i < n; ++i) r += i; *r = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("*pick(p, q, n) = 1;", P, {"*p", "*q"}, {Space.GLOBAL}),
    ("put(q + 2);", P, {"*q"}, {Space.GLOBAL}),
    ("*advanced(p, n) = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("int &r = q[n]; r = 1;", P, {"*q"}, {Space.GLOBAL}),
    ("((char *)p)[n] = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("*reinterpret_cast<double *>(p + n) = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("size_t at = (size_t)p + 16; *(int *)at = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("int *r = (int *)((size_t)p & ~15); *r = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("__shared__ int s[64]; s[n] = 1;", P, {"s"}, {Space.SHARED}),
    ("__shared__ int s[8][8]; int *r = s[n]; r[2] = 1;", P, {"s"}, {Space.SHARED}),
    ("__shared__ int s[64]; put(&s[n]);", P, {"s"}, {Space.SHARED}),
    ("__shared__ int s[64]; int *r = n ? s : p; *r = 1;", P, {"s", "*p"}, set()),
    ("extern __shared__ int s[]; int *r = s + n; r[1] = 1;", P, {"s"}, {Space.SHARED}),
    ("int l[8]; l[n & 7] = 1; p[0] = l[0]; l[1] = 3;", P, {"l"}, {Space.LOCAL}),
    ("counter[n] = 1;", P, {"counter"}, {Space.GLOBAL}),
    ("shared_with_host[n] = 1;", P, {"shared_with_host"}, {Space.GLOBAL}),
    ("t.second[t.count] = 1;", "Two t", {"*t.second"}, {Space.GLOBAL}),
    ("Two u = t; u.first[3] = 1;", "Two t", {"*t.first"}, {Space.GLOBAL}),
    ("p[q[n]] = 1;", P, {"*p"}, {Space.GLOBAL}),
    ("p[q - p] = 1;", "int *p, int *q", {"*p"}, {Space.GLOBAL}),
]


@pytest.mark.parametrize(("body", "parameters", "targets", "spaces"), CASES)
def test_what_a_store_touches(
    body: str, parameters: str, targets: set[str], spaces: set[Space]
) -> None:
    found, where, one = store(body, parameters)
    assert found == targets
    assert where == (spaces or {Space.SHARED, Space.GLOBAL})
    assert one == (next(iter(targets)) if len(targets) == 1 else None)


def test_the_result_of_an_unknown_call_is_not_known() -> None:
    targets, spaces, one = store("int *r = elsewhere(p); *r = 1;", "int *p")
    assert targets == {"?"}
    assert spaces == {Space.GENERIC}
    assert one is None


def test_one_object_for_each_field_of_a_parameter() -> None:
    text = (
        DECLARED + "__global__ void k(Two t) { t.first[0] = 1; t.first[1] = 2; t.second[0] = 3; }"
    )
    facts = facts_of(text, (64, 1, 1))
    objects = [facts.points_to.object_of(access) for access in facts.accesses]
    assert objects[0] is objects[1]
    assert objects[1] is not objects[2]
    assert [item.pointee for item in objects if item is not None] == [True] * 3


def test_the_space_of_an_access() -> None:
    facts = facts_of(
        DECLARED + "__global__ void k(int *p, int n) { __shared__ int s[4];"
        " s[0] = table[n]; int *r = n ? s : p; *r = 1; }",
        (64, 1, 1),
    )
    assert [facts.points_to.space_of(access) for access in facts.accesses] == [
        *(Space.CONSTANT, Space.SHARED, Space.GENERIC)
    ]


MEMORY = "struct Node { Node *next; int *data; }; struct Ring { int *slots[4]; };"
THROUGH_MEMORY: list[tuple[str, str, set[str]]] = [
    ("int *r = pp[n]; *r = 1;", "int **pp, int n", {"*(*pp[...])"}),
    ("pp[1][n] = 1;", "int **pp, int n", {"*(*pp[8])"}),
    ("pp[0] = q; pp[0][n] = 1;", "int **pp, int *q, int n", {"*(*pp)", "*q"}),
    ("__shared__ int *s[2]; s[0] = q; s[1] = p; *s[n] = 1;", "int *p, int *q, int n", {"*p", "*q"}),
    ("int *l[2] = {p, q}; *l[n] = 1;", "int *p, int *q, int n", {"*p", "*q"}),
    ("a->data[n] = 1;", "Node *a, int n", {"*(*a[8])"}),
    ("*r.slots[n] = 1;", "Ring r, int n", {"*r.slots"}),
    ("Ring *w = &r; *w->slots[n] = 1;", "Ring r, int n", {"*r...."}),
    ("elsewhere(pp); *pp[0] = 1;", "int **pp, int *q", {"*(*pp)"}),
    ("pp[1] = q; elsewhere(pp); *pp[1] = 1;", "int **pp, int *q", {"*(*pp[8])", "*q"}),
    ("elsewhere(elsewhere(n)); *pp[0] = 1;", "int **pp, int n", {"*(*pp)"}),
    ("*elsewhere(n) = elsewhere(1); *pp[0] = 1;", "int **pp, int n", {"*(*pp)"}),
    ("pp[n] = elsewhere(1); *pp[0] = 1;", "int **pp, int n", {"*(*pp)", "?"}),
]


@pytest.mark.parametrize(
    "call",
    [
        'elsewhere("text");',
        'const char *t = n ? "one" : "two"; elsewhere(t);',
        "elsewhere(std::bit_cast<float>(n + 1));",
        "elsewhere(UINT32_C(0x7800000) + n);",
    ],
)
def test_a_call_that_is_not_known_writes_to_what_it_is_given(call: str) -> None:
    facts = facts_of(f"__global__ void k(int **pp, int n) {{ {call} *pp[1] = n; }}", (64, 1, 1))
    address = facts.accesses[-1].address
    assert [item and item.name for item in facts.points_to.of(address)] == ["*(*pp[8])"]


@pytest.mark.parametrize(
    ("given", "targets"),
    [
        ("elsewhere(n)", {"*p"}),
        ("s", {"*p", "?"}),
        ("&s[1]", {"*p", "?"}),
        ("holder", {"*p", "?"}),
        ("(size_t)s ^ 8", {"*p", "?"}),
        ("(size_t)n ^ 8", {"*p"}),
    ],
)
@pytest.mark.parametrize("space", ["__shared__", ""])
def test_code_that_is_not_followed_writes_only_what_it_can_reach(
    given: str, targets: set[str], space: str
) -> None:
    body = f"{space} int *s[2]; int **holder[1] = {{s}}; s[n] = p; outside({given}); *s[0] = 1;"
    assert store(body, "int *p, int n")[0] == targets


def test_an_address_that_goes_where_it_is_not_followed_exposes_its_object() -> None:
    """What is given to the call is not known: it may be the swizzled address of before."""
    body = """__shared__ int *s[2]; s[n] = p; out[0] = KEPT;
        elsewhere(elsewhere(n)); *s[0] = 1;"""
    parameters = "int *p, size_t *out, int n"
    assert store(body.replace("KEPT", "(size_t)s"), parameters)[0] == {"*p", "?"}
    assert store(body.replace("KEPT", "(size_t)s * 3"), parameters)[0] == {"*p", "?"}
    assert store(body.replace("KEPT", "(size_t)n * 3"), parameters)[0] == {"*p"}


def test_a_string_is_an_array_of_its_own() -> None:
    assert store('const char *t = "text"; p[0] = t[n]; *(char *)(t + 1) = 0;', "int *p, int n") == (
        {'"text"'},
        {Space.GLOBAL},
        '"text"',
    )


@pytest.mark.parametrize(("body", "parameters", "targets"), THROUGH_MEMORY)
def test_pointers_that_went_through_memory(body: str, parameters: str, targets: set[str]) -> None:
    facts = facts_of(f"{MEMORY}__global__ void k({parameters}) {{ {body} }}", (64, 1, 1))
    address = facts.accesses[-1].address
    assert {"?" if item is None else item.name for item in facts.points_to.of(address)} == targets


@pytest.mark.parametrize(
    ("body", "parameters", "targets"),
    [
        ("char *c = (char *)w; c[n] = 1;", "Handle w, int n", {"*w...."}),
        ("p[w] = 1;", "int *p, Index w", {"*p"}),
        ("Tile t[4]; t[n].x[threadIdx.x] = 1.0f;", "int n", {"t"}),
        ("t[n].x[threadIdx.x] = 1.0f;", "Tile *t, int n", {"*t", "*(*t[...])"}),
        ("Tile t[4]; t[0].x = q; t[n].x[3] = 1.0f;", "float *q, int n", {"t", "*q"}),
    ],
)
def test_what_is_behind_a_type_that_is_not_known(
    body: str, parameters: str, targets: set[str]
) -> None:
    assert store(body, parameters)[0] == targets


def test_a_pointer_is_not_known_because_it_is_read_before_it_is_stored() -> None:
    body = """union { int *whole; unsigned half[2]; };
        for (int i = 0; i < n; i++) { int *r = whole; whole = p; half[1] += i; *r = i; }"""
    assert store(body, "int *p, int n")[0] == {"*p"}


def test_a_pointer_that_nothing_stores_is_not_known() -> None:
    assert store("__shared__ int *s[4]; *s[threadIdx.x] = 1;", "")[0] == {"?"}


@pytest.mark.parametrize(
    ("address", "targets"),
    [
        ("((size_t)p + n + 15) / 16 * 16", {"*p"}),
        ("16 * ((size_t)(p + n) / 16)", {"*p"}),
        ("(size_t)p >> 4 << 4", {"*p"}),
        ("((size_t)p + 15) & ~15ull", {"*p"}),
        ("(size_t)p / 16 * 32", {"?"}),
        ("(size_t)p >> 4 << 3", {"?"}),
    ],
)
def test_a_rounded_address_leads_to_the_same_object(address: str, targets: set[str]) -> None:
    assert store(f"int *q = (int *)({address}); *q = 1;", "char *p, int n")[0] == targets


def test_lists_and_trees_come_to_an_end() -> None:
    body = "for (; a; a = a->next) for (Node *b = a->next; b; b = b->next) *b->data = 1;"
    facts = facts_of(f"{MEMORY}__global__ void k(Node *a) {{ {body} }}", (64, 1, 1))
    targets = facts.points_to.of(facts.accesses[-1].address)
    assert targets
    assert None not in targets


@pytest.mark.parametrize(
    ("number", "targets"),
    [
        ("(size_t)n * n", {"*a"}),
        ("(size_t)n << 3", {"*a"}),
        ("(size_t)n / 3 % 5", {"*a"}),
        ("(short)((size_t)n / 3)", {"*a"}),
        ("(size_t)elsewhere(n)", {"*a"}),
        ("4096 * (size_t)elsewhere(n)->first", {"*a"}),
        ("__popcll(n)", {"*a"}),
        ("(size_t)a * n", {"*a", "?"}),
        ("(size_t)a * n + (size_t)elsewhere(n)", {"*a", "?"}),
        ("((size_t)a / 16 + 1) * 16", {"*a", "?"}),
    ],
)
def test_numbers_beside_a_pointer_do_not_hide_where_it_leads(
    number: str, targets: set[str]
) -> None:
    body = f"void *v[2]; v[n] = a; ((size_t *)v)[n] = {number}; *(int *)v[1] = 1;"
    assert store(body, "int *a, int n")[0] == targets


def test_what_is_not_written_yet_leads_nowhere() -> None:
    """A pointer that only some paths set is, where it is used, one that was set."""
    body = "int *q; if (n > 3) q = p; if (n > 3) q[n] = 1;"
    assert store(body, "int *p, int n")[0] == {"*p"}
    assert store("int *q; q[n] = 1;", "int n")[0] == {"?"}
    body = "Two s[2]; Two t; t.first = p; s[n] = t; Two u = s[0]; u.first[n] = 1;"
    assert store(body, "int *p, int n")[0] == {"*p"}


def test_a_pointer_that_leads_to_too_many_objects_is_not_known() -> None:
    """Seventy arrays whose addresses go through one place; a single one stays known."""
    names = [f"s{number}" for number in range(70)]
    declared = "".join(f"__shared__ int {name}[4];" for name in names)
    stored = "".join(f"at[n] = {name};" for name in names)
    assert store(f"{declared} int *at[2]; {stored} at[0][n] = 1;", "int n")[0] == {"?"}
    assert store(f"{declared} int *at[2]; at[n] = s3; at[0][n] = 1;", "int n")[0] == {"s3"}


def test_numbers_computed_from_what_memory_holds_are_no_pointers() -> None:
    """A hash that is stored beside a pointer does not hide where the pointer leads."""
    head = "struct Both { unsigned long hash; int *at; };"
    body = (
        "__shared__ Both b[2]; b[n].at = p; b[n].hash = (h[n] ^ (h[1] << 7)) * 31 ^ ~h[2];"
        "b[0].at[n] = 1;"
    )
    facts = facts_of(
        f"{head}__global__ void k(int *p, unsigned long *h, int n) {{ {body} }}", (64, 1, 1)
    )
    last = [each for each in facts.accesses if each.writes][-1]
    assert facts.points_to.of(last.address) == {facts.kernel.parameters[0].pointee}


@pytest.mark.parametrize(
    ("given", "targets"),
    [("bits[n]", {"*a"}), ("(size_t)held", {"*a", "?"}), ("held", {"*a", "?"})],
)
def test_a_number_that_a_call_gets_leads_nowhere(given: str, targets: set[str]) -> None:
    declared = "__device__ void outside(size_t); __device__ void outside(int **);"
    body = f"int *held[2]; held[n] = a; outside({given}); *held[0] = 1;"
    kernel = f"__global__ void k(int *a, size_t *bits, int n) {{ {body} }}"
    facts = facts_of(f"{declared}{kernel}", (64, 1, 1))
    found = facts.points_to.of(facts.accesses[-1].address)
    assert {"?" if item is None else item.name for item in found} == targets
