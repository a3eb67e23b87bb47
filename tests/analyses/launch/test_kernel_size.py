"""All limits follow from one number; what a file costs grows with its kernels, beyond four."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.kernel_size import (
    KERNEL_SIZE,
    most_to_run,
    work_of_file,
    work_of_kernel,
)


def test_what_the_documentation_says() -> None:
    assert most_to_run(KERNEL_SIZE) == 21_000
    assert 5_000_000 <= work_of_kernel(KERNEL_SIZE) < 5_100_000
    for written in (0, 1, 32):
        assert work_of_file(KERNEL_SIZE, written) == 4 * work_of_kernel(KERNEL_SIZE)
    assert work_of_file(KERNEL_SIZE, 40) == 5 * work_of_kernel(KERNEL_SIZE)
    for written in (48, 64, 10_000):
        assert work_of_file(KERNEL_SIZE, written) == 6 * work_of_kernel(KERNEL_SIZE)


@given(st.integers(0, 10**9), st.integers(0, 10**6))
def test_a_larger_setting_allows_no_less(size: int, more: int) -> None:
    for limit in (most_to_run, work_of_kernel, work_of_file):
        assert limit(size) <= limit(size + more)
    assert most_to_run(size) <= size  # whoever is run is looked into as well
