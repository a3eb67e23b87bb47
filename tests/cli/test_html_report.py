"""`--format html` as users run it: one page that loads nothing and runs nothing."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

TRANSPOSE = """\
__global__ void transpose(float *out, const float *in)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void copy(float *out, const float *in)
{
    out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
}

void run(float *out, const float *in)
{
    copy<<<64, 256>>>(out, in);
    transpose<<<1, dim3(32, 32)>>>(out, in);
}
"""
VOID = {"meta", "input", "br", "col", "path", "rect", "circle", "line", "use", "wbr"}


class Page(HTMLParser):
    """What a browser would see, and whether elements are closed in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self._goes_on = False  # a name may break here, and is one word
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._goes_on = tag == "wbr"
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._goes_on:
            self.words[-1] += data
        else:
            self.words.append(data)
        self._goes_on = False

    @property
    def text(self) -> str:
        """All that is shown."""
        return " ".join(self.words)

    def values(self, name: str) -> list[str]:
        """The values of one attribute."""
        return [value for _, each, value in self.attributes if each == name]


def page_of(warplint: Run, folder: Path, *arguments: str) -> Page:
    done = warplint("check", *arguments, "--format", "html", "-o", "report.html")
    assert done.code in (0, 1), done.err
    return Page((folder / "report.html").read_text("utf-8"))


@pytest.fixture
def page(warplint: Run, tmp_path: Path) -> Page:
    (tmp_path / "k.cu").write_text(TRANSPOSE, "utf-8")
    return page_of(warplint, tmp_path, "k.cu")


def test_the_overview_ranks_kernels_and_says_what_limits_them(page: Page) -> None:
    shown = page.text
    assert shown.index("transpose") < shown.index("copy")  # it has something to gain
    for words in ("k.cu:1", "1 warning", "of time", "limited by warps", "4 of 4", "2 of 2"):
        assert words in shown, words
    assert "of 6 memory accesses judged" in shown
    assert "estimate from source" in shown
    assert "registers are not known" not in shown


def test_the_source_has_marks_that_lead_to_findings(page: Page) -> None:
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    targets = {value.removeprefix("#") for value in page.values("href")}
    assert targets <= set(ids)
    assert {"overview", "k1", "k2", "k1-6", "f1"} <= set(ids)
    assert "tile[threadIdx.x][threadIdx.y]" in page.text.replace("  ", "").replace(" ", "")
    assert "32-way" in page.text


def test_the_page_loads_and_runs_nothing(page: Page, tmp_path: Path) -> None:
    text = (tmp_path / "report.html").read_text("utf-8")
    assert not page.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert "url(" not in text
    assert "@import" not in text
    style = re.search(r"<style>(.*)</style>", text, re.DOTALL)
    assert style is not None
    allowed = b64encode(sha256(style[1].encode()).digest()).decode()
    policies = [value for value in page.values("content") if "default-src" in value]
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    ]


def test_pictures_and_regions_have_names(page: Page, tmp_path: Path) -> None:
    text = (tmp_path / "report.html").read_text("utf-8")
    for svg in re.findall(r"<svg[^>]*>", text):
        assert 'aria-hidden="true"' in svg or 'role="img" aria-label="' in svg
    assert '<html lang="en">' in text
    for table in re.findall(r"<th(?![a-z])[^>]*>", text):
        assert "scope=" in table


@pytest.mark.parametrize(
    "evil",
    ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{style}}<!--"],
)
def test_names_comments_and_source_stay_text(warplint: Run, tmp_path: Path, evil: str) -> None:
    name = evil.replace("/", "") + ".cu"
    text = TRANSPOSE.replace("__syncthreads();", f"__syncthreads();  // {evil}")
    text = text.replace(
        "float *out, const float *in)\n{", f"float *out, const float *in)\n{{ /* {evil} */"
    )
    text += f"__global__ void broken(int n) {{ {evil} @@ }}\n"
    (tmp_path / name).write_text(text, "utf-8")
    warplint("check", "./" + name, "--format", "html", "-o", "report.html")
    page = Page((tmp_path / "report.html").read_text("utf-8"))
    assert not page.tags & {"script", "img"}
    assert not [each for _, each, _ in page.attributes if each.startswith("on")]
    assert evil in "".join(page.words)


def test_a_page_of_nothing(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.cu").write_text("int main() { return 0; }\n", "utf-8")
    assert "No kernels" in page_of(warplint, tmp_path, "empty.cu").text


def test_what_was_not_analysed_is_named(warplint: Run, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void gather(float *out, const float *in, const int *at)\n{\n"
        "    out[threadIdx.x] = in[unknown_function(at)];\n}\n",
        "utf-8",
    )
    page = page_of(warplint, tmp_path, "k.cu")
    assert "Not judged, and why" in page.text
    assert "not judged" in page.text


def test_the_same_run_is_the_same_page_whatever_the_processes(
    warplint: Run, tmp_path: Path
) -> None:
    for number in range(9):
        (tmp_path / f"k{number}.cu").write_text(TRANSPOSE, "utf-8")
    pages = []
    for jobs in ("1", "2"):
        warplint("check", ".", "--jobs", jobs, "--format", "html", "-o", "report.html")
        pages.append((tmp_path / "report.html").read_text("utf-8"))
    assert pages[0] == pages[1]
    assert pages[0].count('class="kernel"') == 18
