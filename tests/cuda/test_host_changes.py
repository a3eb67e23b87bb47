"""What host code changes, as its text says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warplint.analyzer.cuda.host.changes import Changes
from warplint.analyzer.cuda.syntax import nodes
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.cuda.host.changes import Changed

LAUNCH = "k<<<1, 32>>>(p);"


def changed(body: str) -> list[Changed]:
    """What the body of a function that launches changes, then what its lambdas do, in order."""
    unit = parse_cuda(SourceText("a.cu", f"__global__ void k(int *p);\nvoid f() {{ {body} }}"))
    (function,) = (each for each in unit.functions if each.body is not None)
    changes = Changes()
    found = [changes.of(function.body)]
    lambdas = [each for each in nodes.walk(function.body) if isinstance(each, nodes.Lambda)]
    return found + [changes.of(each.body) for each in lambdas]


def test_a_function_changes_what_its_lambdas_change_and_not_the_other_way_round() -> None:
    outer, one, inner, two = changed(
        "int a, b, c, d; a = 1; [&] { b += 2; [&] { ++c; take(&d); }(); }(); [&] { d = 3; }(); "
        + LAUNCH
    )
    assert outer.assigned == {"a", "b", "c", "d"}
    assert one.assigned == {"b", "c"}
    assert inner.assigned == {"c"}
    assert two.assigned == {"d"}
    assert [each.escaped for each in (outer, one, inner, two)] == [{"d"}, {"d"}, {"d"}, set()]


def test_parts_of_a_variable_are_changes_of_it() -> None:
    (outer,) = changed(f"s.a.b = 1; t[3]++; {LAUNCH}")
    assert outer.assigned == {"s", "t"}


def test_a_table_of_addresses_that_only_a_launch_sees_changes_nothing() -> None:
    table = "void *given[] = {&n, &p};"
    launch = "cudaLaunchKernel(k, 1, 32, given, 0, 0);"
    assert changed(f"{table} {launch}")[0].escaped == set()
    assert changed(f"{table} {launch} keep(given);")[0].escaped == {"n", "p"}


def test_what_a_library_fills_is_assigned_and_does_not_escape() -> None:
    (outer,) = changed(f'int n, m; fscanf(f, "%d %d", &n, &m); cudaGetDeviceCount(&d); {LAUNCH}')
    assert outer.escaped == set()
    assert outer.assigned == {"n", "m", "d"}


def test_what_a_library_only_reads_is_not_assigned() -> None:
    (outer,) = changed(f"MPI_Allreduce(&one, &sum, 1); MPI_Comm_rank(c, &rank); {LAUNCH}")
    assert outer.escaped == set()
    assert outer.assigned == {"sum", "rank"}


def test_what_others_may_keep_escapes() -> None:
    (outer,) = changed(f"read_sizes(&n); MPI_Irecv(&m, 1); scanf(f, &s.n, &t[2]); {LAUNCH}")
    assert outer.escaped == {"n", "m", "s", "t"}
    assert outer.assigned == set()
