"""Which kernel a launch means when the two stand in different files of a run.

In: what a file says of a kernel it defines, declares or launches. Out: a `KernelIdentity`: the
qualified name with the types of the parameters, as linkers compare them (Itanium C++ ABI,
"Mangling"). What a file does not say is None and fits everything. `const` is not compared.
`Exports` are what one file has to say to others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from .kernel import Launch

_TRUTHS = {"true": "1", "false": "0"}


@dataclass(frozen=True, slots=True)
class KernelIdentity:
    """The name of a kernel as other files of the run may launch it."""

    name: str
    scope: tuple[str, ...] | None = None  # the namespaces around it
    parameters: tuple[str | None, ...] | None = None  # words of their types: `f32*`, `u64`, `Point`
    arguments: tuple[str, ...] | None = None  # of a template; None: any, or no template

    def may_be(self, other: KernelIdentity) -> bool:
        """Whether both may be one kernel."""
        near = None in (self.scope, other.scope) or self.scope == other.scope
        same = near and self.name == other.name
        return same and _fit(self.parameters, other.parameters) and self._same_arguments(other)

    def _same_arguments(self, other: KernelIdentity) -> bool:
        """Whether the template arguments are the same, as far as both name them."""
        if self.arguments is None or other.arguments is None:
            return True
        pairs = zip(self.arguments, other.arguments, strict=False)
        return all(_plain(one) == _plain(two) for one, two in pairs)


@dataclass(frozen=True, slots=True)
class DistantLaunch:
    """A launch of a kernel that another file of the run may define, and that kernel's identity."""

    kernel: KernelIdentity
    launch: Launch
    defined: str = ""  # the path of the file with the definition, where that is in its sight
    judged: bool = False  # where it stands: there the kernel is looked at as it is launched
    declared: tuple[str, ...] = ()  # the paths of the headers that declare it for the launch


@dataclass(frozen=True, slots=True)
class Exports:
    """What a file tells other files of the run: its launches, and the kernels that it defines."""

    launches: tuple[DistantLaunch, ...] = ()
    kernels: tuple[KernelIdentity, ...] = ()
    is_program: bool = False  # defines `main`: not linked with another file that does
    prototypes: tuple[tuple[str, str], ...] = ()  # kernels that are declared in sight, and where


def _fit(one: tuple[str | None, ...] | None, two: tuple[str | None, ...] | None) -> bool:
    if one is None or two is None:
        return True
    return len(one) == len(two) and all(
        None in pair or pair[0] == pair[1] for pair in zip(one, two, strict=True)
    )


def _plain(argument: str) -> str:
    """A template argument without what tells `32u` from `32` and `a::Tag` from `Tag`."""
    word = "".join(argument.split())
    if word[:1].isdigit() or word[:1] == "-":
        return word.rstrip("uUlL")
    return _TRUTHS.get(word, word.rpartition("::")[2])
