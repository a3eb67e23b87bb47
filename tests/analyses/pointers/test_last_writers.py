"""Which name memory was last written through, against all paths through small programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.pointers.last_writers import mistaken_reads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.operations import MemoryAccess

#: A read or write through a name ("r0", "w1"), or two programs of which one is run.
Step = str | tuple[list["Step"], list["Step"]]
NAMES = "ab"

steps: st.SearchStrategy[list[Step]] = st.recursive(
    st.lists(st.sampled_from(["ra", "rb", "wa", "wb"]), max_size=4),
    lambda inner: st.lists(
        st.sampled_from(["ra", "rb", "wa", "wb"]) | st.tuples(inner, inner), max_size=4
    ),
    max_leaves=4,
)


def text_of(program: list[Step], numbers: Iterator[int]) -> str:
    """Each access at an index of its own, which tells it apart."""
    text = ""
    for step in program:
        if isinstance(step, tuple):
            first, second = (text_of(each, numbers) for each in step)
            text += f"if (n > {next(numbers)}) {{ {first} }} else {{ {second} }} "
        else:
            place = f"{step[1]}[{next(numbers)}]"
            text += f"{place} = n; " if step[0] == "w" else f"p[0] = {place}; "
    return text


def paths(program: list[Step]) -> Iterator[list[str]]:
    """Every sequence of accesses; each access of the program has its place in it."""
    if not program:
        yield []
        return
    first, *rest = program
    starts = (
        [path for each in first for path in paths(each)] if isinstance(first, tuple) else [[first]]
    )
    for start in starts:
        for end in paths(rest):
            yield [*start, *end]


def numbered(program: list[Step], numbers: Iterator[int]) -> list[Step]:
    return [
        (numbered(step[0], numbers), numbered(step[1], numbers))
        if isinstance(step, tuple)
        else f"{step}{next(numbers)}"
        for step in program
    ]


def found_in(facts: KernelFacts) -> dict[MemoryAccess, frozenset[str]]:
    names = {}
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if item is not None and item.name in NAMES:
            names[access] = item.name
    return dict(mistaken_reads(facts.flow, names))


def facts_of_body(body: str) -> KernelFacts:
    return body_facts(f"__shared__ int a[256], b[256]; {body}")


@settings(max_examples=60)
@given(steps)
def test_reads_of_what_was_written_through_another_name(program: list[Step]) -> None:
    facts = facts_of_body(text_of(program, iter(range(200))))
    expected: dict[str, set[str]] = {}
    for path in paths(numbered(program, iter(range(200)))):
        last = ""
        for access in path:
            if access[0] == "w":
                last = access[1]
            elif last and last != access[1]:
                expected.setdefault(access, set()).add(last)
    found = [set(names) for names in found_in(facts).values()]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected.values()))


def test_a_loop_that_fills_an_array_runs() -> None:
    filled = "a[0] = 1; for (int i = 0; i < n; i++) { b[i] = 2; } p[0] = b[0];"
    assert found_in(facts_of_body(filled)) == {}
    updated = "a[0] = 1; for (int i = 0; i < n; i++) { b[i] += 2; } p[0] = b[0];"
    assert len(found_in(facts_of_body(updated))) == 2


def test_what_an_iteration_writes_is_read_in_the_next() -> None:
    body = "for (int i = 0; i < n; i++) { p[i] = a[i]; b[i] = 1; }"
    assert list(found_in(facts_of_body(body)).values()) == [{"b"}]
