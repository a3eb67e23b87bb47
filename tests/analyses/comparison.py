"""Compares what the analyses foretell of a kernel's accesses with what the interpreter saw.

Addresses and executing lanes are asked for in three ways: with symbols that are given their
numbers afterwards, with numbers from the start, and round by round of the loops.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import TYPE_CHECKING

from analyses.thread_interpreter import (
    Interpreter,
    Iterations,
    Run,
    Trace,
    arithmetic,
    base_address,
    in_range,
)

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue, Product
from warplint.analyzer.analyses.warp_evaluation.loop_iterations import iterations_of
from warplint.analyzer.analyses.warp_evaluation.uniformity import Uniformity
from warplint.analyzer.analyses.warp_evaluation.warp_evaluator import Computation, IterationNumber
from warplint.analyzer.ir.memory import MemoryObject
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess, Opcode, Operation
from warplint.analyzer.ir.types import Kind
from warplint.analyzer.ir.values import Parameter, Special

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from warplint.analyzer.analyses.dataflow.control_flow import Loop
    from warplint.analyzer.analyses.facts import LaunchFacts
    from warplint.analyzer.analyses.warp_evaluation.guards import Guarded, Guards
    from warplint.analyzer.analyses.warp_evaluation.warp_evaluator import Outcome, WarpEvaluator
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.kernel import Kernel, Module


_ARITHMETIC = frozenset(
    {
        Opcode.ADD,
        Opcode.SUB,
        Opcode.MUL,
        Opcode.DIV,
        Opcode.REM,
        Opcode.MIN,
        Opcode.MAX,
        Opcode.AND,
        Opcode.OR,
        Opcode.XOR,
        Opcode.SHL,
        Opcode.SHR,
    }
)


class Comparison:
    """One kernel on one run: what happened, and what the analyses say."""

    def __init__(self, kernel: Kernel, module: Module, run: Run) -> None:
        self.kernel = kernel
        self.run = run
        objects = [*self.kernel.objects, *module.objects]
        used = (value for each in kernel.operations() for value in each.operands)
        parameters = [*kernel.parameters, *(v for v in used if isinstance(v, Parameter))]
        objects += [p.pointee for p in parameters if p.pointee is not None]
        self.objects = list(dict.fromkeys(objects))
        facts = KernelFacts(self.kernel, module, AnalysisOptions(90, run.block, run.grid))
        self.facts = facts
        self.launch: LaunchFacts = facts.launches[0]
        nest = facts.flow.loop_nest
        self.interpreter = Interpreter(self.kernel, self.run, nest, self.objects)
        self.trace: Trace = self.interpreter.run()
        self.counts: Counter[str] = Counter()
        self.warp = 0
        self._evaluators: dict[
            tuple[int, tuple[tuple[Block, int], ...]], tuple[WarpEvaluator, Guards]
        ] = {}
        self.shifts: dict[tuple[MemoryAccess, Hashable], int] = {}

    def headers(self, block: Block | None) -> list[Block]:
        """The headers of the loops around a block, outermost first, as rounds are counted."""
        assert block is not None
        return [loop.header for loop in reversed(self.facts.flow.loop_nest(block))]

    def warps(self) -> range:
        return range(-(-len(self.run.threads) // 32))

    def number(self, name: Hashable, iterations: dict[Block, int]) -> int | None:
        """The number a symbol stands for; None when the interpreter has none for it."""
        if isinstance(name, Product):
            factors = [self.number(factor, iterations) for factor in name.factors]
            known = [factor for factor in factors if factor is not None]
            return prod(known) if len(known) == len(factors) else None
        if isinstance(name, IterationNumber):
            return iterations.get(name.header, self._last_iteration(name.header))
        if isinstance(name, MemoryObject):
            return base_address(self.objects, name) if name in self.objects else None
        if isinstance(name, Parameter):
            given = self.interpreter.argument(name)
            return given if isinstance(given, int) else None
        if isinstance(name, Special):
            kind, _, axis = name.value.partition(".")
            table = {"ctaid": self.run.block_index, "nctaid": self.run.grid}
            return table[kind]["xyz".index(axis)] if kind in table else None
        if isinstance(name, Computation):
            return self._worked_out(name, iterations)
        return self._computed(name, iterations) if isinstance(name, Operation) else None

    def _last_iteration(self, header: Block) -> int | None:
        """The round in which the warp left a loop that stands in no other, all lanes together."""
        last: dict[int, int] = {}
        for operation in header.operations if len(self.headers(header)) == 1 else ():
            for (number,), threads in self.trace.values.get(operation, {}).items():
                for thread in threads:
                    if thread // 32 == self.warp:
                        last[thread] = max(number, last.get(thread, 0))
        return next(iter(last.values())) if len(set(last.values())) == 1 else None

    def _worked_out(self, name: Computation, iterations: dict[Block, int]) -> int | None:
        """The number of something that is computed from uniform operands, of symbols perhaps."""
        opcode, type, rest, operands = name
        if opcode is Opcode.EXTRACT:
            whole = operands[0].terms[0][0] if operands[0].terms else None
            if isinstance(whole, Parameter) and type.kind is Kind.POINTER:
                return self.interpreter.place_behind(whole, rest[1])
            return None
        numbers: list[int] = []
        for operand in operands:
            terms = [(self.number(symbol, iterations), factor) for symbol, factor in operand.terms]
            known = [(n, f) for n, f in terms if n is not None and isinstance(f, int)]
            if len(known) < len(terms) or not operand.is_uniform:
                return None
            numbers.append(operand.lanes[0] + sum(n * f for n, f in known))
        if opcode is Opcode.CONVERT:
            integers = type.kind is rest[2].kind is Kind.INTEGER
            return in_range(in_range(numbers[0], rest[2]), type) if integers else None
        return arithmetic(opcode, type, numbers) if opcode in _ARITHMETIC else None

    def _computed(self, operation: Operation, iterations: dict[Block, int]) -> int | None:
        """The number an operation had in these rounds: one for all lanes, or it is no symbol."""
        headers = self.headers(operation.block)
        key = tuple(iterations.get(header, self._last_iteration(header)) for header in headers)
        if None in key:
            return None
        lanes = self.trace.values.get(operation, {}).get(key, {}).items()
        found = {value for thread, value in lanes if thread // 32 == self.warp}
        assert len(found) <= 1, f"{operation.opcode.value} is not uniform: {found}"
        number = found.pop() if found else None
        return number if isinstance(number, int) else None

    def seen(self, access: MemoryAccess, warp: int) -> dict[Iterations, dict[int, object]]:
        """Rounds → lane → address of one warp."""
        found: dict[Iterations, dict[int, object]] = {}
        for iterations, threads in self.trace.addresses.get(access, {}).items():
            lanes = {t % 32: address for t, address in threads.items() if t // 32 == warp}
            if lanes:
                found[iterations] = lanes
        return found

    def everything(self) -> Counter[str]:
        """Every access, asked for in the three ways; how often the analyses knew."""
        self.uniform_values()
        for access in self.facts.accesses:
            self.with_symbols(access)
            self.with_numbers(access)
            self.round_by_round(access)
        return self.counts

    def uniform_values(self) -> int:
        """How many operations are claimed to be uniform; none of them may differ when run.

        What is stored is looked at where it is stored: behind a loop that threads leave apart.
        """
        analysis = self.launch.uniformity
        claimed = 0
        for operation, by_iterations in self.trace.values.items():
            level = analysis.of(operation)
            if isinstance(operation, MemoryAccess) and operation.kind is AccessKind.STORE:
                stored = operation.operands[1]
                assert operation.block is not None
                level = max(analysis.of(stored), analysis.left_apart(stored, operation.block))
            if level is Uniformity.VARYING:
                continue
            claimed += 1
            for iterations, values in by_iterations.items():
                apart = _different(values, 32 if level is Uniformity.WARP else 1024)
                where = (
                    f"{operation.opcode.value} line {operation.location.span.line}, {iterations}"
                )
                assert not apart, f"{where} is said to be {level}: {apart}"
        return claimed

    # ---- the three ways of asking ----------------------------------------------------------------

    def with_symbols(self, access: MemoryAccess) -> None:
        for warp in self.warps():
            self.warp = warp
            evaluator = self.launch.evaluator(warp)
            asked = evaluator, self.launch.guards(evaluator)
            for iterations, lanes in self.seen(access, warp).items():
                self.check(access, asked, lanes, iterations)

    def with_numbers(self, access: MemoryAccess) -> None:
        headers = self.headers(access.block)
        for warp in self.warps():
            self.warp = warp
            for iterations, lanes in self.seen(access, warp).items():
                named = dict(zip(headers, iterations, strict=True))
                self.check(access, self._asked(named), lanes, iterations)
            if not headers and not self.seen(access, warp):
                self.check(access, self._asked({}), {}, ())

    def _asked(self, iterations: dict[Block, int]) -> tuple[WarpEvaluator, Guards]:
        """What knows the numbers of these rounds; one for all accesses that are made in them."""
        key = self.warp, tuple(iterations.items())
        if key not in self._evaluators:
            evaluator = self.launch.new_evaluator(self.warp, self._numbers(iterations))
            self._evaluators[key] = evaluator, self.launch.guards(evaluator)
        return self._evaluators[key]

    def _numbers(self, iterations: dict[Block, int]) -> Callable[[Hashable], int | None]:
        return lambda name: self.number(name, iterations)

    def round_by_round(self, access: MemoryAccess) -> None:
        """Every round that a warp makes, in order, with the lanes that execute the access in it."""
        assert access.block is not None
        nest = self.facts.flow.loop_nest(access.block)
        if not nest:
            return
        for warp in self.warps():
            self.warp = warp
            known = iterations_of(self.launch, warp, nest)
            if known is None or not known.complete:
                self.counts["rounds not known"] += 1
                continue
            seen = self.seen(access, warp)
            made = self._iterations_made(nest, warp)
            assumed = any(lanes.assumed for r in known.each for lanes in r.lanes.values())
            if not assumed:
                assert len(known.each) == len(made), (
                    access.name,
                    len(known.each),
                    made,
                )
            elif len(nest) > 1:
                continue  # rounds that are not made stand between those that are
            for iteration, iterations in zip(known.each, made, strict=not assumed):
                assert iteration.evaluator is not None
                assert iteration.guards is not None
                asked = iteration.evaluator, iteration.guards
                self.check(access, asked, seen.get(iterations, {}), iterations)

    def _iterations_made(self, nest: list[Loop], warp: int) -> list[Iterations]:
        """The rounds of the innermost loop that some lane of the warp does."""
        inner = nest[0]
        test = next(
            block
            for block in (inner.header, *inner.latches)
            if any(successor not in inner.blocks for successor in block.successors)
        )
        staying = self.trace.stays.get(test, {})
        made = {
            iterations
            for iterations, threads in staying.items()
            if any(thread // 32 == warp for thread in threads)
        }
        if test is not inner.header or inner.header in inner.latches:  # tested at the end
            entered = self.trace.values
            made = {
                iterations
                for operation in inner.header.operations
                for iterations, threads in entered.get(operation, {}).items()
                if any(thread // 32 == warp for thread in threads)
            }
        return sorted(made)

    # ---- the comparison --------------------------------------------------------------------------

    def check(
        self,
        access: MemoryAccess,
        asked: tuple[WarpEvaluator, Guards],
        lanes: dict[int, object],
        iterations: Iterations,
    ) -> None:
        where = (
            f"{access.kind.value} {access.name!r} line {access.location.span.line}, {iterations}"
        )
        assert access.block is not None
        evaluator, guards = asked
        self.check_mask(guards.of(access.block), set(lanes), where)
        named = dict(zip(self.headers(access.block), iterations, strict=True))
        value = evaluator.value_in(access.block, access.address)
        self.check_value(access, value, lanes, named, where)

    def check_mask(self, guarded: Guarded, ran: set[int], where: str) -> None:
        foretold = {lane for lane, runs in enumerate(guarded.mask) if runs}
        if guarded.assumed:
            self.counts["guard assumed"] += 1
            assert ran <= foretold, f"{where}: lanes {sorted(ran - foretold)} do run it"
        else:
            self.counts["guard known"] += 1
            assert ran == foretold, f"{where}: ran {sorted(ran)}, foretold {sorted(foretold)}"

    def check_value(
        self,
        access: MemoryAccess,
        value: Outcome,
        lanes: dict[int, object],
        iterations: dict[Block, int],
        where: str,
    ) -> None:
        if not isinstance(value, LaneValue):
            self.counts["address unknown"] += 1
            return
        shift = [0] * 32
        without: list[Hashable] = []  # symbols that no number is known of
        for name, coefficient in value.terms:
            number = self.number(name, iterations)
            per_lane = coefficient if isinstance(coefficient, tuple) else (coefficient,) * 32
            if number is None and isinstance(coefficient, tuple):
                self.counts["stride unknown"] += 1
                return
            if number is None:
                without.append(name)
                continue
            shift = [s + number * c for s, c in zip(shift, per_lane, strict=True)]
        self.counts["address known"] += 1
        differences = {
            lane: address - value.lanes[lane] - shift[lane]
            for lane, address in lanes.items()
            if isinstance(address, int)
        }
        if len(differences) < len(lanes):
            self.counts["address not computed"] += 1
        expected = next(iter(differences.values()), 0) if without else 0
        if without and all(isinstance(name, MemoryObject) for name in without):
            expected = self.shifts.setdefault((access, tuple(without)), expected)
        elif without:
            self.counts["address known but for a term"] += 1
        wrong = {lane: off for lane, off in differences.items() if off != expected}
        assert not wrong, f"{where}: off by {wrong}"


def _different(values: Mapping[int, object], size: int) -> list[set[object]]:
    """The different values of the groups of `size` threads that do not agree."""
    groups: dict[int, set[object]] = {}
    for thread, value in values.items():
        groups.setdefault(thread // size, set()).add(value)
    return [found for found in groups.values() if len(found) > 1]
