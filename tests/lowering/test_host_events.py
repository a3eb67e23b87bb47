"""What host code does with memory: allocations, copies, releases, and what is known there."""

from __future__ import annotations

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.ir.host import HostAccess, HostCall, HostEvent, HostLaunch, Residence
from warplint.analyzer.ir.host_formulas import Operation, Variable
from warplint.analyzer.source.text import SourceText

KERNEL = "__global__ void k(float *p, int n) { p[n] = 1.0f; }\n"


def _read(text: str) -> tuple[HostEvent, ...]:
    return read_cuda(SourceText("host.cu", f"{KERNEL}{text}")).host


def _events(body: str, parameters: str = "int n") -> tuple[HostEvent, ...]:
    return _read(f"void run({parameters}) {{ {body} }}")


def _launch_of(events: tuple[HostEvent, ...]) -> HostLaunch:
    return next(event for event in events if isinstance(event, HostLaunch))


def _launch(body: str, parameters: str = "int n") -> HostLaunch:
    return _launch_of(_events(body, parameters))


def test_a_pointer_has_what_was_allocated_for_it() -> None:
    launch = _launch("float *p; cudaMalloc((void **)&p, n * sizeof(float)); k<<<1, 32>>>(p, n);")
    pointer = launch.arguments[0].pointer
    assert pointer is not None
    assert pointer.allocation.residence is Residence.DEVICE
    assert pointer.allocation.element_size == 4
    assert launch.arguments[1].formula is not None


def test_what_one_path_changes_is_not_known() -> None:
    body = "float *p; cudaMalloc(&p, 64); if (n) p = nullptr; k<<<1, 32>>>(p, n);"
    assert _launch(body).arguments[0].pointer is None


def test_what_one_path_gives_back_is_what_it_was() -> None:
    body = "float *p; cudaMalloc(&p, 64); if (n) cudaFree(p); k<<<1, 32>>>(p, n);"
    pointer = _launch(body).arguments[0].pointer
    assert pointer is not None
    assert (pointer.allocation.size, pointer.freed) == (64, None)


def test_a_pointer_that_somebody_may_change_is_not_known() -> None:
    body = "float *p; cudaMalloc(&p, 64); grow(&p); k<<<1, 32>>>(p, n);"
    assert _launch(body).arguments[0].pointer is None


def test_kernels_of_one_name_take_what_theirs_takes_each() -> None:
    """What a kernel does with its arguments is found once for each name in each namespace."""
    launching = (
        "void run(float *p, int n) { cudaMalloc(&p, 64); q<<<1, 32>>>(p); q<<<1, 32>>>(p); }"
    )
    events = _read(
        "struct View { float *p; View(float *p) : p(p) {} };\n"
        f"namespace a {{ __global__ void q(View v) {{ v.p[0] = 1; }} {launching} }}\n"
        f"namespace b {{ __global__ void q(float *p) {{ p[0] = 1; }} {launching} }}\n"
    )
    given = [each.arguments[0].pointer for each in events if isinstance(each, HostLaunch)]
    assert [each is None for each in given] == [True, True, False, False]


def test_a_parameter_of_array_type_is_a_pointer() -> None:
    assert _launch("k<<<1, 32>>>(p, n);", "float p[256], int n").arguments[0].pointer is None


def test_memory_of_containers() -> None:
    body = "thrust::device_vector<float> v(n); k<<<1, 32>>>(thrust::raw_pointer_cast(v.data()), n);"
    pointer = _launch(body).arguments[0].pointer
    assert pointer is not None
    assert pointer.allocation.residence is Residence.DEVICE
    resized = body.replace("k<<<", "v.resize(4); k<<<")
    changed = _launch(resized).arguments[0].pointer
    assert changed is not None
    assert changed.allocation.residence is Residence.DEVICE
    assert changed.allocation.size != pointer.allocation.size


def test_the_host_accesses_before_and_after_a_wait() -> None:
    body = (
        "float *p; cudaMallocManaged(&p, 64); k<<<1, 32>>>(p, n); p[0] = 1;"
        "cudaDeviceSynchronize(); p[1] = 2;"
    )
    begun = [e.begun is not None for e in _events(body) if isinstance(e, HostAccess)]
    assert begun == [True, False]


def test_sizes_pass_to_functions_as_the_caller_has_them() -> None:
    events = _read(
        "void inner(float *q, int m) { k<<<1, 32>>>(q, m); }\n"
        "void run(int n) { float *p; cudaMalloc(&p, n * 4); inner(p, n); }"
    )
    pointer = _launch_of(events).arguments[0].pointer
    assert pointer is not None
    size = pointer.allocation.size
    assert isinstance(size, Operation)
    assert isinstance(size.left, Variable)
    assert (size.operator, size.left.name, size.right) == ("*", "n", 4)


def test_results_that_are_thrown_away() -> None:
    body = "float *p; cudaMalloc(&p, 64); cudaError_t e = cudaMalloc(&p, 64); (void)cudaFree(p);"
    calls = [(e.name, e.discarded) for e in _events(body) if isinstance(e, HostCall)]
    assert calls == [("cudaMalloc", True), ("cudaMalloc", False), ("cudaFree", False)]


def test_a_function_that_only_tells_of_errors_is_not_followed() -> None:
    """Its calls leave the work of the device under way; one that does more is followed."""
    telling = 'printf("%s at %d\\n", cudaGetErrorString(error), line);'
    for inside, told in ((telling, 1), (f"{telling} cudaDeviceSynchronize();", 2)):
        events = _read(
            f"void tell(cudaError_t error, int line) {{ if (error != 0) {{ {inside} exit(1); }} }}"
            "void run(int n) { float *p; cudaMallocManaged(&p, 64); k<<<1, 32>>>(p, n);"
            "  tell(cudaGetLastError(), 7); tell(cudaGetLastError(), 8); p[0] = 1.0f; }"
        )
        accesses = [each for each in events if isinstance(each, HostAccess)]
        assert [each.begun is not None for each in accesses] == [True]
        calls = [each.name for each in events if isinstance(each, HostCall)]
        assert calls.count("cudaGetErrorString") == told


def test_what_kernels_only_read_the_host_may_read_meanwhile() -> None:
    events = _read(
        "__global__ void both(float *to, float *from) { to[0] = from[1] + *from; }"
        "void run() { float *p, *q; cudaMallocManaged(&p, 64); cudaMallocManaged(&q, 64);"
        "  both<<<1, 32>>>(p, q); float a = p[0]; float b = q[0]; }"
    )
    accesses = [each for each in events if isinstance(each, HostAccess)]
    assert [each.begun is not None for each in accesses] == [True, False]
