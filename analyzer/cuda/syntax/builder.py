"""The tree builder: statements on top of expressions, classes and types.

In: the parser's calls, one per grammar alternative. Out: pycparser's c_ast and `nodes`.
A statement that stands for several (`int a, b;`) is a list until it reaches its block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import nodes
from .builder_expressions import ExpressionBuilder
from .literals import literal_text
from .nodes.c_ast import c_ast

if TYPE_CHECKING:
    from ...source.text import Span
    from .builder_base import Values


_DEPTHS = {"BRACE": 1, "LPAREN": 1, "_RBRACE": -1, "_RPAR": -1}
_STATEMENT_ENDS = frozenset(["_SEMI", "_RBRACE"])
_BLOCK_STARTS = frozenset(["BRACE", "_FOR", "_WHILE", "_DO", "_IF", "_SWITCH", "_ELSE"])


class TreeBuilder(ExpressionBuilder):
    """Methods named after the alternatives of `grammars/cuda.lark`."""

    # ---- blocks --------------------------------------------------------------------------------

    def block(self, statements: Values | None, first: int, stop: int) -> c_ast.Compound:
        """`{ ... }`: lists flattened, labels joined with what they label."""
        found: Values = []
        for statement in statements or []:
            if isinstance(statement, list):
                found += statement
            elif statement is not None:
                found.append(statement)
        if any(isinstance(statement, c_ast.Label) for statement in found):
            found = _labelled(found)
        return c_ast.Compound(found, self.span(first, stop))

    def body(self, v: Values, first: int, stop: int) -> c_ast.Compound:
        """The body of a function."""
        return self.block(v[0], first, stop)

    compound = body

    def single(self, statement: Any, first: int, stop: int) -> Any:
        """A statement where only one may stand."""
        if isinstance(statement, list):
            return c_ast.Compound(statement, self.span(first, stop))
        return statement

    def expression_statement(self, v: Values, first: int, stop: int) -> Any:
        """`e;`."""
        return v[0]

    def empty(self, v: Values, first: int, stop: int) -> c_ast.EmptyStatement:
        """`;`."""
        return c_ast.EmptyStatement(self.span(first, stop))

    def pragma(self, v: Values, first: int, stop: int) -> Values:
        """`#pragma unroll`, or a macro that looks like it, and the loop after it."""
        text = self.texts[v[0]]
        if text.isidentifier() and text not in ("unroll", "nounroll"):
            name = text.upper().replace("_", "")
            text = "" if "UNROLL" not in name else "nounroll" if "NOUNROLL" in name else "unroll"
        if not text:
            return v[1] if isinstance(v[1], list) else [v[1]]
        word = c_ast.Pragma(text, self.span(v[0], v[0] + 1))
        return [word, *v[1]] if isinstance(v[1], list) else [word, v[1]]

    def lone_pragma(self, v: Values, first: int, stop: int) -> c_ast.Pragma:
        """A pragma with nothing after it."""
        return c_ast.Pragma(self.texts[v[0]], self.span(first, stop))

    def macro_statement(self, v: Values, first: int, stop: int) -> Any:
        """`MACRO(x)` without a semicolon, its definition unseen: a call, or the head of a block."""
        span = self.span(first, stop)
        if "UNROLL" in self.texts[v[0]].upper():
            return c_ast.Pragma(f"unroll {' '.join(self.texts[v[0] + 2 : stop - 1])}", span)
        name = self.identifier_of(v[0])
        if len(v) > 1 and self.kinds[stop] not in _BLOCK_STARTS:  # as good as a call
            arguments = c_ast.ExprList(v[1], span) if v[1] else None
            return c_ast.FuncCall(name, arguments, span)
        reason = f"macro {name.name} is not defined here"
        made = nodes.Opaque(span.text, reason, self._statement_at(stop), coord=span)
        self.opaques.append(made)
        return made

    def _statement_at(self, start: int) -> Span | None:
        """The statement that begins at a token; None where none does."""
        depth = 0
        for at in range(start, len(self.kinds)):
            depth += _DEPTHS.get(self.kinds[at], 0)
            if depth < 0:
                return None
            if not depth and self.kinds[at] in _STATEMENT_ENDS:
                return self.span(start, at + 1)
        return None

    def block_argument(self, v: Values, first: int, stop: int) -> nodes.StatementExpression:
        """`MACRO(x, { ... })`: statements handed to an unseen macro."""
        block = self.block(v[0], first, stop)
        return nodes.StatementExpression(block, coord=block.coord)

    def static_assert(self, v: Values, first: int, stop: int) -> c_ast.StaticAssert:
        """`static_assert(c, "text");`."""
        return c_ast.StaticAssert(v[0], v[1], self.span(first, stop))

    # ---- jumps and labels ----------------------------------------------------------------------

    def break_statement(self, v: Values, first: int, stop: int) -> c_ast.Break:
        """`break;`."""
        return c_ast.Break(self.span(first, stop))

    def continue_statement(self, v: Values, first: int, stop: int) -> c_ast.Continue:
        """`continue;`."""
        return c_ast.Continue(self.span(first, stop))

    def return_statement(self, v: Values, first: int, stop: int) -> c_ast.Return:
        """`return e;`."""
        return c_ast.Return(v[0], self.span(first, stop))

    def goto_statement(self, v: Values, first: int, stop: int) -> c_ast.Goto:
        """`goto l;`."""
        return c_ast.Goto(self.texts[v[0]], self.span(first, stop))

    def label(self, v: Values, first: int, stop: int) -> c_ast.Label:
        """`l:`; the block gives it its statement."""
        return c_ast.Label(self.texts[v[0]], None, self.span(first, stop))

    def case_label(self, v: Values, first: int, stop: int) -> c_ast.Case:
        """`case 1:`, `case 1 ... 3:`; the switch gives it its statements."""
        expression = v[0]
        if v[1] is not None:
            expression = c_ast.BinaryOp("...", v[0], v[1], v[0].coord.to(v[1].coord))
        return c_ast.Case(expression, [], self.span(first, stop))

    def default_label(self, v: Values, first: int, stop: int) -> c_ast.Default:
        """`default:`."""
        return c_ast.Default([], self.span(first, stop))

    # ---- branches and loops --------------------------------------------------------------------

    def plain_if(self, v: Values, first: int, stop: int) -> c_ast.If:
        """`if (c) s`."""
        return self.if_else([*v, None], first, stop)

    def if_else(self, v: Values, first: int, stop: int) -> c_ast.If:
        """`if (c) s else t`."""
        made = c_ast.If if v[0] is None else nodes.ConstexprIf
        yes, no = self.single(v[2], first, stop), self.single(v[3], first, stop)
        return made(v[1], yes, no, self.span(first, stop))

    def declared_condition(self, v: Values, first: int, stop: int) -> nodes.ConditionDeclaration:
        """`T x = e` as a condition: its value is the condition."""
        specifiers, declarator, value = v
        made = self.declaration_of(specifiers, declarator, value, first, stop)
        return nodes.ConditionDeclaration(made, None, coord=self.span(first, stop))

    def condition_after(self, v: Values, first: int, stop: int) -> nodes.ConditionDeclaration:
        """`T x = e; c`."""
        before = v[0]
        if isinstance(before, list):
            before = before[0] if len(before) == 1 else c_ast.DeclList(before, before[0].coord)
        return nodes.ConditionDeclaration(before, v[1], coord=self.span(first, stop))

    def for_loop(self, v: Values, first: int, stop: int) -> c_ast.For:
        """`for (a; b; c) s`."""
        start = v[0]
        if isinstance(start, list):
            start = c_ast.DeclList(start, start[0].coord.to(start[-1].coord))
        body = self.single(v[3], first, stop)
        return c_ast.For(start, v[1], v[2], body, self.span(first, stop))

    def range_for(self, v: Values, first: int, stop: int) -> nodes.RangeFor:
        """`for (T x : r) s`."""
        specifiers, declarator, values, body = v
        made = self.declaration_of(specifiers, declarator, None, specifiers.first, declarator.stop)
        body = self.single(body, first, stop)
        return nodes.RangeFor(made, values, body, coord=self.span(first, stop))

    def range_for_after(self, v: Values, first: int, stop: int) -> c_ast.Compound:
        """`for (T x = e; T y : r) s`, which is a block with both."""
        before, *rest = v
        before = before if isinstance(before, list) else [before]
        loop = self.range_for(rest, first, stop)
        return c_ast.Compound([*before, loop], coord=self.span(first, stop))

    def binding_for(self, v: Values, first: int, stop: int) -> nodes.RangeFor:
        """`for (auto [a, b] : r) s`."""
        specifiers, pointers, names, values, body = v
        made = self.structured_binding(
            [specifiers, pointers, names, None], specifiers.first, names[-1] + 2
        )[0]
        body = self.single(body, first, stop)
        return nodes.RangeFor(made, values, body, coord=self.span(first, stop))

    def while_loop(self, v: Values, first: int, stop: int) -> c_ast.While:
        """`while (c) s`."""
        return c_ast.While(v[0], self.single(v[1], first, stop), self.span(first, stop))

    def do_while(self, v: Values, first: int, stop: int) -> c_ast.DoWhile:
        """`do s while (c);`."""
        return c_ast.DoWhile(v[1], self.single(v[0], first, stop), self.span(first, stop))

    def switch_block(self, v: Values, first: int, stop: int) -> c_ast.Switch:
        """`switch (e) { ... }`, each case holding its statements."""
        body = self.single(v[1], first, stop)
        if isinstance(body, c_ast.Compound):
            body.block_items = _grouped_by_case(body.block_items)
        return c_ast.Switch(v[0], body, self.span(first, stop))

    def try_block(self, v: Values, first: int, stop: int) -> nodes.Try:
        """`try { } catch (...) { }`."""
        return nodes.Try(v[0], v[1], coord=self.span(first, stop))

    def handler(self, v: Values, first: int, stop: int) -> Any:
        """`catch (T e) { }`: the block only."""
        return v[-1]

    # ---- inline assembly -----------------------------------------------------------------------

    def assembly_flags(self, v: Values, first: int, stop: int) -> list[str]:
        """`volatile`, `goto`."""
        return self.texts[first:stop]

    def assembly_mark(self, v: Values, first: int, stop: int) -> str:
        """`:`, `::` or `,`."""
        return self.texts[first]

    def symbol(self, v: Values, first: int, stop: int) -> str:
        """`[name]` of an operand."""
        return self.texts[v[0]]

    def assembly_operand(self, v: Values, first: int, stop: int) -> nodes.AssemblyOperand:
        """`[name] "=r" (x)`."""
        constraint = literal_text(v[1].value)
        return nodes.AssemblyOperand(v[0], constraint, v[2], coord=self.span(first, stop))

    def assembly_macro_operand(self, v: Values, first: int, stop: int) -> nodes.AssemblyOperand:
        """`CONSTRAINT (x)`, the macro unseen."""
        name = self.texts[v[1]]
        return nodes.AssemblyOperand(v[0], name, v[2], coord=self.span(first, stop))

    def assembly(self, v: Values, first: int, stop: int) -> nodes.InlineAssembly:
        """The parts between the colons: template, outputs, inputs, clobbers."""
        sections: list[Values] = [[]]
        for part in v[1]:
            if part in (":", "::"):
                sections += [[] for _ in part]
            elif part != ",":
                sections[-1].append(part)
        sections += [[], [], []]
        template = "".join(literal_text(part.value) for part in sections[0] if _is_text(part))
        operands = [
            [part for part in section if isinstance(part, nodes.AssemblyOperand)]
            for section in sections[1:3]
        ]
        clobbers = [literal_text(part.value) for part in sections[3] if _is_text(part)]
        volatile = any("volatile" in flag for flag in v[0] or [])
        return nodes.InlineAssembly(
            template, volatile, *operands, clobbers, coord=self.span(first, stop)
        )


def _is_text(part: Any) -> bool:
    return isinstance(part, c_ast.Constant)


def _labelled(statements: Values) -> Values:
    """Each label takes the statement after it."""
    found: Values = []
    for statement in reversed(statements):
        if isinstance(statement, c_ast.Label) and statement.stmt is None:
            following = found.pop() if found else None
            statement.stmt = following or c_ast.EmptyStatement(statement.coord)
        found.append(statement)
    return found[::-1]


def _grouped_by_case(statements: Values) -> Values:
    """Statements after a `case` become its own."""
    found: Values = []
    current: Values | None = None
    for statement in statements:
        if isinstance(statement, c_ast.Case | c_ast.Default):
            current = statement.stmts
            found.append(statement)
        elif current is None:
            found.append(statement)
        else:
            current.append(statement)
    return found
