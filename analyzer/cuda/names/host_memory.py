"""Functions of the CUDA runtime and of the C library that host code gets and gives back memory by.

Each row says which argument holds the address of the pointer, or the pointer, and which ones the
size in bytes is the product of.
"""

from __future__ import annotations

from ...ir.host import Residence
from ...source.records import dataclass


@dataclass(frozen=True, slots=True)
class Giver:
    """A function that gives memory, by its result where `pointer` is None."""

    residence: Residence
    pointer: int | None
    size: tuple[int, ...]


#: CUDA C++ Runtime API, "Memory Management" and "Stream Ordered Memory Allocator".
GIVERS = {
    "cudaMalloc": Giver(Residence.DEVICE, 0, (1,)),
    "cudaMallocAsync": Giver(Residence.DEVICE, 0, (1,)),
    "cudaMallocFromPoolAsync": Giver(Residence.DEVICE, 0, (1,)),
    "cudaMallocPitch": Giver(Residence.DEVICE, 0, ()),
    "cudaMallocManaged": Giver(Residence.MANAGED, 0, (1,)),
    "cudaMallocHost": Giver(Residence.PINNED, 0, (1,)),
    "cudaHostAlloc": Giver(Residence.PINNED, 0, (1,)),
    "malloc": Giver(Residence.HEAP, None, (0,)),
    "calloc": Giver(Residence.HEAP, None, (0, 1)),
    "realloc": Giver(Residence.HEAP, None, (1,)),
    "aligned_alloc": Giver(Residence.HEAP, None, (1,)),
}

#: Functions that say where a device variable is: the address of a pointer, then the variable.
FINDERS = frozenset({"cudaGetSymbolAddress"})

#: What each may give back, by its first argument.
TAKERS = {
    "cudaFree": frozenset({Residence.DEVICE, Residence.MANAGED}),
    "cudaFreeAsync": frozenset({Residence.DEVICE, Residence.MANAGED}),
    "cudaFreeHost": frozenset({Residence.PINNED}),
    "free": frozenset({Residence.HEAP}),
    "delete": frozenset({Residence.HEAP}),
}

#: Containers whose `data()` is a pointer to as many elements as they are made with.
CONTAINERS = {
    "device_vector": Residence.DEVICE,
    "host_vector": Residence.HEAP,
    "universal_vector": Residence.MANAGED,
    "vector": Residence.HEAP,
}
CONTAINER_NAMESPACES = frozenset({"std", "thrust"})

#: Functions that follow their pointers on the host.
FOLLOWING = frozenset({"memcpy", "memset", "memmove"})

#: Algorithms of `std` that read what their pointers lead to.
READERS = frozenset(
    [
        *("accumulate", "reduce", "inner_product", "max_element", "min_element", "minmax_element"),
        *("count", "count_if", "find", "find_if", "equal", "all_of", "any_of", "none_of", "copy"),
        *("copy_n", "sort", "stable_sort", "for_each", "transform", "is_sorted", "mismatch"),
        *("fill", "fill_n", "iota", "generate", "partial_sum", "reverse", "unique"),
    ]
)

#: Calls that leave the work of the device as it is: what was begun may still be under way.
UNWAITING = frozenset(
    [
        *("cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName"),
        *("cudaEventRecord", "cudaEventCreate", "cudaStreamCreate", "cudaStreamWaitEvent"),
        *("cudaMallocManaged", "cudaMemPrefetchAsync", "cudaMemAdvise"),
        *("cudaGetDevice", "cudaSetDevice", "cudaMemcpyAsync", "cudaMemsetAsync"),
        *("printf", "fprintf", "puts", "malloc", "calloc", "assert", "setw", "setprecision"),
        *("min", "max", "abs", "fabs", "fabsf", "sqrt", "sqrtf"),
    ]
)

#: Functions of the C library that host code calls everywhere: none of them sees an error of CUDA.
PLAIN_FUNCTIONS = frozenset(
    [
        *("printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "fflush", "perror"),
        *("malloc", "calloc", "realloc", "free", "memcpy", "memset", "memmove", "exit", "abort"),
        *("fopen", "fclose", "fread", "fwrite", "fscanf", "scanf", "getchar", "atoi", "atof"),
        *("rand", "srand", "time", "clock", "gettimeofday", "assert", "swap", "min", "max", "dim3"),
        *("abs", "fabs", "fabsf", "sqrt", "sqrtf", "pow", "powf", "exp", "log", "sin", "cos"),
        *("ceil", "floor", "ceilf", "floorf", "strcmp", "strlen", "strcpy", "setw", "setprecision"),
    ]
)
