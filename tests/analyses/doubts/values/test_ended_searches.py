"""What a flag may decide about without a difference, and what not."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel

from warplint.analyzer.analyses.doubts.values.ended_searches import DOUBT

HEAD = "if (t == 0) flag = 0; __syncthreads(); "
FOUND = "if (in[i] > 3) flag = 1;"
LOOP = "for (int i = t; i < n && !flag; i += 256)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{LOOP} {{ {FOUND} }}", True),
        (f"{LOOP} if (in[i] > 3) {{ flag = 1; break; }}", True),
        (f"for (int i = t; i < n; i += 256) {{ if (flag) break; {FOUND} }}", True),
        (f"{LOOP} {{ int r = 0; for (int k = 0; k < n; ++k) r += in[k]; if (r) flag = 1; }}", True),
        (f"{LOOP} {FOUND} __syncthreads(); if (t == 0) out[0] = flag;", True),
        (f"for (int i = t; !flag; i += 256) {{ {FOUND} }}", False),  # a wait
        ("for (int i = t; !flag; i += 256) if (in[i] > 3) { flag = 1; break; }", False),
        (f"{LOOP} {{ {FOUND} out[i] = 1; }}", False),
        (f"{LOOP} {{ {FOUND} s[t] += 1; }}", False),
        (f"{LOOP} {{ {FOUND} __syncwarp(); }}", False),
        (f"{LOOP} {{ {FOUND} if (in[i] < 0) flag = 2; }}", False),
        (f"{LOOP} if (in[i] > 3) flag = i;", False),
        (f"int i = t; for (; i < n && !flag; i += 256) {{ {FOUND} }} out[t] = i;", False),
        (f"int r = 0; {LOOP} {{ {FOUND} r = 1; }} out[t] = r;", False),
        (f"for (int i = t; i < n; i += 256) {{ if (flag) return; {FOUND} }} out[t] = 1;", False),
        (f"for (int i = t; i < n; i += 256) {{ out[i] = flag; {FOUND} }}", False),
        ("if (!flag && in[t] > 3) flag = 1;", False),  # no search
    ],
)
def test_what_the_end_of_a_search_leaves_behind(body: str, *, expected: bool) -> None:
    found = {
        DOUBT.question(each)
        for each in block_candidates(kernel(HEAD + body))
        if each.conflict.item.name == "flag"
        if any(access.reads for access in each.accesses)
    }
    assert found == {expected}
