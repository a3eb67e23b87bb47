"""What of a reading is kept while a file changes, and that nothing shows it."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda import kernel as lowering
from warplint.analyzer.cuda import read
from warplint.analyzer.cuda.lowering.program.program import Program
from warplint.analyzer.cuda.lowering.types.type_reader import TypeReader
from warplint.analyzer.cuda.units.parse import parse_cuda
from warplint.analyzer.ir.kernel import Kernel
from warplint.analyzer.server.kept.reading import KeptKernel, KeptReading
from warplint.analyzer.source.text import SourceText

from .test_kernel_results import TEXT, Checking

if TYPE_CHECKING:
    from collections.abc import Callable


class Counted:
    """How often a function was called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> None:
        self.calls: list[str] = []
        function: Callable[..., object] = getattr(module, name)

        def called(*values: object, **named: object) -> object:
            made = function(*values, **named)
            self.calls.append(made.name if isinstance(made, Kernel) else name)
            return made

        monkeypatch.setattr(module, name, called)

    def taken(self) -> list[str]:
        found, self.calls[:] = [*self.calls], []
        return found


MACRO = TEXT.replace("v + v; }", "v + v; }\n#define CONSTANT 1\n__constant__ float factor[2];")


@pytest.mark.parametrize(
    ("old", "new", "lowered", "hosts"),
    [
        ("// a comment", "// another one", ["second"], 0),
        ("data[i * 8] = ", "data[i * 16] = ", ["second"], 0),
        ("    if (i < n) {", "\n\n    if (i < n) {", ["second"], 0),
        ("= in[threadIdx.y", "= in[threadIdx.x", ["first"], 0),
        # A body ends elsewhere, and what was behind it is another text.
        ("i = threadIdx.x;", "i = threadIdx.x; }\nvoid f() {", ["first", "second"], 1),
        # What more than one kernel may rest on.
        ("int i = threadIdx.x;", "int i = threadIdx.x;\n#undef WIDTH\n", ["first", "second"], 1),
        ("int i = threadIdx.x;", "int i = threadIdx.x;\n#if 1\n#endif\n", ["second"], 0),
        ("int i = threadIdx.x;", "first<<<1, 1>>>(data, data);", ["first", "second"], 1),
        ("WIDTH 32", "WIDTH 33", ["first", "second"], 1),
        # What one kernel rests on: its launches, and what it calls.
        ("(data, 100)", "(data, 101)", ["second"], 1),
        ("v + v", "v * 2", ["second"], 0),
        ("    first<<<", "    int size = 100;\n    first<<<", [], 1),
    ],
)
def test_what_an_edit_does_not_touch_is_not_read_again(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, lowered: list[str], hosts: int
) -> None:
    assert old in TEXT
    checking = Checking()
    checking.check(TEXT)
    kernels = Counted(monkeypatch, lowering, "lower_kernel")
    host = Counted(monkeypatch, read, "read_host")
    found = checking.check(TEXT.replace(old, new))
    assert kernels.taken() == lowered
    assert len(host.taken()) == hosts
    assert found == Checking().check(TEXT.replace(old, new))


def test_a_kept_kernel_is_lowered_when_its_form_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checking = Checking()
    checking.check(TEXT)
    checking.set(arch="sm_70")  # another key of the results, the same reading
    kernels = Counted(monkeypatch, lowering, "lower_kernel")
    found = checking.check(TEXT)
    assert kernels.taken() == ["first", "second"]
    fresh = Checking(arch="sm_70")
    assert found == fresh.check(TEXT)


def test_the_first_kernel_answers_for_constants_that_others_use() -> None:
    large = MACRO.replace("factor[2]", "factor[20000]")
    checking = Checking()
    checking.check(large)
    used = large.replace("data[i * 8] = ", "data[i * 8] = factor[n] * ")
    found = checking.check(used)
    assert found == Checking().check(used)
    (codes,) = [{row.get("code") for row in each["diagnostics"]} for each in found.values()]
    assert "CON002" in codes


def test_a_hover_names_the_line_of_the_host_that_sets_a_constant() -> None:
    setting = "    cudaMemcpyToSymbol(factor, in, 8);\n    first<<<"
    text = MACRO.replace("data[i * 8] = ", "data[i * 8] = factor[0] * ")
    text = text.replace("    first<<<", setting)
    checking = Checking()
    before = checking.check(text)
    later = text.replace("void run(", "\n\nvoid run(")
    found = checking.check(later)
    assert found == Checking().check(later)
    assert found != before


INSTANCES = """
template <int N, class T>
__global__ void sized(T *data)
{
    __shared__ T tile[N];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

template <int N>
__global__ void open(float *data) { data[threadIdx.x * N] = 1; }

template <int N>
__device__ void alone(float *data)
{
    data[threadIdx.x] = 0;
    __syncthreads();
    data[0] += data[N];
}

void run(float *data, double *wide)
{
    sized<64><<<1, 64>>>(data);
    sized<32><<<1, 32>>>(wide);
}
"""


@pytest.mark.parametrize(
    ("old", "new", "lowered"),
    [
        # Host code that says the same of kernels: instances, made-up ones and what nobody calls.
        ("double *wide)\n{\n", "double *wide)\n{\n    int other = 5;\n", 0),
        # What is said of one instance rests on the others, too.
        ("sized<32><<<1, 32>>>", "sized<32><<<2, 32>>>", 2),
        ("sized<32><<<1, 32>>>(wide)", "sized<32><<<1, 32>>>(data)", 2),
        ("sized<32><<<1, 32>>>", "sized<48><<<1, 32>>>", 2),
    ],
)
def test_instances_are_kept_as_long_as_launches_bind_the_same(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, lowered: int
) -> None:
    assert old in INSTANCES
    checking = Checking()
    checking.check(INSTANCES)
    kernels = Counted(monkeypatch, lowering, "lower_kernel")
    found = checking.check(INSTANCES.replace(old, new))
    assert kernels.taken() == ["sized"] * lowered
    assert found == Checking().check(INSTANCES.replace(old, new))


def test_a_name_with_template_arguments_in_a_kernel_is_a_use_for_host_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    half = "template <int N> int half() { sized<N><<<1, N>>>((float *)0); return N / 2; }\n\n"
    text = INSTANCES.replace("void run(", f"{half}void run(")
    plain = text.replace("= 1; }", "= half; }")
    checking = Checking()
    checking.check(text)
    host = Counted(monkeypatch, read, "read_host")
    checking.check(plain)
    assert not host.taken()
    checking.check(text.replace("= 1; }", "= half<4>(); }"))
    assert host.taken()


CLASSES = """
#include <type_traits>

struct Sizes { int rows, columns; };
namespace inner { struct Other { float scale; }; }

template <class T, bool Twice>
__global__ void work(T *data, const Sizes sizes, std::bool_constant<Twice>)
{
    if (threadIdx.x < sizes.rows) { data[threadIdx.x * sizes.columns] = T(1); }
}

__global__ void other(inner::Other by, float *data) { data[threadIdx.x] = by.scale; }

template <class T>
struct Pair { T first, second; };

__global__ void third(Pair<int> pair, float *data) { data[threadIdx.x] = pair.first; }

void run(float *data)
{
    Sizes sizes{32, 4};
    work<<<1, 32>>>(data, sizes, std::bool_constant<true>{});
    work<<<1, 32>>>(data, sizes, std::bool_constant<false>{});
    inner::Other by{2};
    other<<<1, 32>>>(by, data);
}
"""


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        (CLASSES, 0),
        # An instance of a class template, and a class of a function, have no name of their own.
        (
            CLASSES.replace(
                "    inner::Other by{2};", "    Pair<int> p; third<<<1, 32>>>(p, data);"
            ),
            1,
        ),
        (CLASSES.replace("    Sizes sizes{", "    struct Sizes { int rows, columns; } sizes{"), 1),
    ],
)
def test_host_code_that_passes_objects_of_classes_is_kept(
    monkeypatch: pytest.MonkeyPatch, text: str, hosts: int
) -> None:
    checking = Checking()
    checking.check(text)
    host = Counted(monkeypatch, read, "read_host")
    after = text.replace("= by.scale;", "= by.scale * 2;").replace("= T(1)", "= T(2)")
    found = checking.check(after)
    assert len(host.taken()) == hosts
    assert found == Checking().check(after)


@pytest.mark.parametrize(
    ("old", "new", "lowered", "hosts"),
    [
        ("#define WIDTH 32\n", "#define WIDTH 32\n// one\n", ["first", "second"], 1),
        ("// one", "// another one", [], 0),
        ("/* two */", "/* two, and\nlonger: __global__ void no() {} */", [], 0),
        ("/* two */", "/* two */ /* three */", ["first", "second"], 1),
        ("// one", "// one \\", ["first", "second"], 1),
        ("// one", "// one\n#define HEIGHT 2", ["first", "second"], 1),
    ],
)
def test_what_a_comment_between_declarations_says_is_of_no_account(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, lowered: list[str], hosts: int
) -> None:
    text = TEXT
    if old in ("// one", "/* two */"):
        text = TEXT.replace("#define WIDTH 32\n", "#define WIDTH 32\n// one\n/* two */\n\n")
    checking = Checking()
    checking.check(text)
    kernels = Counted(monkeypatch, lowering, "lower_kernel")
    host = Counted(monkeypatch, read, "read_host")
    found = checking.check(text.replace(old, new))
    assert kernels.taken() == lowered
    assert len(host.taken()) == hosts
    assert found == Checking().check(text.replace(old, new))


UNCALLED = """
__device__ void alone(float *data)
{
    data[threadIdx.x] = 0;
    __syncthreads();
    data[0] += data[1];
}
__device__ float other(float v) { return v; }
"""


@pytest.mark.parametrize("kernel", ["", "__global__ void k(float *d) { d[threadIdx.x] = 1; }\n"])
def test_a_function_that_nothing_calls_is_kept(
    monkeypatch: pytest.MonkeyPatch, kernel: str
) -> None:
    text = UNCALLED + kernel
    checking = Checking()
    checking.check(text)
    functions = Counted(monkeypatch, lowering, "lower_kernel")
    found = checking.check(text.replace("return v;", "return v * 2;"))
    assert not functions.taken()
    assert found == Checking().check(text.replace("return v;", "return v * 2;"))
    functions.taken()
    changed = text.replace("+= data[1]", "+= data[2]")
    found = checking.check(changed)
    assert functions.taken() == ["alone"]
    assert found == Checking().check(changed)


def test_a_kept_kernel_has_all_that_a_kernel_has() -> None:
    """A field that neither stands there at once nor is made later would be told apart by nobody."""
    text = "struct P { float *p; int n; }; __global__ void k(P q) { q.p[threadIdx.x] = q.n; }"
    reading = KeptReading()
    for _ in range(2):
        unit = parse_cuda(SourceText("k.cu", text))
        reading.begin(unit, None, ())
        (function,) = unit.functions
        program = Program(unit.functions, unit.declarations, unit.by_value)
        target = lowering.Target(90)
        make = partial(lowering.lower_kernel, function, program, TypeReader(program), target, None)
        kernel = reading.kernel(function, (0, 1), make, None)
    assert isinstance(kernel, KeptKernel)
    assert [field.name for field in fields(Kernel) if not hasattr(kernel, field.name)] == []
    assert [each.name for each in kernel.members] == ["q.p", "q.n"]


DAMAGED = """__global__ void turn(
  if (x n && y < n) {
      __shared__ < min((%s), n);
         j += 2) {
    }
  }
extern "C" {
    one <float> *out) {
    two verbose, float *out) {
}
int run(
    const int *sizes, float *out) {
  if (sizes) {
      turn<<<1, 32>>>(out);
    }
}
}
}
"""


@pytest.mark.parametrize(("old", "new"), [("4", "4}"), ("4}", "4")])
def test_a_bracket_in_a_kernel_that_moves_the_ends_of_others_is_seen(old: str, new: str) -> None:
    checking = Checking()
    checking.check(DAMAGED % old)
    assert checking.check(DAMAGED % new) == Checking().check(DAMAGED % new)
