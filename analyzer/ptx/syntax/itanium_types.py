"""Types of mangled names as pairs of text, left and right of what they declare.

In: the parts of a type, as they were read. Out: a pointer or reference to it, an instance of a
template, in the words of `c++filt`: `void (*` and `)(int)`.
"""

from __future__ import annotations

from typing import NamedTuple


class Type(NamedTuple):
    """A type around what it declares."""

    left: str
    right: str = ""
    pack: tuple[Type, ...] | None = None  # the types of a parameter pack

    @property
    def text(self) -> str:
        """The type alone."""
        return self.left + self.right


def instance_of(template: str, arguments: str) -> str:
    """`f<int>`; `operator<< <int>`, which would be read as a shift of another kind otherwise."""
    return f"{template} {arguments}" if template.endswith("<") else template + arguments


def pointer(inner: Type, sign: str, *, of_class: bool = False) -> Type:
    """`int*`, `int (*` and `) [3]`, `void (*` and `)(int)`; a pack member by member."""
    if inner.pack is not None:
        return Type("", pack=tuple(pointer(each, sign) for each in inner.pack))
    if inner.right.startswith(("(", "[")):
        return Type(f"{inner.left}({sign.lstrip()}", f"){_apart(inner.right)}")
    if sign == "&" and inner.left.endswith("&") and not inner.right:
        return Type(inner.left.rstrip("&") + "&")  # references collapse
    if sign == "&&" and inner.left.endswith("&") and not inner.right:
        return inner
    return Type(inner.left + sign, inner.right)


def _apart(right: str) -> str:
    return f" {right}" if right.startswith("[") else right
