"""What a comparison with clang's tree brought to light."""

from __future__ import annotations

from .reading import unit


def test_an_assignment_operator_does_not_hide_the_next_functions() -> None:
    read = unit(
        "struct S {\n  char* d;\n"
        "  __host__ __device__ S& operator=(const char* s) { d = 0; return *this; }\n"
        "  __host__ __device__ char& operator[](int i) { return d[i]; }\n"
        "  __host__ __device__ bool operator==(const S& s) const { return d == s.d; }\n"
        "};\n"
    )
    assert [function.decl.name for function in read.functions] == [
        "operator=",
        "operator[]",
        "operator==",
    ]
    assert not any(read.opaque.values())
