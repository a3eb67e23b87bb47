"""Kernels as NVIDIA's tools print them, and as findings name them.

In: `void reduce<(unsigned int)256>(float *, int)`, `ns::reduce<256>`, `reduce`. Out: `reduce`, by
which both are the same. Not handled: kernels of one name in several namespaces, which are taken
for one.
"""

from __future__ import annotations


def plain_name(printed: str) -> str:
    """A kernel's name as tools print it, without return type, scopes, arguments and parameters."""
    head = printed.partition("(anonymous namespace)::")[2] or printed
    for mark in "<(":
        head = head.partition(mark)[0]
    return head.strip().rpartition(" ")[2].rpartition("::")[2]
