"""Who may write an object, and which operations get an address in it."""

from __future__ import annotations

from analyses.kernels import body_facts

FACTS = body_facts(
    "__shared__ int s[64]; int *r = n ? p : s; s[n] = 1; p[n] = s[3]; *r = 2; q[0] = p[1];",
    parameters="int *p, int *q, int n",
)


def test_the_writers_of_each_object_in_program_order() -> None:
    stores = [each for each in FACTS.accesses if each.writes]
    into_shared, into_p, through_r, into_q = stores
    by_name = {"?" if item is None else item.name: found for item, found in FACTS.writers.items()}
    assert by_name == {
        "s": [into_shared, through_r],
        "*p": [into_p, through_r],
        "*q": [into_q],
    }


def test_what_is_not_known_may_write_anything() -> None:
    facts = body_facts("int *r = (int *)p[n]; *r = 1;", parameters="long long *p, int n")
    assert all(access.writes for found in facts.writers.values() for access in found)
    assert len(facts.writers) == 1
    assert body_facts("int x = p[n];").writers == {}


def test_the_operations_that_get_an_address() -> None:
    by_name = {item.name: found for item, found in FACTS.uses_of_objects.items()}
    for found in by_name.values():
        for operation, place in found:
            assert FACTS.points_to.of(operation.operands[place])
    accesses = {access for access in FACTS.accesses if access.reads}
    assert accesses <= {operation for found in by_name.values() for operation, _ in found}
    assert set(by_name) == {"s", "*p", "*q"}
