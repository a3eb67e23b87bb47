"""Which instances of kernel templates are analysed.

In: the instances of each template, with the launches of each, in the order of the file. Out: those
to look at. Instances that run other code, as they are given other lambdas, functions or classes,
are kernels of their own; of those that run the same code with other numbers and plain types the
first few stand for all, and fewer where a file has many.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .lowering.model.scope import ClassScope, FunctionValue, LambdaValue, ValuePlace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .host.launches import Seen

    Instances = Mapping[tuple[str, ...], list[Seen]]

MOST, FEWEST = 8, 2  # instances of one template with the same code
MOST_CODES = 64  # kinds of code that one template is given
FURTHER = 128  # instances of a file, beside the first of each template and code


def most_of_each(templates: Iterable[Instances]) -> int:
    """How many instances of the same code each template of a file may have, so that all have as
    many: types and sizes by the dozen, for each of a hundred kernels, would take a minute.
    """
    counts = [count for each in templates for count in Counter(_codes(each)).values()]
    most = MOST
    while most > FEWEST and sum(min(count, most) - 1 for count in counts) > FURTHER:
        most -= 1
    return most


def chosen(instances: Instances, most: int) -> list[list[Seen]]:
    """The launches of each instance of a kernel template to look at, in the order of the file."""
    counts: Counter[frozenset[object]] = Counter()
    found: list[list[Seen]] = []
    for code, launches in zip(_codes(instances), instances.values(), strict=True):
        if counts[code] < most and (code in counts or len(counts) < MOST_CODES):
            counts[code] += 1
            found.append(launches)
    return found


def _codes(instances: Instances) -> Iterator[frozenset[object]]:
    """What tells the code of each instance from that of others."""
    for first, *_ in instances.values():
        bound = first.bound
        types = [*bound.types.values()]
        types += [each.value.type for each in bound.names.values() if isinstance(each, ValuePlace)]
        origins = (type.origin for type in types)
        yield frozenset(filter(None, map(_code, origins)))


def _code(origin: object) -> object:
    if isinstance(origin, LambdaValue):
        return id(origin.node)
    if isinstance(origin, ClassScope):
        return id(origin.definition)
    return origin.name if isinstance(origin, FunctionValue) else None
