"""Names of the CUDA runtime, the driver and AMD's HIP that say something of a whole program.

In: the words of a file as its compiler reads them, and which headers it asks for. Out: what the
program does about limits of the device, and whether it is written for HIP. What stands in comments,
in strings, or under conditions that do not hold is no word of a program.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ...ir.kernel import HostStep

if TYPE_CHECKING:
    from ...source.preprocessor import Preprocessed


def is_of_runtime(name: str) -> bool:
    """Whether a function that a file does not define is one of CUDA's runtime: `cudaMemcpy`."""
    return name[:4] == "cuda" and name[4:5].isupper()


def _all(step: HostStep, text: str) -> dict[str, HostStep]:
    return dict.fromkeys(text.split(), step)


HOST_STEPS = {
    **_all(
        HostStep.ASKS_FOR_ROOM,
        """
        multiProcessorCount cudaDevAttrMultiProcessorCount CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
        cudaOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxActiveBlocksPerMultiprocessor
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
        cudaOccupancyMaxActiveClusters cuOccupancyMaxActiveClusters
        hipDeviceAttributeMultiprocessorCount hipOccupancyMaxActiveBlocksPerMultiprocessor
        query_device_multiprocessor_count
        """,
    ),
    **_all(
        HostStep.ASKS_FOR_PAGEABLE,
        """
        pageableMemoryAccess cudaDevAttrPageableMemoryAccess
        pageableMemoryAccessUsesHostPageTables cudaDevAttrPageableMemoryAccessUsesHostPageTables
        CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS hipDeviceAttributePageableMemoryAccess
        """,
    ),
    **_all(
        HostStep.ASKS_FOR_SHARED,
        """
        sharedMemPerBlock sharedMemPerBlockOptin cudaDevAttrMaxSharedMemoryPerBlock
        cudaDevAttrMaxSharedMemoryPerBlockOptin CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        hipDeviceAttributeMaxSharedMemoryPerBlock
        """,
    ),
    **_all(
        HostStep.RAISES_SHARED,
        """
        cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        """,
    ),
}

#: Members of `cudaDeviceProp` that are the same on every GPU; elements of arrays by their index.
DEVICE_PROPERTIES: dict[tuple[str, int | None], int] = {
    ("warpSize", None): 32,
    ("maxThreadsPerBlock", None): 1024,
    ("maxThreadsDim", 0): 1024,
    ("maxThreadsDim", 1): 1024,
    ("maxThreadsDim", 2): 64,
    ("maxGridSize", 0): (1 << 31) - 1,
    ("maxGridSize", 1): (1 << 16) - 1,
    ("maxGridSize", 2): (1 << 16) - 1,
}

_HIP = ("hip/hip_runtime.h", "hip/hip_runtime_api.h")
_NEAR = 2  # folders around a file that speak of it
_HIP_FOLDER = re.compile(r"(?:^|[-_.])(?:hip|rocm)(?:$|[-_.])", re.IGNORECASE)
#: Headers of the toolkit: what they define is CUDA's own, and what they name asks for nothing.
_TOOLKIT = re.compile(
    r"(?:^|/)(?:(?:device|sm_\d+)_(?:atomic_|double_)?(?:functions|intrinsics)"
    r"|cuda_(?:fp\d+|bf16|fp16|runtime|runtime_api|device_runtime_api|pipeline|pipeline_helpers"
    r"|pipeline_primitives|awbarrier\w*)|cuda|driver_types|device_launch_parameters"
    r"|cooperative_groups|curand_\w+|mma|math_functions|math_constants|vector_types"
    r"|vector_functions|host_defines|texture_\w+|surface_\w+)\.(?:h|hpp|cuh)$"
    r"|(?:^|/)(?:crt|cooperative_groups|cuda/std|cub|thrust|libcudacxx)/"
    r"|(?:^|/)cuda/(?:atomic|barrier|pipeline|semaphore|latch|annotated_ptr)$"
)


def is_of_toolkit(path: str) -> bool:
    """Whether a file is a header that comes with CUDA."""
    return _TOOLKIT.search(path.replace(os.sep, "/")) is not None


def is_plain_header(name: str) -> bool:
    """Whether a header is one of C, C++, POSIX or the toolkit: none checks an error of CUDA."""
    return "." not in name or name in _PLAIN_HEADERS or is_of_toolkit(name)


_PLAIN_HEADERS = frozenset(
    f"{name}.h"
    for name in [
        *("assert", "ctype", "errno", "float", "inttypes", "limits", "malloc", "math", "memory"),
        *("omp", "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string"),
        *("sys/stat", "sys/time", "sys/types", "time", "unistd", "getopt", "curand", "cublas_v2"),
        *("cublas", "cufft", "cusparse", "cusolverDn", "cuda_profiler_api", "nvToolsExt"),
    ]
)


def is_for_hip(path: str, text: Preprocessed) -> bool:
    """Whether a file asks for HIP's runtime, or lies in a folder that is called so."""
    asked = {*text.missing, *text.includes}
    folders = os.path.dirname(os.path.abspath(path)).split(os.sep)[-_NEAR:]
    return (
        not asked.isdisjoint(_HIP)
        or any(each.path.endswith(_HIP) for each in text.places.sources)
        or any(map(_HIP_FOLDER.search, folders))
    )
