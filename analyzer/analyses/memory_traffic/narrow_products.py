"""Products that are computed in 32 bits and used as 64-bit numbers.

In: the facts of a kernel. Out: each 32-bit product of run-time values that is widened afterwards,
where the kernel itself says that 32 bits may not be enough: the result initialises a 64-bit
variable, or is compared with a 64-bit size. The conversion comes too late: the product has wrapped
(C++ [conv.integral]; clang-tidy has the first case as bugprone-implicit-widening-of-
multiplication-result). Left out is what cannot wrap or hardly does: products with a thread index, a
block size or a number of 16 bits; indices along y and z, of which a grid has 65,535 blocks; what is
subtracted; tiles (`blockIdx.x * tile`) compared with a size; columns of two-dimensional grids;
launches whose grids are known.
"""

from __future__ import annotations

from enum import Enum
from itertools import islice
from math import prod
from typing import TYPE_CHECKING

from ...ir.operations import Compare, Convert, Opcode, Operation, Phi, unconverted
from ...ir.types import Kind
from ...ir.values import Constant, Parameter, Special, SpecialRegister, Unknown
from ...source.records import dataclass
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.kernel import Definition
    from ...ir.types import Type
    from ...ir.values import Value
    from .facts import TrafficFacts


class _Leaf(Enum):
    """What a factor is made of."""

    THREAD = "a thread's index in its block, or another small number"
    BLOCK_SIZE = "the size of a block"
    BLOCK_X = "the block's index along x, of 31 bits"
    BLOCK_YZ = "the block's index along y or z, of 16 bits"
    GRID_SIZE = "the size of the grid"
    CONSTANT = "known when compiling"
    COUNTER = "what a loop or a choice makes of it"
    RUN_TIME = "anything else"


_LEAVES = {
    Special.THREAD_X: _Leaf.THREAD,
    Special.THREAD_Y: _Leaf.THREAD,
    Special.THREAD_Z: _Leaf.THREAD,
    Special.LANE: _Leaf.THREAD,
    Special.WARP: _Leaf.THREAD,
    Special.WARP_SIZE: _Leaf.CONSTANT,
    Special.BLOCK_SIZE_X: _Leaf.BLOCK_SIZE,
    Special.BLOCK_SIZE_Y: _Leaf.BLOCK_SIZE,
    Special.BLOCK_SIZE_Z: _Leaf.BLOCK_SIZE,
    Special.BLOCK_X: _Leaf.BLOCK_X,
    Special.BLOCK_Y: _Leaf.BLOCK_YZ,
    Special.BLOCK_Z: _Leaf.BLOCK_YZ,
    Special.GRID_SIZE_X: _Leaf.GRID_SIZE,
    Special.GRID_SIZE_Y: _Leaf.GRID_SIZE,
    Special.GRID_SIZE_Z: _Leaf.GRID_SIZE,
}
_SMALL = frozenset({_Leaf.THREAD, _Leaf.BLOCK_SIZE, _Leaf.CONSTANT})
_LOOKED_THROUGH = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.CONVERT)
_CUTTING = (Opcode.DIV, Opcode.REM, Opcode.AND, Opcode.SHR)
_MOST = 64  # operations between the product and its use


@dataclass(frozen=True, slots=True)
class NarrowProduct:
    """A 32-bit product; `size` is the 64-bit number that it is compared with, if any."""

    product: Operation
    result: Type  # of the 32-bit value that is widened
    counts_threads: bool  # blockIdx times the size of a block
    size: Value | None = None

    @property
    def wraps_at(self) -> int:
        """The first value that does not fit."""
        bits = self.result.bits or 32
        return 1 << (bits - 1 if self.result.signed else bits)


def narrow_products(facts: TrafficFacts) -> Iterator[NarrowProduct]:
    """The products of a kernel that are widened too late, each once, in program order."""
    told: set[Operation] = set()
    variables = {item.value for item in facts.kernel.definitions if not _is_argument(item)}
    for operation in facts.kernel.operations():
        for found in _of(facts, operation, variables):
            if found.product not in told:
                told.add(found.product)
                yield found


def _of(
    facts: TrafficFacts, operation: Operation, variables: set[Value]
) -> Iterator[NarrowProduct]:
    if isinstance(operation, Compare) and _is_wide(operation.compared):
        first, second = operation.operands
        for index, size in ((first, second), (second, first)):
            if isinstance(index, Convert) and _widens(index) and _is_size(size):
                for product in _products(index.operands[0]):
                    leaves = [_leaves(factor) for factor in product.operands]
                    counts = _counts_threads(facts, leaves)
                    if counts or all(_is_free(each) for each in leaves):
                        yield NarrowProduct(product, index.source, counts, size)
    if isinstance(operation, Convert) and _widens(operation) and operation in variables:
        for product in _products(operation.operands[0]):
            if not _is_within(product, operation):
                continue  # a 32-bit variable on the way
            leaves = [_leaves(factor) for factor in product.operands]
            of_rows = all(_is_free(each) or each == {_Leaf.COUNTER} for each in leaves)
            if of_rows or _is_row_of_block(product):
                yield NarrowProduct(product, operation.source, counts_threads=False)


def _is_argument(definition: Definition) -> bool:
    """Whether it is a parameter of an inlined function: the call stands for all its arguments."""
    return definition.passed or not isinstance(definition.value, Convert)


def _is_within(product: Operation, conversion: Operation) -> bool:
    """Whether the product stands in the expression that is converted."""
    return conversion.location.span.covers(product.location.span)


def _is_wide(type: Type) -> bool:
    return type.kind is Kind.INTEGER and type.bits == 64


def _widens(operation: Convert) -> bool:
    narrow = operation.source
    return _is_wide(operation.type) and narrow.kind is Kind.INTEGER and narrow.bits == 32


def _is_size(value: Value) -> bool:
    """Whether a value is a 64-bit number from the start: a parameter, a member, a loaded one."""
    while isinstance(value, Convert) and value.source.bits == 64:
        value = value.operands[0]
    if isinstance(value, Parameter):
        return value.type.kind is Kind.INTEGER
    return isinstance(value, Operation) and value.opcode in (Opcode.EXTRACT, Opcode.ACCESS)


def _products(value: Value) -> Iterator[Operation]:
    """The 32-bit products that a sum is made of."""

    def added(item: Value) -> Sequence[Value]:
        if not isinstance(item, Operation) or item.type.bits != 32:
            return ()
        if item.opcode is Opcode.SUB:
            return item.operands[:1]  # `n - q * d` is what is left of n
        passes = item.opcode is Opcode.ADD or isinstance(item, Phi | Convert)
        return item.operands if passes else ()

    for item in islice(reachable([value], added), _MOST):
        if isinstance(item, Operation) and item.opcode is Opcode.MUL and item.type.bits == 32:
            yield item


def _leaves(factor: Value) -> frozenset[_Leaf]:
    """What a factor is made of, by sums and products."""
    parts = backward_slice(factor, through=lambda each: _leaf(each) is None)
    found = {_leaf(each) for each in islice(parts, _MOST)}
    return frozenset(_Leaf.RUN_TIME if next(parts, None) else each for each in found if each)


def _leaf(value: Value) -> _Leaf | None:
    """What a value is; None for sums and products, which are looked through."""
    if isinstance(value, SpecialRegister):
        return _LEAVES.get(value.register, _Leaf.RUN_TIME)
    if isinstance(value, Constant) or (isinstance(value, Unknown) and not value.per_thread):
        return _Leaf.CONSTANT
    if isinstance(value, Convert) and (value.source.bits or 0) <= 16:
        return _Leaf.THREAD
    if isinstance(value, Phi):
        return _Leaf.COUNTER
    if not isinstance(value, Operation) or value.opcode not in _CUTTING + _LOOKED_THROUGH:
        return _Leaf.RUN_TIME
    if value.opcode in _LOOKED_THROUGH:
        return None
    return _Leaf.THREAD if _leaves_small(value.operands[0]) else _Leaf.RUN_TIME


def _leaves_small(value: Value) -> bool:
    """Whether what is divided or masked is a thread's index: `threadIdx.x / 32`."""
    index = unconverted(value)
    return isinstance(index, SpecialRegister) and _LEAVES.get(index.register) in _SMALL


def _is_free(leaves: frozenset[_Leaf]) -> bool:
    """Whether nothing bounds a factor but its type."""
    return leaves == {_Leaf.RUN_TIME} or leaves == {_Leaf.RUN_TIME, _Leaf.CONSTANT}


def _is_row_of_block(product: Operation) -> bool:
    """`blockIdx.x * pitch`, each of them as it is."""
    factors = [unconverted(factor) for factor in product.operands]
    blocks = {Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z}
    return any(isinstance(item, Parameter) for item in factors) and any(
        isinstance(item, SpecialRegister) and item.register in blocks for item in factors
    )


def _counts_threads(facts: TrafficFacts, leaves: list[frozenset[_Leaf]]) -> bool:
    """Whether it numbers the threads of a grid that may have more than 2^31 of them."""
    both = frozenset().union(*leaves)
    if _Leaf.BLOCK_X not in both or both & {_Leaf.RUN_TIME, _Leaf.COUNTER}:
        return False
    if _Leaf.BLOCK_YZ not in both and _has_rows(facts):
        return False
    sizes = {_Leaf.BLOCK_SIZE} & both or frozenset({_Leaf.CONSTANT}) in leaves
    return bool(sizes) and any(
        None in launch.launch.grid
        or prod(size or 1 for size in launch.launch.grid) * launch.launch.threads >= 1 << 31
        for launch in facts.launches
    )


def _has_rows(facts: TrafficFacts) -> bool:
    """Whether blocks are numbered along y too: x is then a column, of which there are fewer."""
    return Special.BLOCK_Y in facts.registers
