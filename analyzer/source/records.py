"""Dataclasses that cost little to define.

In: a class, as for `dataclasses.dataclass`. Out: the same dataclass, for `fields`, `replace`,
pickles and type checkers alike. A command that checks one file defines two hundred of them, and the
standard decorator has Python compile up to six functions for each, a quarter of all the time that
such a command takes. Here only `__init__` is compiled, when the first value is made; comparison,
hash and text are the same few functions for all classes. What is frozen the type checker guards: an
assignment is no error at run time, and making a value is faster for it. Not handled: `order` and
`InitVar`.
"""

from __future__ import annotations

from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

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
        made = dataclasses.dataclass(made, init=False, eq=False, repr=False, **options)
        if "__init__" not in own:
            made.__init__ = _first_call(made)
        if "__repr__" not in written:
            made.__repr__ = _text
        if eq:
            _compare(made, written, hashed=frozen)
        return made

    def _first_call(made):
        """What stands for `__init__` until the first value is made."""

        def __init__(self, *values, **named):  # noqa: N807  # its name in errors
            made.__init__ = _initialiser(made)
            made.__init__(self, *values, **named)

        return __init__

    def _initialiser(made):
        """`__init__`: its parameters are the fields."""
        space = {"_missing": dataclasses.MISSING}
        plain, named, body = ["self"], [], []
        for field in dataclasses.fields(made):
            name, value, default = field.name, field.name, ""
            if field.default_factory is not dataclasses.MISSING:
                space[f"_make_{name}"] = field.default_factory
                default = " = _missing"
                value = f"_make_{name}() if {name} is _missing else {name}"
            elif field.default is not dataclasses.MISSING:
                space[f"_default_{name}"] = field.default
                default = f" = _default_{name}"
            if field.init:
                (named if field.kw_only else plain).append(name + default)
            elif default:
                value = f"_make_{name}()" if default == " = _missing" else f"_default_{name}"
            else:
                continue  # the class sets it
            body.append(f"self.{name} = {value}")
        if hasattr(made, "__post_init__"):
            body.append("self.__post_init__()")
        parameters = ", ".join([*plain, *(["*", *named] if named else [])])
        exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), space)
        return space["__init__"]

    def _compare(made, written, *, hashed):
        """Compares and hashes by the fields that count."""
        names = [field.name for field in dataclasses.fields(made) if field.compare]
        values = attrgetter(*names) if names else _nothing

        def equal(self, other):
            if other is self:  # types and places mostly are
                return True
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


def declare(
    made: Any, annotations: dict[str, str], defaults: dict[str, Any], *, kw_only: bool = False
) -> None:
    """Let a class that was written out and compiled by mypyc (`compiled/`) be known as a
    dataclass.
    """
    import dataclasses

    inherited = {
        name for base in made.__mro__ for name in vars(base).get("__dataclass_fields__", ())
    }
    if inherited - set(annotations):
        raise TypeError(f"{made.__name__} has fields of a base class")
    space = {"__annotations__": annotations, "__module__": made.__module__, **defaults}
    record: Any = dataclasses.dataclass(init=False, eq=False, repr=False, kw_only=kw_only)(
        type(made.__name__, (), space)
    )
    for name in ("__dataclass_fields__", "__dataclass_params__", "__match_args__"):
        setattr(made, name, getattr(record, name))


def slots(made: type) -> tuple[str, ...]:
    """The names of the fields of a class with slots, compiled by mypyc or not."""
    compiled: tuple[str, ...] | None = vars(made).get("__mypyc_attrs__")
    if compiled is not None:
        return compiled
    return tuple(name for each in made.__mro__ for name in vars(each).get("__slots__", ()))


__all__ = ["dataclass", "declare", "slots"]
