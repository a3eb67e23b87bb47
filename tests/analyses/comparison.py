"""Compares what the analyses foretell of a kernel's accesses with what the interpreter saw.

Addresses and executing lanes are asked for in three ways: with symbols that are given their
numbers afterwards, with numbers from the start, and round by round of the loops.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import TYPE_CHECKING

from analyses.thread_interpreter import Interpreter, Rounds, Run, Trace, base_address

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts, LaunchFacts
from warplint.analyzer.analyses.lane_values import LaneValue, Product
from warplint.analyzer.analyses.loop_rounds import rounds_of
from warplint.analyzer.analyses.uniformity import Uniformity
from warplint.analyzer.analyses.warp_evaluator import Iteration
from warplint.analyzer.ir.memory import MemoryObject
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess, Operation
from warplint.analyzer.ir.values import Parameter, Special

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from warplint.analyzer.analyses.control_flow import Loop
    from warplint.analyzer.analyses.guards import Guarded, Guards
    from warplint.analyzer.analyses.warp_evaluator import Outcome, WarpEvaluator
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.kernel import Kernel, Module


class Comparison:
    """One kernel on one run: what happened, and what the analyses say."""

    def __init__(self, kernel: Kernel, module: Module, run: Run) -> None:
        self.kernel = kernel
        self.run = run
        objects = [*self.kernel.objects, *module.objects]
        objects += [p.pointee for p in self.kernel.parameters if p.pointee is not None]
        self.objects = list(dict.fromkeys(objects))
        facts = KernelFacts(self.kernel, module, AnalysisOptions(90, run.block, run.grid))
        self.facts = facts
        self.launch: LaunchFacts = facts.launches[0]
        nest = facts.flow.loop_nest
        self.trace: Trace = Interpreter(self.kernel, self.run, nest, self.objects).run()
        self.counts: Counter[str] = Counter()
        self.warp = 0

    def headers(self, block: Block | None) -> list[Block]:
        """The headers of the loops around a block, outermost first, as rounds are counted."""
        assert block is not None
        return [loop.header for loop in reversed(self.facts.flow.loop_nest(block))]

    def warps(self) -> range:
        return range(-(-len(self.run.threads) // 32))

    def number(self, name: Hashable, rounds: dict[Block, int]) -> int | None:
        """The number a symbol stands for; None when the interpreter has none for it."""
        if isinstance(name, Product):
            factors = [self.number(factor, rounds) for factor in name.factors]
            known = [factor for factor in factors if factor is not None]
            return prod(known) if len(known) == len(factors) else None
        if isinstance(name, Iteration):
            return rounds.get(name.header)
        if isinstance(name, MemoryObject):
            return base_address(self.objects, name)
        if isinstance(name, Parameter):
            if name.pointee is not None:
                return base_address(self.objects, name.pointee)
            return self.run.arguments.get(name.name)
        if isinstance(name, Special):
            kind, _, axis = name.value.partition(".")
            table = {"ctaid": self.run.block_index, "nctaid": self.run.grid}
            return table[kind]["xyz".index(axis)] if kind in table else None
        return self._computed(name, rounds) if isinstance(name, Operation) else None

    def _computed(self, operation: Operation, rounds: dict[Block, int]) -> int | None:
        """The number an operation had in these rounds: one for all lanes, or it is no symbol."""
        headers = self.headers(operation.block)
        if not all(header in rounds for header in headers):
            return None
        key = tuple(rounds[header] for header in headers)
        lanes = self.trace.values.get(operation, {}).get(key, {}).items()
        found = {value for thread, value in lanes if thread // 32 == self.warp}
        assert len(found) <= 1, f"{operation.opcode.value} is not uniform: {found}"
        number = found.pop() if found else None
        return number if isinstance(number, int) else None

    def seen(self, access: MemoryAccess, warp: int) -> dict[Rounds, dict[int, object]]:
        """Rounds → lane → address of one warp."""
        found: dict[Rounds, dict[int, object]] = {}
        for rounds, threads in self.trace.addresses.get(access, {}).items():
            lanes = {t % 32: address for t, address in threads.items() if t // 32 == warp}
            if lanes:
                found[rounds] = lanes
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
        for operation, by_rounds in self.trace.values.items():
            level = analysis.of(operation)
            if isinstance(operation, MemoryAccess) and operation.kind is AccessKind.STORE:
                stored = operation.operands[1]
                assert operation.block is not None
                level = max(analysis.of(stored), analysis.left_apart(stored, operation.block))
            if level is Uniformity.VARYING:
                continue
            claimed += 1
            for rounds, values in by_rounds.items():
                apart = _different(values, 32 if level is Uniformity.WARP else 1024)
                where = f"{operation.opcode.value} line {operation.location.span.line}, {rounds}"
                assert not apart, f"{where} is said to be {level}: {apart}"
        return claimed

    # ---- the three ways of asking ----------------------------------------------------------------

    def with_symbols(self, access: MemoryAccess) -> None:
        for warp in self.warps():
            self.warp = warp
            evaluator = self.launch.evaluator(warp)
            asked = evaluator, self.launch.guards(evaluator)
            for rounds, lanes in self.seen(access, warp).items():
                self.check(access, asked, lanes, rounds)

    def with_numbers(self, access: MemoryAccess) -> None:
        headers = self.headers(access.block)
        for warp in self.warps():
            self.warp = warp
            for rounds, lanes in self.seen(access, warp).items():
                named = dict(zip(headers, rounds, strict=True))
                evaluator = self.launch.new_evaluator(warp, self._numbers(named))
                self.check(access, (evaluator, self.launch.guards(evaluator)), lanes, rounds)
            if not headers and not self.seen(access, warp):
                evaluator = self.launch.new_evaluator(warp, self._numbers({}))
                self.check(access, (evaluator, self.launch.guards(evaluator)), {}, ())

    def _numbers(self, rounds: dict[Block, int]) -> Callable[[Hashable], int | None]:
        return lambda name: self.number(name, rounds)

    def round_by_round(self, access: MemoryAccess) -> None:
        """Every round that a warp makes, in order, with the lanes that execute the access in it."""
        assert access.block is not None
        nest = self.facts.flow.loop_nest(access.block)
        if not nest:
            return
        for warp in self.warps():
            self.warp = warp
            known = rounds_of(self.launch, warp, nest)
            if known is None or not known.complete:
                self.counts["rounds not known"] += 1
                continue
            seen = self.seen(access, warp)
            made = self._rounds_made(nest, warp)
            assumed = any(lanes.assumed for r in known.rounds for lanes in r.lanes.values())
            if not assumed:
                assert len(known.rounds) == len(made), (access.name, len(known.rounds), made)
            elif len(nest) > 1:
                continue  # rounds that are not made stand between those that are
            for round_, rounds in zip(known.rounds, made, strict=not assumed):
                assert round_.evaluator is not None
                assert round_.guards is not None
                asked = round_.evaluator, round_.guards
                self.check(access, asked, seen.get(rounds, {}), rounds)

    def _rounds_made(self, nest: list[Loop], warp: int) -> list[Rounds]:
        """The rounds of the innermost loop that some lane of the warp does."""
        inner = nest[0]
        test = next(
            block
            for block in (inner.header, *inner.latches)
            if any(successor not in inner.blocks for successor in block.successors)
        )
        staying = self.trace.stays.get(test, {})
        made = {
            rounds
            for rounds, threads in staying.items()
            if any(thread // 32 == warp for thread in threads)
        }
        if test is not inner.header or inner.header in inner.latches:  # tested at the end
            entered = self.trace.values
            made = {
                rounds
                for operation in inner.header.operations
                for rounds, threads in entered.get(operation, {}).items()
                if any(thread // 32 == warp for thread in threads)
            }
        return sorted(made)

    # ---- the comparison --------------------------------------------------------------------------

    def check(
        self,
        access: MemoryAccess,
        asked: tuple[WarpEvaluator, Guards],
        lanes: dict[int, object],
        rounds: Rounds,
    ) -> None:
        where = f"{access.kind.value} {access.name!r} line {access.location.span.line}, {rounds}"
        assert access.block is not None
        evaluator, guards = asked
        self.check_mask(guards.of(access.block), set(lanes), where)
        named = dict(zip(self.headers(access.block), rounds, strict=True))
        value = evaluator.value_in(access.block, access.address)
        self.check_value(value, lanes, named, where)

    def check_mask(self, guarded: Guarded, ran: set[int], where: str) -> None:
        foretold = {lane for lane, runs in enumerate(guarded.mask) if runs}
        if guarded.assumed:
            self.counts["guard assumed"] += 1
            assert ran <= foretold, f"{where}: lanes {sorted(ran - foretold)} do run it"
        else:
            self.counts["guard known"] += 1
            assert ran == foretold, f"{where}: ran {sorted(ran)}, foretold {sorted(foretold)}"

    def check_value(
        self, value: Outcome, lanes: dict[int, object], rounds: dict[Block, int], where: str
    ) -> None:
        if not isinstance(value, LaneValue):
            self.counts["address unknown"] += 1
            return
        shift = [0] * 32
        exact = True
        for name, coefficient in value.terms:
            number = self.number(name, rounds)
            per_lane = coefficient if isinstance(coefficient, tuple) else (coefficient,) * 32
            if number is None and isinstance(coefficient, tuple):
                self.counts["stride unknown"] += 1
                return
            if number is None:
                exact = False
                continue
            shift = [s + number * c for s, c in zip(shift, per_lane, strict=True)]
        self.counts["address known"] += 1
        differences = {
            lane: address - value.lanes[lane] - shift[lane]
            for lane, address in lanes.items()
            if isinstance(address, int)
        }
        expected = 0 if exact else next(iter(differences.values()), 0)
        wrong = {lane: off for lane, off in differences.items() if off != expected}
        assert not wrong, f"{where}: off by {wrong}"


def _different(values: Mapping[int, object], size: int) -> list[set[object]]:
    """The different values of the groups of `size` threads that do not agree."""
    groups: dict[int, set[object]] = {}
    for thread, value in values.items():
        groups.setdefault(thread // size, set()).add(value)
    return [found for found in groups.values() if len(found) > 1]
