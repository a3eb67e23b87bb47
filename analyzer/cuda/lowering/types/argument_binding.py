"""What the parameters of a template stand for, given the arguments that a name is written with.

In: parameters, arguments and the scopes that both are read in. Out: the parameters bound: types,
constants, functions, class templates, and packs of types and constants; what is left open is bound
to types and values that are not known, the same for each thread. Not handled: packs of templates.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ....ir.values import Unknown
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import TemplateValue, Typed, ValuePlace
from ..program.template_arguments import as_type, plain_name
from . import constant_places, constants, template_packs
from .function_values import function_named, member_named

if TYPE_CHECKING:
    from ..model.ctypes import CType
    from ..model.scope import Scope
    from ..program.program import Program
    from .constant_arithmetic import Number
    from .instances import Instances
    from .reading import Reader
    from .template_packs import Written


class ArgumentBinding:
    """Binds template parameters for the reader of one translation unit."""

    def __init__(self, program: Program, reader: Reader, instances: Instances) -> None:
        self._program = program
        self._reader = reader
        self._instances = instances
        self._passed: dict[str, CType] = {}  # class templates that are arguments

    def bind(
        self, template: nodes.Template, arguments: list[Any], inner: Scope, outer: Scope
    ) -> None:
        """Bind template parameters in `inner` to arguments read in `outer`, then to defaults."""
        written, is_whole = template_packs.spread(arguments, outer)
        for index, parameter in enumerate(template.parameters):
            if parameter.pack:
                if index < len(written) and is_whole:  # else a call's arguments may settle it
                    self._bind_pack(parameter, written[index:], inner)
                continue
            by_default = (parameter.default, inner) if is_whole else (None, inner)
            argument, where = written[index] if index < len(written) else by_default
            if argument is None or not parameter.name:  # nothing can mean it
                continue
            if parameter.kind == "type":
                self._instances.bind(inner, parameter.name, self._type(argument, where))
            elif parameter.kind == "value":
                self._bind_value(parameter, argument, where, inner)
            elif parameter.kind == "template":
                inner.types[parameter.name] = self._passed_template(argument, where)

    def _bind_value(
        self, parameter: nodes.TemplateParameter, argument: Any, where: Scope, inner: Scope
    ) -> None:
        """A number, a function, a member or a lambda; an object is not known. Where what stands
        before the name is no type, it may be a concept: `template <Number T>` takes a type.
        """
        if isinstance(argument, nodes.Lambda):
            type = self._reader.closures.of(argument, where)
            held = Unknown(type.ir(), "a lambda", per_thread=False)
            inner.names[parameter.name] = ValuePlace(Typed(held, type))
            return
        type, value = self._reader.read(parameter.type, inner), self._constant(argument, where)
        given = self._type(argument, where) if type.form is Form.UNKNOWN else type
        found = function_named(argument, where, self._program)
        found = found or member_named(argument, where, self._reader)
        if value is not None and type.form is not Form.CLASS:
            inner.names[parameter.name] = constant_places.place(value, ctypes.holding(type, value))
        elif type.form is Form.UNKNOWN and given.form is not Form.UNKNOWN:
            self._instances.bind(inner, parameter.name, given)
        elif found is not None:
            inner.names[parameter.name] = found

    def bind_open(
        self, template: nodes.Template, arguments: list[Any], inner: Scope, outer: Scope
    ) -> None:
        """Parameters without a constant: the same unknown value where a name is passed on."""
        written, is_whole = template_packs.spread(arguments, outer)
        for index, parameter in enumerate(template.parameters):
            name = parameter.name
            if not name or name in inner.names:
                continue
            if name in inner.types and parameter.kind != "value":
                continue
            if parameter.pack and index >= len(written) and is_whole:
                self._bind_pack(parameter, [], inner)
                continue
            if parameter.kind != "value":
                inner.types[name] = ctypes.unknown(name)
                continue
            made = partial(self._open, parameter, inner)
            if index >= len(written):
                inner.names[name] = self._instances.default(parameter, inner, made)
                continue
            given, where = written[index]
            passed = where.find(given.name) if isinstance(given, c_ast.ID) else None
            inner.names[name] = passed if isinstance(passed, ValuePlace) else made()

    def _bind_pack(
        self, parameter: nodes.TemplateParameter, written: list[Written], inner: Scope
    ) -> None:
        """A pack of types, or of values if all are constants."""
        name = parameter.name
        if parameter.kind == "type" and name:
            types = [self._type(*each) for each in written]
            inner.names[name] = template_packs.of_types(name, types)
        elif parameter.kind == "value" and name:
            values = [self._constant(*each) for each in written]
            declared = self._reader.read(parameter.type, inner)
            known = [value for value in values if value is not None]
            if len(known) == len(values):
                places = [constant_places.place(v, ctypes.holding(declared, v)) for v in known]
                inner.names[name] = template_packs.of_places(name, places)

    def _type(self, argument: Any, scope: Scope) -> CType:
        return self._reader.read(as_type(argument), scope)

    def _constant(self, argument: Any, scope: Scope) -> Number | None:
        return constants.evaluate(argument, scope, self._program, self._reader)

    def _open(self, parameter: nodes.TemplateParameter, inner: Scope) -> ValuePlace:
        type = self._reader.read(parameter.type, inner)
        reason = f"template parameter {parameter.name} is unknown here"
        return ValuePlace(Typed(Unknown(type.ir(), reason, per_thread=False), type))

    def _passed_template(self, argument: Any, scope: Scope) -> CType:
        """A class template as an argument: a name that takes arguments of its own."""
        name = getattr(argument, "name", None) or plain_name(argument)
        bound = scope.find_type(name) if isinstance(name, str) else None
        if bound is not None and isinstance(bound.origin, TemplateValue):
            return bound
        known = name in self._program.classes or name in self._program.alias_templates
        if not known:
            return ctypes.unknown(str(name))
        made = replace(ctypes.unknown(name), origin=TemplateValue(name))
        return self._passed.setdefault(name, made)
