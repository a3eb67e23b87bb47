"""Dataclasses that cost little to define.

In: a class, as for `dataclasses.dataclass`. Out: the same dataclass, for `fields`, `replace`,
pickles and type checkers alike. A command that checks one file defines two hundred of them, and the
standard decorator has Python compile up to six functions for each, a quarter of all the time that
such a command takes. Here only `__init__` is compiled; comparison, hash and text are the same few
functions for all classes. What is frozen the type checker guards: an assignment is no error at run
time, and making a value is faster for it. Not handled: `order`.
"""

from __future__ import annotations

from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses

    def dataclass(made=None, /, *, frozen=False, eq=True, **options):
        """The class as a dataclass; without one, the decorator with these options."""
        if made is None:
            return lambda each: dataclass(each, frozen=frozen, eq=eq, **options)
        own = vars(made)
        written = {name for name in ("__eq__", "__hash__", "__repr__") if own.get(name)}
        made = dataclasses.dataclass(made, eq=False, repr=False, **options)
        if "__repr__" not in written:
            made.__repr__ = _text
        if eq:
            _compare(made, written, hashed=frozen)
        return made

    def _compare(made, written, *, hashed):
        """Compares and hashes by the fields that count."""
        names = [field.name for field in dataclasses.fields(made) if field.compare]
        values = attrgetter(*names) if names else _nothing

        def equal(self, other):
            if other.__class__ is self.__class__:
                return values(self) == values(other)
            return NotImplemented

        if "__eq__" not in written:
            made.__eq__ = equal
        if "__hash__" not in written:
            made.__hash__ = (lambda self: hash(values(self))) if hashed else None

    def _nothing(_):
        return ()

    @recursive_repr()
    def _text(self):
        shown = (field.name for field in dataclasses.fields(self) if field.repr)
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({values})"


__all__ = ["dataclass"]
