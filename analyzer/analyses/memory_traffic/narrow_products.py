"""Products that are computed in 32 bits and used as 64-bit numbers.

In: the facts of a kernel. Out: each 32-bit product of run-time values that is widened afterwards,
where the kernel itself says that 32 bits may not be enough: the result initialises a 64-bit
variable, is cast to 64 bits on its way to an address, is compared with a 64-bit size, or makes a
pointer to a row of an array (`p + row * columns`); or where a launch says so, that of any index.
The conversion comes too late: the product has wrapped (C++ [conv.integral]; clang-tidy has the
first case as bugprone-implicit-widening-of-multiplication-result). The other way round, a product
of 64 bits that is put into an index of 32. Left out is what cannot wrap or hardly does:
products with a thread's index in its block, a block size or a number of 16 bits; what is
subtracted; what is narrowed to 32 bits again; tiles (`blockIdx.x * tile`) compared with a size;
columns of two-dimensional grids; and what grids, arguments and the caps of the host keep small
(`value_bounds.py`).
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    Compare,
    Convert,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Constant, Parameter, Special, SpecialRegister
from ...source.records import dataclass
from ..arithmetic.product_factors import Leaf, is_free, is_position, leaves_of
from ..block_execution.launch_values import is_block_index
from ..dataflow.reachability import reachable
from .value_bounds import ValueBounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.kernel import Definition
    from ...ir.types import Type
    from ...ir.values import Value
    from .facts import TrafficFacts

_MOST = 64  # operations between the product and its use


class ProductUse(Enum):
    """What a 32-bit product, often an index, is widened or narrowed for."""

    COMPARED = "compared with a 64-bit size"
    STORED = "stored in a 64-bit variable"
    CAST = "cast to 64 bits"
    INDEXED = "used as an index"
    POINTER = "added to a pointer"
    NARROWED = "narrowed to a 32-bit index"


@dataclass(frozen=True, slots=True)
class NarrowProduct:
    """A product of an index or size that is computed in 32 bits, and its use as a 64-bit number."""

    product: Operation
    result: Type  # the 32-bit one
    counts_threads: bool  # blockIdx times the size of a block, or what must be that size
    use: ProductUse
    stated: bool = False  # a launch says all numbers of it, and that it gets too large

    @property
    def wraps_at(self) -> int:
        """The first value that does not fit."""
        bits = self.result.bits or 32
        return 1 << (bits - 1 if self.result.signed else bits)


def narrow_products(facts: TrafficFacts) -> Iterator[NarrowProduct]:
    """The 32-bit products of a kernel, indices and sizes, that are widened too late, each once, in
    program order.
    """
    told: set[Operation] = set()
    variables = {item.value for item in facts.kernel.definitions if not _is_argument(item)}
    bounds = [ValueBounds(launch) for launch in facts.launches]
    for operation in facts.kernel.operations():
        for found in _of(facts, operation, variables, bounds):
            if found.product in told or not _may_wrap(found, bounds):
                continue
            stated = _is_reached(found.product, found.wraps_at, bounds)
            if found.use is ProductUse.INDEXED and not (
                stated and operation in facts.address_parts
            ):
                continue
            told.add(found.product)
            yield replace(found, stated=stated)


def _may_wrap(found: NarrowProduct, bounds: Sequence[ValueBounds]) -> bool:
    """Whether some launch lets the product get as large as that."""
    most = [each.most(found.product) for each in bounds]
    return any(number is None or number >= found.wraps_at for number in most)


def _is_reached(product: Operation, number: int, bounds: Sequence[ValueBounds]) -> bool:
    """Whether a launch says that the product gets as large as that."""
    return any(each.is_reached(product, number) for each in bounds)


def _of(
    facts: TrafficFacts, operation: Operation, variables: set[Value], bounds: Sequence[ValueBounds]
) -> Iterator[NarrowProduct]:
    if isinstance(operation, Compare) and _is_wide(operation.compared):
        first, second = operation.operands
        for index, size in ((first, second), (second, first)):
            if isinstance(index, Convert) and _widens(index) and _is_size(size):
                yield from _compared(facts, index)
    if (
        isinstance(operation, Convert)
        and (operation.written and _widens(operation))
        and (operation in facts.address_parts and not _is_narrowed_again(facts, operation))
        and not _is_multiplied(facts, operation)
    ):
        yield from _rows(operation, operation, ProductUse.CAST, bounds)
    if operation not in variables:
        if isinstance(operation, Convert) and not operation.written and _widens(operation):
            yield from _rows(operation, operation, ProductUse.INDEXED, bounds)
        return
    if isinstance(operation, Convert) and _widens(operation):
        if not _is_narrowed_again(facts, operation):
            yield from _rows(operation, operation, ProductUse.STORED, bounds)
    elif isinstance(operation, Convert) and _narrows(operation):
        yield from _narrowed(facts, operation)
    elif operation.opcode is Opcode.ADD and operation.type.kind is Kind.POINTER:
        offset = _unscaled(operation.operands[1])
        if isinstance(offset, Convert) and _widens(offset) and _is_global(facts, operation):
            yield from _rows(offset, operation, ProductUse.POINTER, bounds)


def _compared(facts: TrafficFacts, index: Convert) -> Iterator[NarrowProduct]:
    """Products in an index that is compared with a 64-bit size."""
    for product in _products(index.operands[0], 32):
        leaves = [leaves_of(factor) for factor in product.operands]
        counts = _counts_threads(facts, leaves)
        if counts or _makes_volume(leaves):
            yield NarrowProduct(product, index.source, counts, ProductUse.COMPARED)


def _rows(
    index: Convert, whole: Operation, use: ProductUse, bounds: Sequence[ValueBounds]
) -> Iterator[NarrowProduct]:
    """Products of a row and its length, in the expression that makes a variable; and whatever else
    a launch says to get too large.
    """
    for product in _products(index.operands[0], 32):
        if not whole.location.span.covers(product.location.span):
            continue  # a 32-bit variable on the way
        leaves = [leaves_of(factor) for factor in product.operands]
        counts = _is_thread_of_block(index.operands[0], product)
        found = NarrowProduct(product, index.source, counts, use)
        row = _makes_row(leaves) or _is_row_of_block(product)
        if row or _is_reached(product, found.wraps_at, bounds):
            yield found


def _narrowed(facts: TrafficFacts, index: Convert) -> Iterator[NarrowProduct]:
    """Products that are widened in time, and then put into a 32-bit index of memory."""
    for product in _products(index.operands[0], 64):
        widened = [each for each in product.operands if isinstance(each, Convert) and _widens(each)]
        inside = index.location.span.covers(product.location.span)
        leaves = [leaves_of(factor) for factor in product.operands]
        counts = _counts_threads(facts, leaves) and not _is_guarded(facts, index)
        if inside and widened and (counts or _makes_row(leaves)) and index in facts.address_parts:
            yield NarrowProduct(product, index.type, counts, ProductUse.NARROWED)


def _makes_row(leaves: Sequence[frozenset[Leaf]]) -> bool:
    """Whether nothing bounds one factor, and the other one is free, a place in the grid or counted
    by a loop.
    """
    others = [each for each in leaves if not is_free(each)]
    grows = all(is_position(each) or each == {Leaf.COUNTER} for each in others)
    return grows and len(others) < len(leaves)


def _makes_volume(leaves: Sequence[frozenset[Leaf]]) -> bool:
    """Whether a factor is free and another one numbers rows: `(image * channels + c) * pixels`."""
    others = [each for each in leaves if not is_free(each)]
    rows = all(Leaf.RUN_TIME in each and is_position(each - {Leaf.RUN_TIME}) for each in others)
    return rows and len(others) < len(leaves)


def _is_narrowed_again(facts: TrafficFacts, value: Value) -> bool:
    """Whether no more than 32 bits of it are used, as where `int` gets a sum with it."""

    def onwards(each: Value) -> Sequence[Operation]:
        adds = isinstance(each, Phi) or each is value
        adds = adds or (isinstance(each, Operation) and each.opcode in (Opcode.ADD, Opcode.SUB))
        return facts.users.get(each, ()) if adds and each.type.kind is Kind.INTEGER else ()

    parts = set(reachable([value], onwards))
    ends = {each for each in parts if not any(user in parts for user in facts.users.get(each, ()))}
    return bool(ends) and all(isinstance(each, Convert) and _narrows(each) for each in ends)


def _is_multiplied(facts: TrafficFacts, value: Value) -> bool:
    """Whether a size still multiplies it, as in `size_t(row * pages + page) * words`: it is cast
    for that product, and numbers rows itself.
    """

    def onwards(each: Value) -> Sequence[Operation]:
        adds = each is value or (isinstance(each, Operation) and each.opcode is Opcode.ADD)
        return facts.users.get(each, ()) if adds and each.type.kind is Kind.INTEGER else ()

    found = reachable([value], onwards)
    products = (each for each in found if isinstance(each, Operation) and each.opcode is Opcode.MUL)
    return any(not any(isinstance(n, Constant) for n in each.operands) for each in products)


def _is_guarded(facts: TrafficFacts, index: Value) -> bool:
    """Whether an index is compared with a 32-bit size: the host has as many threads as that."""
    return any(index in each.operands for each in facts.every(Compare))


def _is_global(facts: TrafficFacts, pointer: Value) -> bool:
    """Whether a pointer leads to global memory alone: other arrays are small."""
    items = facts.points_to.of(pointer)
    return bool(items) and all(item is not None and item.space is Space.GLOBAL for item in items)


def _unscaled(offset: Value) -> Value:
    """The number of elements that an offset in bytes is made of."""
    if isinstance(offset, Operation) and offset.opcode in (Opcode.MUL, Opcode.SHL):
        return offset.operands[0]
    return offset


def _is_argument(definition: Definition) -> bool:
    """Whether it is a parameter of an inlined function: the call stands for all its arguments."""
    return definition.passed or not isinstance(definition.value, Operation)


def _is_wide(type: Type) -> bool:
    return type.kind is Kind.INTEGER and type.bits == 64


def _widens(operation: Convert) -> bool:
    narrow = operation.source
    return _is_wide(operation.type) and narrow.kind is Kind.INTEGER and narrow.bits == 32


def _narrows(operation: Convert) -> bool:
    narrow = operation.type
    return _is_wide(operation.source) and narrow.kind is Kind.INTEGER and narrow.bits == 32


def _is_size(value: Value) -> bool:
    """Whether a value is a 64-bit number from the start: a parameter, a member, a loaded one."""
    while isinstance(value, Convert) and value.source.bits == 64:
        value = value.operands[0]
    if isinstance(value, Parameter):
        return value.type.kind is Kind.INTEGER
    return isinstance(value, Operation) and value.opcode in (Opcode.EXTRACT, Opcode.ACCESS)


def _products(value: Value, bits: int) -> Iterator[Operation]:
    """The products of so many bits that a sum is made of."""

    def added(item: Value) -> Sequence[Value]:
        if not isinstance(item, Operation) or item.type.bits != bits:
            return ()
        if item.opcode is Opcode.SUB:
            return item.operands[:1]  # `n - q * d` is what is left of n
        passes = item.opcode is Opcode.ADD or isinstance(item, Phi | Convert)
        return item.operands if passes else ()

    for item in islice(reachable([value], added), _MOST):
        if isinstance(item, Operation) and item.opcode is Opcode.MUL and item.type.bits == bits:
            yield item


def _is_row_of_block(product: Operation) -> bool:
    """`blockIdx.x * pitch`, each of them as it is."""
    factors = [unconverted(factor) for factor in product.operands]
    return any(isinstance(item, Parameter) for item in factors) and any(
        map(is_block_index, factors)
    )


def _is_thread_of_block(index: Value, product: Operation) -> bool:
    """Whether a sum is `blockIdx.x * size + threadIdx.x`, which leaves gaps between the blocks, or
    lets them overlap, unless the argument is the size of a block.
    """
    index = unconverted(index)
    if not isinstance(index, Operation) or index.opcode is not Opcode.ADD:
        return False
    parts = [unconverted(part) for part in index.operands]
    threads = [each.register for each in parts if isinstance(each, SpecialRegister)]
    return threads == [Special.THREAD_X] and product in parts and _is_row_of_block(product)


def _counts_threads(facts: TrafficFacts, leaves: list[frozenset[Leaf]]) -> bool:
    """Whether it numbers the threads of a grid."""
    both = frozenset().union(*leaves)
    if Leaf.BLOCK_X not in both or both & {Leaf.RUN_TIME, Leaf.COUNTER}:
        return False
    if Leaf.BLOCK_YZ not in both and _has_rows(facts):
        return False
    return Leaf.BLOCK_SIZE in both or frozenset({Leaf.CONSTANT}) in leaves


def _has_rows(facts: TrafficFacts) -> bool:
    """Whether blocks are numbered along y too: x is then a column, of which there are fewer."""
    return Special.BLOCK_Y in facts.registers
