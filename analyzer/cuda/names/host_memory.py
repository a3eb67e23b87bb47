"""Functions of the CUDA runtime and of the C library that host code gets and gives back memory by.

Each row says which argument holds the address of the pointer, or the pointer, and which ones the
size in bytes is the product of.
"""

from __future__ import annotations

import re

from ...ir.host import Residence
from ...source.records import dataclass


@dataclass(frozen=True, slots=True)
class Giver:
    """A function that gives host code memory, by its result where `pointer` is None."""

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

#: Functions that write variables through their addresses and keep none: which arguments they write;
#: what else they get they only read.
FILLERS = {
    **dict.fromkeys(("fread", "MPI_Bcast", "cudaGetDeviceCount", "cudaGetDevice"), slice(0, 1)),
    **dict.fromkeys(("cudaDeviceGetAttribute", "cudaEventElapsedTime"), slice(0, 1)),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": slice(0, 1),
    **dict.fromkeys(("cudaOccupancyMaxPotentialBlockSize", "MPI_Init"), slice(0, 2)),
    "cudaMemGetInfo": slice(0, 2),
    **dict.fromkeys(("MPI_Comm_rank", "MPI_Comm_size", "MPI_Allreduce", "MPI_Reduce"), slice(1, 2)),
    "scanf": slice(1, None),
    **dict.fromkeys(("fscanf", "sscanf"), slice(2, None)),
}

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

#: Functions of cuBLAS that return at once, and which of their arguments the device writes to: what
#: became of each matrix, and its pivots (cuBLAS documentation, 2.8, "BLAS-like Extension").
ANSWERED_LATER = {
    f"cublas{letter}{name}Batched": places
    for letter in "SDCZ"
    for name, places in (("getrf", (4, 5)), ("getri", (7,)), ("matinv", (6,)), ("gels", (10,)))
}

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

#: Functions that say something about a number to whoever reads along.
TELLING = frozenset(
    [
        *("cudaGetErrorString", "cudaGetErrorName", "printf", "fprintf", "puts", "fputs"),
        *("putchar", "fflush", "perror"),
    ]
)

#: Further functions of the C library: they take values, and pointers by value.
_FURTHER = frozenset(
    [
        *("qsort", "bsearch", "strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof"),
        *("atol", "atoll", "getenv", "system", "usleep", "sleep", "labs", "llabs", "div", "rand_r"),
        *("fgets", "fputs", "fputc", "fgetc", "getc", "putc", "ungetc", "gets", "feof", "ferror"),
        *("fseek", "ftell", "rewind", "remove", "rename", "setvbuf", "vprintf", "vfprintf"),
        *("vsnprintf", "vsprintf", "sscanf", "memcmp", "memchr", "strncmp", "strncpy", "strcat"),
        *("strncat", "strchr", "strrchr", "strstr", "strtok", "strdup", "strcasecmp", "strerror"),
        *("isalpha", "isdigit", "isspace", "isalnum", "toupper", "tolower", "clock_gettime"),
        *("difftime", "localtime", "gmtime", "strftime", "ctime", "getopt", "getopt_long"),
        *("open", "close", "read", "write", "lseek", "fstat", "mmap", "munmap", "mlock", "munlock"),
        *("signal", "raise", "atexit", "drand48", "srand48", "lrand48", "random", "srandom"),
        *("tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "cbrt", "hypot", "log2"),
        *("log10", "log1p", "exp2", "expm1", "fmod", "round", "lround", "llround", "rint", "trunc"),
        *("fmin", "fmax", "fma", "ldexp", "copysign", "isnan", "isinf", "isfinite", "signbit"),
        *("tanf", "asinf", "acosf", "atanf", "atan2f", "sinf", "cosf", "tanhf", "cbrtf", "hypotf"),
        *("log2f", "log10f", "logf", "expf", "exp2f", "fmodf", "roundf", "rintf", "truncf"),
        *("fminf", "fmaxf", "fmaf", "malloc_usable_size", "posix_memalign", "omp_set_num_threads"),
        *("static_assert", "sizeof", "offsetof", "dim3", "make_cudaExtent", "make_cudaPitchedPtr"),
        *("make_cudaPos", "make_int2", "make_int3", "make_int4", "make_uint2", "make_uint3"),
        *("make_uint4", "make_float2", "make_float3", "make_float4", "make_double2"),
    ]
)

#: Interfaces of C, by how their names begin: nothing is handed to them by reference.
_OF_C = re.compile(
    r"(?:cuda|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvml|nvrtc|nvtx|hip|Nppi?)[A-Z]"
    r"|cu(?:Ctx|Device|Event|Func|Launch|Mem|Module|Stream|Init|Get)[A-Z]?"
    r"|MPI_[A-Z]|omp_[a-z]|npp[is][A-Z]"
)

#: Functions of `std` that give back, or change, the very variable that they are given.
REFERRING = frozenset(
    [
        *("addressof", "ref", "cref", "move", "forward", "as_const", "tie", "forward_as_tuple"),
        *("swap", "exchange", "raw_reference_cast", "getline", "align"),
    ]
)

#: Methods of containers, strings and streams: none writes what it is given.
PLAIN_METHODS = frozenset(
    [
        *("data", "size", "begin", "end", "front", "back", "at", "empty", "resize"),
        *("reserve", "push_back", "emplace_back", "assign", "insert", "erase", "fill", "append"),
        *("substr", "find", "count", "compare", "write", "put", "open", "close", "seekg", "seekp"),
        *("width", "precision", "clear", "c_str", "length", "good", "fail", "is_open", "eof"),
    ]
)


def takes_values(name: str, around: tuple[str, ...]) -> bool:
    """Whether a function that nothing in sight declares is known by its name to leave the variables
    alone that it is given; `around` are the namespaces that are written before it.
    """
    if around and around[0] in (*CONTAINER_NAMESPACES, "cub"):
        return name not in REFERRING and around[0] != "cub"
    if around:
        return False
    plain = name in PLAIN_FUNCTIONS and name != "swap"
    return plain or name in _FURTHER or _OF_C.match(name) is not None
