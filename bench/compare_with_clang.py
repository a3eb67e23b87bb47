"""The CUDA front end against clang: the same nodes at the same places?

    python bench/compare_with_clang.py DIR... [--cuda-headers DIR]... [-I DIR]... [--sample N]
                                       [--seed N] [--show N]

A development check; it needs clang 14 or newer (`apt-get install clang`) and the headers of a CUDA
toolkit (CUDA_HOME, or --cuda-headers), no GPU and no nvcc. Each `.cu` and `.cuh` file is read by
`clang -x cuda --cuda-device-only -ast-dump=json` and by us. Compared are the `__global__` and
`__device__` functions of the file itself whose body stands there in one piece (not made by a macro)
and in which clang reports no error; the functions left out are counted.

What is compared, and what makes two nodes equal:
    variables       name and line
    casts           C and named casts: where they start and end
    subscripts      `a[i]`, overloaded or not: start and end
    calls           functions, methods, call operators, launches: start and end
    constructions   `T(x)`, `T{x}`: start and end
    operators       unary, binary, assignments, overloaded or not: kind, start and end
Both sides of a pair count once: agreement is 2 x pairs / (nodes of clang + nodes of ours). A node
that touches a macro is compared by the line where the macro is used; what clang finds in the
expansion of a toolkit's or the system's macro (`assert`), which we never see, is not compared.
A function that names what clang
rejected elsewhere in the file is left out, because clang drops its uses without a word. Not
compared either: types, and the expressions inside types (array extents, template arguments).
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from warplint.analyzer.cuda.syntax import nodes
from warplint.analyzer.cuda.units.parse import ParseOptions, parse_cuda
from warplint.analyzer.source.reader import read_source
from warplint.analyzer.source.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.source.text import SourceText

CATEGORIES = ("variables", "casts", "subscripts", "calls", "constructions", "operators")
PRELUDE = """\
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <new>
#pragma clang force_cuda_host_device begin
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#undef __host__
#undef __device__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include <cuda_runtime.h>
#pragma clang force_cuda_host_device end
extern const __attribute__((device)) uint3 threadIdx, blockIdx;
extern const __attribute__((device)) dim3 blockDim, gridDim;
extern const __attribute__((device)) int warpSize;
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
"""

LARGEST_TREE = 150_000_000  # bytes of JSON; a file with more is left out
Place = tuple[int, int]  # line and column
SUFFIXES = {".cu", ".cuh"}


@dataclass(slots=True)
class Item:
    """One node of either side; `macro` when a macro made an end of it."""

    category: str
    what: str  # name of the variable, kind of the operator; else ""
    start: Place
    end: Place
    macro: bool
    text: str = ""

    @property
    def key(self) -> tuple[Any, ...]:
        if self.category == "variables":
            return self.what, self.start[0]
        return self.what, self.start, self.end


@dataclass(slots=True)
class Body:
    """A function: where its body opens, and what is in it."""

    name: str
    first: int
    last: int
    items: list[Item] = field(default_factory=list)
    toolkit: set[Place] = field(default_factory=set)  # uses of macros of the toolkit


_COMMAND = """
    clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -std=c++17
    -ferror-limit=0 -Wno-everything -fsyntax-only -Xclang -fcuda-allow-variadic-functions
    -Xclang -fallow-pch-with-compiler-errors
"""


# ---- clang -------------------------------------------------------------------------------------


def _limited() -> None:
    """In the child: a tree that gets too large ends it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_TREE, LARGEST_TREE))


class Clang:
    """Runs clang and reads its trees."""

    def __init__(self, system: list[str], includes: list[str], folder: Path) -> None:
        self.flags = [
            *_COMMAND.split(),
            *(f"-I{each}" for each in includes),
            *(f"-isystem{each}" for each in system),
        ]
        prelude, self.compiled = folder / "prelude.h", folder / "prelude.pch"
        prelude.write_text(PRELUDE)
        make = ["-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", str(self.compiled)]
        subprocess.run([*self.flags, *make, str(prelude)], capture_output=True, check=False)
        if not self.compiled.exists():
            sys.exit("clang could not read the toolkit's headers")

    def read(self, path: Path) -> tuple[list[Body], int] | None:
        """The functions that clang understood, and how many it did not; None for a lost file."""
        use = ["-Xclang", "-include-pch", "-Xclang", str(self.compiled)]
        dump = ["-Xclang", "-ast-dump=json", str(path)]
        written = self.compiled.with_name("tree.json")
        with written.open("wb") as output:
            done = subprocess.run(
                [*self.flags, *use, *dump],
                stdout=output,
                stderr=subprocess.PIPE,
                check=False,
                preexec_fn=_limited,
            )
        told = done.stderr.decode(errors="replace")
        if "fatal error:" in told or done.returncode < 0 or not written.stat().st_size:
            return None
        wrong = {
            int(match[1])
            for match in re.finditer(rf"^{re.escape(str(path))}:(\d+):\d+: error:", told, re.M)
        }
        wrong |= {  # the place in the file where an error in a macro or a template comes from
            int(match[1])
            for match in re.finditer(rf"^{re.escape(str(path))}:(\d+):\d+: note: exp", told, re.M)
        }
        reader = ClangReader(str(path), wrong, path.read_text(errors="replace"))
        for chunk in main_chunks(written.read_text(errors="replace"), str(path), reader.state):
            reader.declaration(chunk, False)
        return reader.bodies, reader.refused


@dataclass(slots=True)
class State:
    """clang leaves out a file or line that is the one it printed before."""

    file: str = ""
    line: int = 0


def main_chunks(text: str, path: str, state: State) -> Iterator[dict[str, Any]]:
    """The outermost declarations of the file itself; those of headers are not even decoded."""
    quoted = f'"file": {json.dumps(path)},'  # without comma it says who included a header
    start = text.find('\n  "inner": [\n')
    if start < 0:
        return
    inner = text[start + len('\n  "inner": [\n') : text.rfind("\n  ]\n")]
    for part in inner.split("\n    },\n    {\n"):
        piece = "{" + part.strip().removeprefix("{").removesuffix("\n    }") + "}"
        if state.file == path or quoted in piece or '"isInvalid": true' in piece:
            chunk = json.loads(piece)
            resolve(chunk, state)
            yield chunk
            continue
        at = piece.rfind('"file": "')
        while at >= 0 and piece[piece.index("\n", at) - 1] != ",":
            at = piece.rfind('"file": "', 0, at)
        if at >= 0:
            state.file = json.loads(piece[at + 8 : piece.index("\n", at) - 1])
        at = piece.rfind('"line": ')
        if at >= 0:
            state.line = int(piece[at + 8 : piece.index(",", at)])


def resolve(node: dict[str, Any], state: State) -> None:
    """Fill in the files and lines that clang left out, in the order it wrote them."""
    for name, value in node.items():
        if isinstance(value, dict):
            if "offset" in value and "col" in value:
                state.file = value.setdefault("file", state.file)
                state.line = value.setdefault("line", state.line)
            resolve(value, state)
        elif name == "inner":
            for child in value:
                resolve(child, state)


_CASTS = frozenset(f"{kind}CastExpr" for kind in (
    "CStyle", "CXXStatic", "CXXReinterpret", "CXXConst", "CXXDynamic"
))  # fmt: skip
_CONSTRUCTIONS = frozenset([
    "CXXFunctionalCastExpr", "CXXUnresolvedConstructExpr", "CXXTemporaryObjectExpr",
    "CXXScalarValueInitExpr",
])  # fmt: skip
_CALLS = frozenset(["CallExpr", "CXXMemberCallExpr", "CUDAKernelCallExpr"])
_OPERATORS = frozenset(["BinaryOperator", "CompoundAssignOperator", "UnaryOperator"])
_FUNCTIONS = frozenset([
    "FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl",
])  # fmt: skip
_TEMPLATES = frozenset(["FunctionTemplateDecl", "ClassTemplateDecl", "VarTemplateDecl"])


class ClangReader:
    """Collects the items of the functions of one file."""

    def __init__(self, path: str, wrong: set[int], text: str) -> None:
        self.path = path
        self.wrong = wrong
        self._text = text
        self._rejected: set[str] = set()
        self.state = State()
        self.bodies: list[Body] = []
        self.refused = 0
        self._seen: set[str] = set()
        self._body: Body | None = None

    def declaration(self, node: dict[str, Any], device: bool) -> None:
        """Find the device functions below a declaration."""
        kind, inner = node.get("kind"), node.get("inner", [])
        if node.get("isInvalid") and kind == "VarDecl":
            self._rejected.add(node.get("name", ""))
        if node.get("isImplicit") or (kind == "ClassTemplateSpecializationDecl" and not inner):
            return
        if kind in _TEMPLATES:
            for child in inner:  # the pattern; what follows are instances of it
                if not str(child.get("kind", "")).startswith(("TemplateT", "NonType")):
                    self.declaration(child, device)
                    return
            return
        if kind in _FUNCTIONS:
            self._function(node)
            return
        for child in inner:
            if isinstance(child.get("kind"), str) and child["kind"].endswith("Decl"):
                self.declaration(child, device)

    def _function(self, node: dict[str, Any]) -> None:
        inner = node.get("inner", [])
        kinds = {child.get("kind") for child in inner if not child.get("implicit")}
        body = next((child for child in inner if child.get("kind") == "CompoundStmt"), None)
        if body is None or not kinds & {"CUDAGlobalAttr", "CUDADeviceAttr"}:
            return
        if node["id"] in self._seen:
            return
        self._seen.add(node["id"])
        begin, end = body["range"]["begin"], body["range"]["end"]
        if "expansionLoc" in begin or "expansionLoc" in end or begin.get("file") != self.path:
            self.refused += begin.get("expansionLoc", begin).get("file") == self.path
            return
        first, last = begin["line"], end["line"]
        head = node["loc"].get("line", first)
        within = any(min(head, first) <= line <= last for line in self.wrong)
        text = self._text[begin["offset"] : end["offset"]]
        words = set(re.findall(r"[A-Za-z_]\w*", text)) if self._rejected else set()
        if within or invalid(body) or words & self._rejected:
            self.refused += 1
            return
        self._body = Body(node.get("name", ""), begin["offset"], end["offset"])
        self.bodies.append(self._body)
        for child in inner:
            if not str(child.get("kind", "")).endswith(("Attr", "Comment")):
                self._visit(child)

    def _visit(self, node: dict[str, Any]) -> None:
        """Collect a node and what is below it, each once."""
        kind = node.get("kind")
        if kind == "CXXCtorInitializer":
            for child in node.get("inner", []):
                self._visit(child)
            return
        if "id" not in node or str(kind).endswith(("Attr", "Comment")):
            return
        if node["id"] in self._seen:
            return
        self._seen.add(node["id"])
        inner = node.get("inner", [])
        if kind in _TEMPLATES:
            for child in inner:
                if not str(child.get("kind", "")).startswith(("TemplateT", "NonType")):
                    self._visit(child)
                    return
            return
        if kind in ("TemplateTypeParmDecl", "NonTypeTemplateParmDecl", "StaticAssertDecl"):
            return
        if kind == "CXXForRangeStmt":
            self._range_for(inner)
            return
        if node.get("isImplicit") and kind not in ("CXXMethodDecl", "CXXRecordDecl"):
            return
        self._collect(kind, node, inner)
        for child in inner:
            self._visit(child)

    def _range_for(self, inner: list[dict[str, Any]]) -> None:
        """init; range; begin; end; condition; increment; variable; body."""
        self._visit(inner[0])
        for variable in inner[1].get("inner", []):
            for child in variable.get("inner", []):
                self._visit(child)
        for variable in inner[-2].get("inner", []):
            self._collect("VarDecl", variable, [])
            if variable.get("kind") == "DecompositionDecl":
                for child in variable.get("inner", []):
                    if child.get("kind") == "BindingDecl":
                        self._collect("BindingDecl", child, [])
        self._visit(inner[-1])

    def _collect(self, kind: str, node: dict[str, Any], inner: list[dict[str, Any]]) -> None:
        if kind in ("VarDecl", "ParmVarDecl", "BindingDecl"):
            name = node.get("name", "")
            if name and not name.startswith("__range"):
                self._add("variables", name, {"begin": node["loc"], "end": node["loc"]})
        elif kind in _CASTS:
            self._add("casts", "", node["range"])
        elif kind in _CONSTRUCTIONS:
            self._add("constructions", "", node["range"])
        elif kind in _CALLS:
            if not (inner and str(inner[0].get("name", "")).startswith("operator ")):
                self._add("calls", "", node["range"])  # else a conversion that nobody wrote
        elif kind == "ArraySubscriptExpr":
            self._add("subscripts", "", node["range"])
        elif kind in _OPERATORS and node["opcode"] != ",":
            self._add("operators", operator(node), node["range"])
        elif kind == "CXXOperatorCallExpr":
            name = operator_name(inner[0]) if inner else ""
            if name == "()":
                self._add("calls", "", node["range"])
            elif name == "[]":
                self._add("subscripts", "", node["range"])
            elif name not in ("", "->", ","):
                self._add("operators", overloaded(name, len(inner) - 1, node), node["range"])

    def _add(self, category: str, what: str, span: dict[str, Any]) -> None:
        assert self._body is not None
        start, macro, ours = self._place(span["begin"], False)
        end, also, too = self._place(span["end"], True)
        if start == end and start in self._body.toolkit:  # all of it: `ULONG_MAX`
            return
        if ours or (too and macro):  # one end in a macro of the toolkit: `p != NULL`
            self._body.items.append(Item(category, what, start, end, macro or also))

    def _place(self, place: dict[str, Any], end: bool) -> tuple[Place, bool, bool]:
        """Line and column, is it in a macro, and is that macro one that we see."""
        if "expansionLoc" in place:
            used, spelled = place["expansionLoc"], place["spellingLoc"]
            at = (used["line"], used["col"])
            inside = spelled.get("file") == self.path
            if used.get("isMacroArgExpansion") and inside:
                length = spelled.get("tokLen", 1) if end else 0
                return (spelled["line"], spelled["col"] + length), True, True
            seen = inside or str(spelled.get("file", "<")).startswith(os.path.dirname(self.path))
            scratch = str(spelled.get("file", "")).startswith("<")
            if not seen and not scratch and self._body is not None:
                self._body.toolkit.add(at)
            return at, True, seen or scratch
        if "line" not in place or place.get("file") != self.path:
            return (0, 0), False, False
        length = place.get("tokLen", 1) if end else 0
        return (place["line"], place["col"] + length), False, True


def invalid(node: dict[str, Any]) -> bool:
    """Whether clang gave up something inside."""
    stack = [node]
    while stack:
        node = stack.pop()
        if node.get("kind") == "RecoveryExpr" or node.get("isInvalid"):
            return True
        stack += node.get("inner", ())
    return False


def operator(node: dict[str, Any]) -> str:
    word: str = node["opcode"]
    if node["kind"] == "UnaryOperator":
        return f"p{word}" if node.get("isPostfix") else f"u{word}"
    return word


def overloaded(name: str, operands: int, node: dict[str, Any]) -> str:
    """The kind of an overloaded operator; `a++` has a second operand that nobody wrote."""
    if name in ("++", "--"):
        return f"p{name}" if operands == 2 else f"u{name}"
    return f"u{name}" if operands == 1 else name


def operator_name(node: dict[str, Any]) -> str:
    """The `+` of the `operator+` that a call names."""
    while node.get("inner") and "referencedDecl" not in node and "name" not in node:
        node = node["inner"][0]
    name: str = node.get("name") or node.get("referencedDecl", {}).get("name", "")
    return name.removeprefix("operator") if name.startswith("operator") else ""


# ---- ours --------------------------------------------------------------------------------------


class OurReader:
    """Collects the same items from our tree."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.items: list[Item] = []

    def function(self, function: nodes.Function) -> list[Item]:
        self.items = []
        self._function(function)
        return self.items

    def _function(self, function: nodes.Function) -> None:
        arguments = function.decl.type.args if hasattr(function.decl.type, "args") else None
        for parameter in arguments.params if arguments is not None else ():
            self._visit(parameter)
        for initializer in function.initializers:
            for argument in initializer.arguments:
                self._visit(argument)
        if function.body is not None:
            self._visit(function.body)

    def _visit(self, node: Any) -> None:
        if isinstance(node, nodes.Function):
            self._function(node)
            return
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            for parameter in node.type.args.params if node.type.args is not None else ():
                self._visit(parameter)
            return
        self._collect(node)
        for name, child in node.children():
            if not self._skipped(node, name):
                self._visit(child)

    @staticmethod
    def _skipped(node: Any, name: str) -> bool:
        """Types and what is in them."""
        if isinstance(node, c_ast.Decl):
            return name != "init"
        if isinstance(node, nodes.ClassDefinition):
            return not name.startswith("members")
        if isinstance(node, c_ast.Cast):
            return name == "to_type"
        return isinstance(
            node,
            c_ast.Typename
            | c_ast.Typedef
            | nodes.TypeAlias
            | nodes.TemplateId
            | nodes.QualifiedName
            | nodes.Opaque
            | c_ast.Enum
            | c_ast.StaticAssert,
        )

    def _collect(self, node: Any) -> None:
        if isinstance(node, nodes.ClassDefinition):
            for member in node.members:
                if isinstance(member, c_ast.Decl):
                    member.name = None  # a field is no variable
        elif isinstance(node, c_ast.Decl) and node.name:
            self._add("variables", node.name, named_at(node))
        elif isinstance(node, nodes.StructuredBinding):
            for name in node.names:
                self._add("variables", name, node.coord)
        elif isinstance(node, c_ast.Cast | nodes.NamedCast):
            self._add("casts", "", node.coord)
        elif isinstance(node, nodes.Construct) and node.type is not None:
            self._add("constructions", "", node.coord)
        elif isinstance(node, c_ast.FuncCall | nodes.Launch):
            self._add("calls", "", node.coord)
        elif isinstance(node, c_ast.ArrayRef):
            self._add("subscripts", "", node.coord)
        elif isinstance(node, c_ast.Assignment | c_ast.BinaryOp):
            self._add("operators", node.op, node.coord)
        elif isinstance(node, c_ast.UnaryOp) and node.op not in ("sizeof", "_Alignof"):
            op = node.op if node.op[0] == "p" else f"u{node.op}"
            self._add("operators", op, node.coord)

    def _add(self, category: str, what: str, span: Span) -> None:
        if span.source is not self.source:
            return
        text = span.text
        self.items.append(
            Item(
                category,
                what,
                (span.line, span.column),
                (span.end_line, span.end_column),
                False,
                " ".join(text.split())[:90],
            )
        )


def options_for(source: SourceText, includes: tuple[str, ...]) -> ParseOptions:
    """What clang knows: a name that nobody defines is 0, and the toolkit's version."""
    texts = [source.text]
    for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', source.text, re.M):
        found, _ = read_source(Path(source.path).parent / name)
        texts += [found.text] if found is not None else []
    words: set[str] = set()
    for text in texts:
        for line in _CONDITION.findall(text):
            words.update(re.findall(r"[A-Za-z_]\w*", line))
    undefined = frozenset(words - _PREDEFINED - KNOWN.keys())
    return ParseOptions(KNOWN, undefined, include_paths=includes, arch=80)


_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b((?:[^\n\\]|\\[\s\S])*)", re.M)
_PREDEFINED = frozenset(["defined", "__CUDA_ARCH__", "__CUDACC__", "__NVCC__", "__cplusplus"])
KNOWN = {
    "CUDART_VERSION": "13000",
    "CUDA_VERSION": "13000",
    "__CUDACC_VER_MAJOR__": "13",
    "__CUDACC_VER_MINOR__": "0",
    "__PTX__": "1",
    "__NVPTX__": "1",
    "__clang__": "1",
    "__clang_major__": "14",
    "__CUDA__": "1",
    "__GNUC__": "4",
    "__linux__": "1",
    "__x86_64__": "1",
}


def named_at(node: c_ast.Decl) -> Span:
    """The place of the declared name, at least its line."""
    span: Span = node.coord
    head = span.text
    match = re.search(rf"\b{re.escape(node.name)}\b", head)
    if match is None:
        return span
    start = span.start + match.start()
    return Span(span.source, start, start + len(node.name))


# ---- comparison --------------------------------------------------------------------------------


class Comparison:
    """Pairs and leftovers of all files."""

    def __init__(self, show: int) -> None:
        self.show = show
        self.files = self.lost_files = self.functions = self.refused = self.missing = 0
        self.theirs: collections.Counter[str] = collections.Counter()
        self.ours: collections.Counter[str] = collections.Counter()
        self.pairs: collections.Counter[str] = collections.Counter()
        self.causes: dict[tuple[str, str], list[str]] = collections.defaultdict(list)

    def file(self, path: Path, clang: Clang, includes: tuple[str, ...]) -> None:
        source, _ = read_source(path)
        read = clang.read(path) if source is not None else None
        if source is None or read is None or not source.text.isascii():
            self.lost_files += 1
            return
        bodies, refused = read
        self.refused += refused
        self.files += 1
        unit = parse_cuda(source, options_for(source, (str(path.parent), *includes)))
        found = {f.body.coord.start: f for f in unit.functions if f.body is not None}
        reader = OurReader(source)
        for body in bodies:
            self.functions += 1
            function = found.get(body.first)
            if function is None:
                self.missing += 1
                self.causes["functions", "not found"].append(f"{path}: {body.name}")
                continue
            opaque = [item.coord for item in unit.opaque[function]]
            self._compare(f"{path}", body, reader.function(function), opaque, source)

    def _compare(
        self, path: str, body: Body, ours: list[Item], opaque: list[Span], source: SourceText
    ) -> None:
        for category in CATEGORIES:
            left = [item for item in body.items if item.category == category]
            right = [item for item in ours if item.category == category]
            rest, extra = paired(left, right, body.toolkit)
            self.pairs[category] += len(left) - len(rest)
            self.theirs[category] += len(left)
            self.ours[category] += len(left) - len(rest) + len(extra)
            for item in rest:
                self._tell(category, missing_cause(item, ours, opaque, source), path, item, source)
            for item in extra:
                self._tell(category, extra_cause(item, body.items), path, item, source)

    def _tell(self, category: str, cause: str, path: str, item: Item, source: SourceText) -> None:
        line = " ".join(source.line(item.start[0]).split())[:110]
        what = f" [{item.what}]" if item.what else ""
        self.causes[category, cause].append(f"{path}:{item.start[0]}:{item.start[1]}{what} {line}")

    def report(self) -> Iterator[str]:
        yield (
            f"files compared {self.files}, not readable by clang {self.lost_files}; functions "
            f"compared {self.functions}, with errors in clang or made by a macro {self.refused}, "
            f"not found by us {self.missing}"
        )
        yield f"{'category':14} {'clang':>8} {'ours':>8} {'pairs':>8} {'agreement %':>12}"
        for category in CATEGORIES:
            both = self.theirs[category] + self.ours[category]
            share = 200 * self.pairs[category] / max(both, 1)
            yield (
                f"{category:14} {self.theirs[category]:8} {self.ours[category]:8} "
                f"{self.pairs[category]:8} {share:12.3f}"
            )
        for (category, cause), places in sorted(
            self.causes.items(), key=lambda each: (each[0][0], -len(each[1]))
        ):
            yield f"{category}: {len(places)} x {cause}"
            chosen = (
                places if len(places) <= self.show else random.Random(1).sample(places, self.show)
            )
            for place in chosen:
                yield f"    {place}"


def paired(
    left: list[Item], right: list[Item], toolkit: set[Place]
) -> tuple[list[Item], list[Item]]:
    """What is left over of each side when equal items are put together."""
    free = collections.defaultdict(list)
    for item in right:
        free[item.key].append(item)
    rest = []
    for item in left:
        if free[item.key]:
            free[item.key].pop()
        else:
            rest.append(item)
    extra = [item for items in free.values() for item in items]
    by_line = collections.defaultdict(list)
    for item in extra:
        by_line[item.what, item.start[0]].append(item)
    still, used = [], set()
    for item in rest:
        near = by_line[item.what, item.start[0]] or by_line[item.what, item.end[0]]
        if item.macro and near:
            used.add(id(near.pop()))
        else:
            still.append(item)
    extra = [item for item in extra if id(item) not in used and item.start not in toolkit]
    return still, extra


def missing_cause(item: Item, ours: list[Item], opaque: list[Span], source: SourceText) -> str:
    """Why clang has it and we do not."""
    at = source.line_starts[item.start[0] - 1] + item.start[1] - 1
    if any(span.start <= at < span.end for span in opaque):
        return "in a statement that we could not read"
    for other in ours:
        if other.start == item.start and other.end == item.end:
            return f"clang only; ours has {other.category} {other.what}".rstrip()
    for other in ours:
        if other.category == item.category and (other.start, other.what) == (item.start, item.what):
            return "clang only; ours ends elsewhere"
    return "clang only, from a macro" if item.macro else "clang only"


def extra_cause(item: Item, theirs: list[Item]) -> str:
    """Why we have it and clang has not."""
    for other in theirs:
        if other.start == item.start and other.end == item.end:
            return f"ours only; clang has {other.category} {other.what}".rstrip()
    for other in theirs:
        if other.category == item.category and (other.start, other.what) == (item.start, item.what):
            return "ours only; clang ends elsewhere"
    return "ours only"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    parser.add_argument("--cuda-headers", action="append", default=[], help="for clang alone")
    parser.add_argument("-I", dest="includes", action="append", default=[], help="for both")
    parser.add_argument("--sample", type=int, default=0, help="this many files of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=6, help="examples of each cause")
    arguments = parser.parse_args()
    sys.setrecursionlimit(20_000)
    comparison = Comparison(arguments.show)
    with tempfile.TemporaryDirectory() as folder:
        system = arguments.cuda_headers or [f"{home}/include"]
        clang = Clang(system, arguments.includes, Path(folder))
        for root in arguments.folders:
            paths = sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file())
            if arguments.sample and len(paths) > arguments.sample:
                paths = sorted(random.Random(arguments.seed).sample(paths, arguments.sample))
            for path in paths:
                comparison.file(path, clang, tuple(arguments.includes))
    print("\n".join(comparison.report()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
