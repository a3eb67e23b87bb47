"""Tree building for expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import nodes
from .builder_classes import ClassBuilder
from .builder_types import Declarator
from .literals import number_type
from .nodes.c_ast import c_ast

if TYPE_CHECKING:
    from .builder_base import Values

_WORDS = {
    "and": "&&", "or": "||", "not": "!", "compl": "~", "bitand": "&", "bitor": "|", "xor": "^",
    "not_eq": "!=", "and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}  # fmt: skip
_LEVELS = [
    "||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<=>", "<< >>", "+ -", "* / %", "->* .*",
]  # fmt: skip
_PRECEDENCE = {word: level for level, words in enumerate(_LEVELS) for word in words.split()}


class ExpressionBuilder(ClassBuilder):
    """Methods named after the alternatives of `grammars/cuda.lark`."""

    # ---- operators -----------------------------------------------------------------------------

    def word(self, index: int) -> str:
        """The operator at a token, `and` and its kin as symbols."""
        if self.kinds[index] == "SHR":
            return ">>"
        text = self.texts[index]
        return _WORDS.get(text, text)

    def comma(self, v: Values, first: int, stop: int) -> c_ast.ExprList:
        """`a, b`."""
        left, right = v
        if isinstance(left, c_ast.ExprList):
            left.exprs.append(right)
            left.coord = self.span(first, stop)
            return left
        return c_ast.ExprList([left, right], self.span(first, stop))

    def assignment_operator(self, v: Values, first: int, stop: int) -> str:
        """`=`, `+=`."""
        return self.word(first)

    def assign(self, v: Values, first: int, stop: int) -> c_ast.Assignment:
        """`a = b`."""
        return c_ast.Assignment(v[1], v[0], v[2], self.span(first, stop))

    def ternary(self, v: Values, first: int, stop: int) -> c_ast.TernaryOp:
        """`c ? a : b`."""
        return c_ast.TernaryOp(v[0], v[1], v[2], self.span(first, stop))

    def binary(self, v: Values, first: int, stop: int) -> Any:
        """A flat chain of operators, by precedence; all of them group to the left."""
        left, chain = v
        if len(chain) == 2:
            return c_ast.BinaryOp(self.word(chain[0]), left, chain[1], self.span(first, stop))
        operands = [left]
        begins = [first]
        waiting: list[tuple[str, int]] = []
        for at in range(0, len(chain), 2):
            index = chain[at]
            operator = self.word(index)
            level = _PRECEDENCE[operator]
            while waiting and waiting[-1][1] >= level:
                self._join(operands, begins, waiting.pop()[0], index)
            waiting.append((operator, level))
            operands.append(chain[at + 1])
            begins.append(index + 1 + (self.kinds[index] == "SHR"))
        while waiting:
            self._join(operands, begins, waiting.pop()[0], stop)
        return operands[0]

    def _join(self, operands: Values, begins: list[int], operator: str, stop: int) -> None:
        right = operands.pop()
        begins.pop()
        span = self.span(begins[-1], stop)
        operands[-1] = c_ast.BinaryOp(operator, operands[-1], right, span)

    def prefix(self, v: Values, first: int, stop: int) -> c_ast.UnaryOp:
        """`-x`, `*p`, `++i`."""
        return c_ast.UnaryOp(self.word(v[0]), v[1], self.span(first, stop))

    def postfix_step(self, v: Values, first: int, stop: int) -> c_ast.UnaryOp:
        """`i++`: `p++`, as c_ast spells it."""
        return c_ast.UnaryOp("p" + self.texts[v[1]], v[0], self.span(first, stop))

    def label_address(self, v: Values, first: int, stop: int) -> c_ast.UnaryOp:
        """GNU `&&label`."""
        return c_ast.UnaryOp("&&", self.identifier_of(v[1]), self.span(first, stop))

    def size_of(self, v: Values, first: int, stop: int) -> c_ast.UnaryOp:
        """`sizeof x`, `sizeof(T)`, `alignof(T)`."""
        keyword = "sizeof" if self.kinds[v[0]] == "SIZEOF" else "alignof"
        return c_ast.UnaryOp(keyword, v[1], self.span(first, stop))

    def size_of_pack(self, v: Values, first: int, stop: int) -> c_ast.UnaryOp:
        """`sizeof...(pack)`."""
        return c_ast.UnaryOp("sizeof...", self.identifier_of(v[1]), self.span(first, stop))

    def no_except_test(self, v: Values, first: int, stop: int) -> c_ast.UnaryOp:
        """`noexcept(e)`."""
        return c_ast.UnaryOp("noexcept", v[0], self.span(first, stop))

    def throw(self, v: Values, first: int, stop: int) -> nodes.Throw:
        """`throw e`."""
        return nodes.Throw(v[0], coord=self.span(first, stop))

    # ---- casts and construction ----------------------------------------------------------------

    def cast(self, v: Values, first: int, stop: int) -> c_ast.Cast:
        """`(T)x`."""
        return c_ast.Cast(v[0], v[1], self.span(first, stop))

    def compound_literal(self, v: Values, first: int, stop: int) -> c_ast.CompoundLiteral:
        """`(T){1, 2}`."""
        return c_ast.CompoundLiteral(v[0], v[1], [], self.span(first, stop))

    def named_cast(self, v: Values, first: int, stop: int) -> nodes.NamedCast:
        """`static_cast<T>(x)`."""
        kind = self.texts[v[0]].removesuffix("_cast")
        return nodes.NamedCast(kind, v[1], v[2], coord=self.span(first, stop))

    def construct(self, v: Values, first: int, stop: int) -> nodes.Construct:
        """`T(x)`."""
        return self._construct(v[0], v[1] or [], False, first, stop)

    def construct_braced(self, v: Values, first: int, stop: int) -> nodes.Construct:
        """`T{x}`."""
        return self._construct(v[0], v[1].exprs, True, first, stop)

    def _construct(
        self, kind: Any, arguments: Values, braced: bool, first: int, stop: int
    ) -> nodes.Construct:
        plain = c_ast.TypeDecl(None, [], None, kind, kind.coord)
        name = c_ast.Typename(None, [], None, plain, kind.coord)
        return nodes.Construct(name, arguments, braced, coord=self.span(first, stop))

    def braced(self, v: Values, first: int, stop: int) -> c_ast.InitList:
        """`{1, 2}`."""
        return c_ast.InitList(v[0] or [], self.span(first, stop))

    def braced_items(self, v: Values, first: int, stop: int) -> Values:
        """The items, a last comma dropped."""
        return [v[0], *v[1]] if len(v) > 1 and v[1] is not None else [v[0]]

    def field_designator(self, v: Values, first: int, stop: int) -> c_ast.NamedInitializer:
        """`.x = 1`."""
        return c_ast.NamedInitializer([self.identifier_of(v[1])], v[2], self.span(first, stop))

    def array_designator(self, v: Values, first: int, stop: int) -> c_ast.NamedInitializer:
        """`[0] = 1`."""
        return c_ast.NamedInitializer([v[0]], v[1], self.span(first, stop))

    def initial_value(self, v: Values, first: int, stop: int) -> Any:
        """`= e` or `{e}`."""
        return v[0]

    def initial_call(self, v: Values, first: int, stop: int) -> nodes.Construct:
        """`T x(1, 2)`: a Construct without a type, since the declaration has it."""
        return nodes.Construct(None, v[0] or [], False, coord=self.span(first, stop))

    def new(self, v: Values, first: int, stop: int) -> nodes.New:
        """`new T[n]`."""
        (kind, count), arguments = v[1], v[2]
        return nodes.New(v[0] or [], kind, count, arguments or [], coord=self.span(first, stop))

    def placement(self, v: Values, first: int, stop: int) -> Any:
        """The arguments of a placement new."""
        return v[0] or []

    def new_type(self, v: Values, first: int, stop: int) -> tuple[Any, Any]:
        """The type and the first extent; further ones make the type one of arrays."""
        specifiers, pointers = v[:2]
        declarator = Declarator(None, list(reversed(pointers or [])), first, stop)
        extents = v[2] if len(v) > 2 else []
        made = self.typename(specifiers, declarator, first, stop)
        for extent in reversed(extents[1:]):
            made.type = c_ast.ArrayDecl(made.type, extent, [])
        return made, extents[0] if extents else None

    def new_extent(self, v: Values, first: int, stop: int) -> Any:
        """`[n]`."""
        return v[0]

    def new_call(self, v: Values, first: int, stop: int) -> Values:
        """`(1, 2)` after a new."""
        return v[0] or []

    def new_braced(self, v: Values, first: int, stop: int) -> Values:
        """`{1, 2}` after a new."""
        return list(v[0].exprs)

    def delete(self, v: Values, first: int, stop: int) -> nodes.Delete:
        """`delete p`."""
        return nodes.Delete(v[0], False, coord=self.span(first, stop))

    def delete_array(self, v: Values, first: int, stop: int) -> nodes.Delete:
        """`delete[] p`."""
        return nodes.Delete(v[0], True, coord=self.span(first, stop))

    # ---- calls, members, subscripts ------------------------------------------------------------

    def subscript(self, v: Values, first: int, stop: int) -> c_ast.ArrayRef:
        """`a[i]`."""
        return c_ast.ArrayRef(v[0], v[1], self.span(first, stop))

    def call(self, v: Values, first: int, stop: int) -> c_ast.FuncCall:
        """`f(x)`."""
        arguments = None
        if v[1]:
            arguments = c_ast.ExprList(v[1], v[1][0].coord.to(v[1][-1].coord))
        return c_ast.FuncCall(v[0], arguments, self.span(first, stop))

    def launch(self, v: Values, first: int, stop: int) -> nodes.Launch:
        """`k<<<g, b>>>(x)`."""
        return nodes.Launch(v[0], v[1], v[2] or [], coord=self.span(first, stop))

    def plain_member(self, v: Values, first: int, stop: int) -> c_ast.StructRef:
        """`a.b`, `p->b`."""
        target, operator, name = v
        field = c_ast.ID(self.texts[name], self.span(name, stop))
        return c_ast.StructRef(target, self.texts[operator], field, self.span(first, stop))

    def template_member(self, v: Values, first: int, stop: int) -> c_ast.StructRef:
        """`a.f<T>`, `a.template f<T>`."""
        target, operator, name, arguments = v
        field = self.named(name, arguments, stop)
        return c_ast.StructRef(target, self.texts[operator], field, self.span(first, stop))

    def scoped_member(self, v: Values, first: int, stop: int) -> c_ast.StructRef:
        """`p->A::f`."""
        target, operator, scope, name, arguments = v
        last = self.named(name, arguments, stop)
        field = self.qualified(scope, last, operator + 1, stop)
        return c_ast.StructRef(target, self.texts[operator], field, self.span(first, stop))

    def member_operator(self, v: Values, first: int, stop: int) -> c_ast.StructRef:
        """`a.operator+`."""
        target, operator, _, name, arguments = v
        field = self.named(name, arguments, stop)
        return c_ast.StructRef(target, self.texts[operator], field, self.span(first, stop))

    def destructor_call(self, v: Values, first: int, stop: int) -> c_ast.StructRef:
        """`p->~T`."""
        field = c_ast.ID("~" + (self.type_text(v[3]) or ""), self.span(v[2], stop))
        return c_ast.StructRef(v[0], self.texts[v[1]], field, self.span(first, stop))

    def plain_identifier(self, v: Values, first: int, stop: int) -> c_ast.ID:
        """`x`."""
        return c_ast.ID(self.texts[first], self.span(first, stop))

    def template_identifier(self, v: Values, first: int, stop: int) -> nodes.TemplateId:
        """`f<T>`."""
        return nodes.TemplateId(self.texts[v[0]], v[1], coord=self.span(first, stop))

    def scoped_identifier(self, v: Values, first: int, stop: int) -> nodes.QualifiedName:
        """`A::b`, `A::f<T>`."""
        scope, name, arguments = v
        last = self.named(name, arguments, stop)
        return self.qualified(scope, last, first, stop)  # type: ignore[no-any-return]

    def operator_identifier(self, v: Values, first: int, stop: int) -> Any:
        """`operator+`."""
        return self.qualified(v[0], self.identifier_of(v[1]), first, stop)

    # ---- primaries -----------------------------------------------------------------------------

    def number(self, v: Values, first: int, stop: int) -> c_ast.Constant:
        """A number as it was written."""
        text = self.texts[first]
        return c_ast.Constant(number_type(text), text, self.span(first, stop))

    def character(self, v: Values, first: int, stop: int) -> c_ast.Constant:
        """`'a'`."""
        return c_ast.Constant("char", self.texts[first], self.span(first, stop))

    def boolean(self, v: Values, first: int, stop: int) -> c_ast.Constant:
        """`true`, `false`, `nullptr`."""
        text = self.texts[first]
        kind = "nullptr_t" if text == "nullptr" else "bool"
        return c_ast.Constant(kind, text, self.span(first, stop))

    def string(self, v: Values, first: int, stop: int) -> c_ast.Constant:
        """Adjacent literals, kept apart by a blank."""
        text = " ".join(self.texts[first:stop])
        return c_ast.Constant("string", text, self.span(first, stop))

    def this(self, v: Values, first: int, stop: int) -> c_ast.ID:
        """`this`."""
        return self.identifier_of(first)

    def parenthesised(self, v: Values, first: int, stop: int) -> Any:
        """`(e)`: the tree says it."""
        return v[0]

    def statement_expression(self, v: Values, first: int, stop: int) -> nodes.StatementExpression:
        """`({ ... })`."""
        return nodes.StatementExpression(v[0], coord=self.span(first, stop))

    def fold_operator(self, v: Values, first: int, stop: int) -> str:
        """The operator of a fold expression."""
        return self.word(first)

    def left_fold(self, v: Values, first: int, stop: int) -> nodes.Fold:
        """`(... op x)`."""
        return nodes.Fold(v[0], None, v[1], coord=self.span(first, stop))

    def right_fold(self, v: Values, first: int, stop: int) -> nodes.Fold:
        """`(x op ...)`."""
        return nodes.Fold(v[1], v[0], None, coord=self.span(first, stop))

    def full_fold(self, v: Values, first: int, stop: int) -> nodes.Fold:
        """`(x op ... op y)`."""
        return nodes.Fold(v[1], v[0], v[3], coord=self.span(first, stop))

    # ---- lambdas -------------------------------------------------------------------------------

    def lambda_parameters(self, v: Values, first: int, stop: int) -> tuple[Any, Values]:
        """The parameters of a lambda and what follows them."""
        return v[0], v[1] or []

    def lambda_expression(self, v: Values, first: int, stop: int) -> nodes.Lambda:
        """`[=] __device__ (int i) { ... }`."""
        captures, _, before, call, body = v
        parameters, after = call or (None, [])
        around = (before or []) + after
        words = [self.texts[s] for s in around if s.__class__ is int]
        result = next((s for s in around if isinstance(s, c_ast.Typename)), None)
        return nodes.Lambda(
            captures or [], parameters, words, result, body, coord=self.span(first, stop)
        )

    def default_capture(self, v: Values, first: int, stop: int) -> nodes.Capture:
        """`[&]`."""
        return nodes.Capture(True, None, None, coord=self.span(first, stop))

    def copy_capture(self, v: Values, first: int, stop: int) -> nodes.Capture:
        """`[=]`."""
        return nodes.Capture(False, None, None, coord=self.span(first, stop))

    def capture(self, v: Values, first: int, stop: int) -> nodes.Capture:
        """`x`, `&x`, `x = e`, `this`."""
        reference, name, value, _ = v
        span = self.span(first, stop)
        return nodes.Capture(reference is not None, self.texts[name], value, coord=span)

    def capture_pack(self, v: Values, first: int, stop: int) -> nodes.Capture:
        """`...x = e`."""
        reference, _, name, value = v
        span = self.span(first, stop)
        return nodes.Capture(
            reference is not None, self.texts[name], nodes.Pack(value, coord=span), coord=span
        )

    def capture_copy(self, v: Values, first: int, stop: int) -> nodes.Capture:
        """`*this`."""
        return nodes.Capture(False, "*this", None, coord=self.span(first, stop))
