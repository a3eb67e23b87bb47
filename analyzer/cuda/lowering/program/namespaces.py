"""Which functions of one name a call may mean, by the namespaces that they stand in.

In: functions, each with the namespaces and classes around it, and what stands before the name in a
call (`warp` in `warp::sum(x)`), or around the call where nothing does. Out: those that are named,
or all of them, the ones that C++ looks at first in front.
Aliases of namespaces are followed by name, wherever they are declared; where nothing has the very
namespace, what is nested least deeply in it is taken: it is inline, or a directive brings it there.
Not handled: other using directives and declarations, the namespaces of arguments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...names.libraries import NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...syntax import nodes


Path = tuple[str, ...]
_USED = re.compile(r"using\s+((?:::)?\s*(?:\w+\s*::\s*)+\w+)\s*;?\s*$")
_ALIAS = re.compile(r"namespace\s+(\w+)\s*=\s*(?:::)?\s*(\w+(?:\s*::\s*\w+)*)\s*;?\s*$")


def alias_of(text: str) -> tuple[str, Path] | None:
    """The name and the namespace of `namespace name = outer::inner;`; None for other text."""
    found = _ALIAS.match(text)
    return None if found is None else (found[1], tuple(re.findall(r"\w+", found[2])))


def used_by(text: str) -> Path | None:
    """The whole path of what `using outer::inner::name;` brings to where it stands."""
    found = _USED.match(text)
    return None if found is None else tuple(re.findall(r"\w+", found[1]))


def path_names(parts: Iterable[Any]) -> list[str]:
    """The names that a namespace path is made of, nothing for what has none."""
    return [getattr(each, "name", "") for each in parts]


class Alike:
    """Functions of one name, to be found by what they stand in."""

    def __init__(self, functions: list[nodes.Function]) -> None:
        self.functions = functions
        self._within: dict[str, list[nodes.Function]] | None = None

    def within(self, name: str) -> list[nodes.Function]:
        """Those in a namespace or class of that name, however deep in it."""
        if self._within is None:
            self._within = {}
            for function in self.functions:
                for around in dict.fromkeys(function.scope):
                    self._within.setdefault(around, []).append(function)
        return self._within.get(name, [])


def named_by(
    alike: Alike, qualifier: Sequence[str], aliases: Mapping[str, Path]
) -> list[nodes.Function]:
    """The functions that a qualifier names; all where it may be an alias or an unknown class."""
    written = tuple(filter(None, qualifier))
    if not written:
        return alike.functions
    spelled = tuple(part for name in written for part in aliases.get(name, (name,)))
    for path in (written, spelled):
        found = [each for each in alike.within(path[-1]) if each.scope[-len(path) :] == path]
        if found:
            return found
    inside = alike.within(spelled[-1])
    depths = [depth_below(each.scope, spelled) for each in inside]
    least = min((depth for depth in depths if depth is not None), default=None)
    if least is None:  # `a::block::f` is none of `b::block::f`, nor `std::f` one of the file's
        others = any(each.scope[-1] == spelled[-1] for each in inside)
        return [] if others or spelled[0] in NAMESPACES else alike.functions
    return [each for each, depth in zip(inside, depths, strict=True) if depth == least]


def seen_from(functions: list[nodes.Function], scope: Path) -> list[nodes.Function]:
    """All of the functions, those of the namespaces around a call in front, the innermost first."""

    def distance(function: nodes.Function) -> int:
        around = scope[: len(function.scope)] == function.scope
        return len(scope) - len(function.scope) if around else len(scope) + 1

    return sorted(functions, key=distance)


def depth_below(scope: Path, path: Path) -> int | None:
    """How many namespaces lie between a path and a scope; None where it is no part of the scope."""
    for first in range(len(scope) - len(path) + 1):
        if scope[first : first + len(path)] == path:
            return len(scope) - len(path) - first
    return None
