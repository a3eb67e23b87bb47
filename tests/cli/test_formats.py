"""Every format of a report, through the installed command."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Outcome

    Run = Callable[..., Outcome]

TESTS = Path(__file__).parent.parent
SCHEMA = json.loads((TESTS / "data" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))

ARRAYS = 13  # of one kernel: findings about one array are reported as one
KERNEL = """\
__global__ void k(float *out) {
    __shared__ float ARRAYS;
    int t = threadIdx.x;
%s    if (t < 16) { __syncthreads(); } else { out[t] = 0; } __syncthreads();
}
""".replace("ARRAYS", ", ".join(f"s{number}[32][8]" for number in range(ARRAYS)))
CONFLICT = "    s0[t][0] = out[t];\n"
CONFLICTS = "".join(f"    s{number}[t][0] = out[t];\n" for number in range(12))
ONLY = ("--block", "32", "--select", "SHM001,SYN001,SUP")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    suppressed = "    s12[t][1] = 1.0f;  // warplint: ignore[SHM001] once\n"
    text = KERNEL % (CONFLICTS + suppressed)
    (tmp_path / "src" / "a,b.cu").write_text(text, encoding="utf-8")
    (tmp_path / "src" / "clean.cu").write_text("__global__ void c() {}\n", encoding="utf-8")
    (tmp_path / "src" / "empty.ptx").touch()
    return tmp_path


def report(warplint: Run, format: str, *more: str) -> str:
    outcome = warplint("src", *ONLY, "--format", format, *more)
    assert outcome.code == 3
    return outcome.out


def test_json_lines(warplint: Run, tree: Path) -> None:
    rows = [json.loads(line) for line in report(warplint, "jsonl").splitlines()]
    kinds = [row["kind"] for row in rows]
    assert kinds == ["finding"] * 13 + ["suppressed"] + ["input"] * 3 + ["summary"]
    whole = json.loads(report(warplint, "json"))
    assert [{**row, "kind": None} for row in rows[:13]] == [
        {"kind": None, **finding} for finding in whole["findings"]
    ]
    assert whole["suppressed"][0]["reason"] == "once"


def test_github_annotations(warplint: Run, tree: Path) -> None:
    lines = report(warplint, "github").splitlines()
    commands = [re.match(r"::(\w+) file=([^,]*),", line) for line in lines]
    kinds = [match[1] for match in commands if match]
    assert kinds == ["error", "error"] + ["warning"] * 10
    assert lines[0].startswith("::error file=src/empty.ptx,title=warplint::empty file")
    assert lines[1].startswith(
        "::error file=src/a%2Cb.cu,line=17,endLine=17,col=19,endColumn=34,"
        "title=SYN001 divergent-barrier::only 16 of 32 threads reach __syncthreads()"
    )
    assert lines[-2].startswith("src/a,b.cu:15: SHM001 ")
    assert lines[-1] == "2 findings not annotated: GitHub shows only 10 annotations of each type"


def test_azure_issues(warplint: Run, tree: Path) -> None:
    lines = report(warplint, "azure").splitlines()
    assert lines[0].startswith(
        "##vso[task.logissue type=error;sourcepath=src/empty.ptx;]empty file"
    )
    assert lines[1].startswith(
        "##vso[task.logissue type=error;sourcepath=src/a,b.cu;linenumber=17;columnnumber=19;"
        "code=SYN001;]divergent-barrier: only 16 of 32 threads reach __syncthreads()"
    )
    assert len(lines) == 14


def test_lines_of_gcc(warplint: Run, tree: Path) -> None:
    lines = report(warplint, "gcc").splitlines()
    matches = [re.fullmatch(r"(.+?):(\d+):(\d+): (\w+): (.+)", line) for line in lines[1:]]
    assert lines[0].startswith("src/empty.ptx: error: empty file")
    assert all(matches)
    found = [match for match in matches if match and match[4] != "note"]
    assert [match[4] for match in found] == ["error"] + ["warning"] * 12
    assert found[0][5].endswith(" [SYN001 divergent-barrier]")


def test_rdjson_counts_bytes(warplint: Run, tree: Path) -> None:
    (tree / "src" / "a,b.cu").write_text(
        (KERNEL % CONFLICT).replace("    s0[t]", "/*é😀*/ s0[t]"), encoding="utf-8"
    )
    document = json.loads(report(warplint, "rdjson"))
    assert document["source"] == {"name": "warplint"}
    rows = {row["code"]["value"]: row for row in document["diagnostics"]}
    assert rows["SHM001"]["severity"] == "WARNING"
    place = rows["SHM001"]["location"]
    assert place["path"] == "src/a,b.cu"
    assert place["range"]["start"] == {"line": 4, "column": 1 + len("/*é😀*/ ".encode())}
    whole = json.loads(report(warplint, "json"))["findings"]
    (own,) = [row for row in whole if row["rule"] == "SHM001"]
    data = (tree / "src" / "a,b.cu").read_bytes()
    assert data[own["byte"] : own["end_byte"]] == b"s0[t][0]"


def test_checkstyle(warplint: Run, tree: Path) -> None:
    root = ElementTree.fromstring(report(warplint, "checkstyle"))
    files = {file.get("name"): file for file in root}
    assert list(files) == ["src/empty.ptx", "src/a,b.cu"]
    first = files["src/a,b.cu"][0]
    assert (first.get("line"), first.get("column"), first.get("severity")) == ("17", "19", "error")
    assert first.get("source") == "warplint.SYN001.divergent-barrier"
    assert len(files["src/a,b.cu"]) == 13


def test_gitlab_code_quality(warplint: Run, tree: Path) -> None:
    issues = json.loads(report(warplint, "gitlab"))
    assert len(issues) == 13
    assert len({issue["fingerprint"] for issue in issues}) == 13
    assert issues[0]["location"] == {"path": "src/a,b.cu", "lines": {"begin": 17, "end": 17}}
    assert {issue["severity"] for issue in issues} == {"major", "critical"}
    path = tree / "src" / "a,b.cu"
    path.write_text("\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    moved = json.loads(report(warplint, "gitlab"))
    assert [i["fingerprint"] for i in moved] == [i["fingerprint"] for i in issues]


def test_junit(warplint: Run, tree: Path) -> None:
    root = ElementTree.fromstring(report(warplint, "junit"))
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["src/a,b.cu", "src/clean.cu", "src/empty.ptx"]
    counts = [(s.get("tests"), s.get("failures"), s.get("errors")) for s in root]
    assert counts == [("13", "13", "0"), ("1", "0", "0"), ("1", "0", "1")]
    assert len(suites["src/a,b.cu"].findall("testcase/failure")) == 13


def test_markdown(warplint: Run, tree: Path) -> None:
    text = report(warplint, "markdown")
    assert text.startswith("### Found 13 findings (1 error, 12 warnings).\n\n| severity | rule |")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 14
    assert rows[1].startswith("| error | SYN001 divergent-barrier | src/a,b.cu:17 | ")
    assert "\n- 1 finding suppressed by comments\n" in text


def test_suppressed_findings_are_shown_when_asked_for(warplint: Run, tree: Path) -> None:
    hidden = json.loads(report(warplint, "sarif"))["runs"][0]["results"]
    assert len(hidden) == 13
    assert not any("suppressions" in result for result in hidden)
    log = json.loads(report(warplint, "sarif", "--show-suppressed"))
    jsonschema.validate(log, SCHEMA)
    shown = log["runs"][0]["results"]
    marks = [result["suppressions"] for result in shown]
    assert marks == [[]] * 13 + [[{"kind": "inSource", "justification": "once"}]]
    assert " (suppressed: once)\n" in report(warplint, "concise", "--show-suppressed")
    assert "bank-conflict (suppressed: once): " in report(warplint, "full", "--show-suppressed")
    assert "(suppressed" not in report(warplint, "full")


def test_sarif_of_several_architectures(warplint: Run, tree: Path) -> None:
    (tree / "old").mkdir()
    (tree / "old" / "k.cu").write_text(KERNEL % CONFLICT, encoding="utf-8")
    (tree / "old" / "warplint.toml").write_text('arch = "sm_70"\n', encoding="utf-8")
    log = json.loads(warplint(".", *ONLY, "--format", "sarif").out)
    jsonschema.validate(log, SCHEMA)
    ids = [run["automationDetails"]["id"] for run in log["runs"]]
    assert ids == ["warplint/sm_90/", "warplint/sm_70/"]
    assert [len(run["results"]) for run in log["runs"]] == [13, 2]
    assert [a["location"]["uri"] for a in log["runs"][1]["artifacts"]] == ["old/k.cu"]


def test_sarif_of_a_fixture_for_each_rule(warplint: Run) -> None:
    files = fixtures_of_all_rules()
    assert len(files) > 70
    outcome = warplint(*files, "--select", "ALL", "--show-possible", "--format", "sarif")
    log = json.loads(outcome.out)
    validator = jsonschema.validators.validator_for(SCHEMA)(
        SCHEMA, format_checker=jsonschema.FormatChecker()
    )
    assert [error.message for error in validator.iter_errors(log)] == []
    results = [result for run in log["runs"] for result in run["results"]]
    witnesses = [flow for result in results for flow in result.get("codeFlows", ())]
    assert any(len(flow["threadFlows"]) == 2 for flow in witnesses)
    assert any("fixes" in result for result in results)
    for run in log["runs"]:
        _is_consistent(run)


def fixtures_of_all_rules() -> list[str]:
    """The smallest fixtures that together expect every rule that any expects."""
    texts = {
        path: path.read_text(encoding="utf-8", errors="replace")
        for path in (TESTS / "fixtures").rglob("*")
        if path.suffix in {".cu", ".cuh", ".ptx"}
    }
    found: list[str] = []
    expected: set[str] = set()
    for path, text in sorted(texts.items(), key=lambda each: (len(each[1]), each[0])):
        lists = re.findall(r"// expect: ([A-Z]{3}\d{3}(?:, [A-Z]{3}\d{3})*)", text)
        codes = {code for each in lists for code in each.split(", ")}
        if codes - expected:
            expected |= codes
            found.append(str(path))
    return found


def _is_consistent(run: dict[str, Any]) -> None:
    """Every index leads to what it is said to lead to."""
    rules = run["tool"]["driver"]["rules"]
    assert all("## Why is this bad?" in rule["help"]["markdown"] for rule in rules)
    files = run["artifacts"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        places = [*result["locations"], *result.get("relatedLocations", ())]
        for place in places:
            artifact = place["physicalLocation"]["artifactLocation"]
            assert files[artifact["index"]]["location"]["uri"] == artifact["uri"]


@pytest.mark.parametrize("format", ["jsonl", "github", "gitlab", "junit", "markdown"])
def test_hostile_names_stay_inside_their_field(warplint: Run, tmp_path: Path, format: str) -> None:
    odd = "]]>\x1b[31m|<b>\n::error::%0A.cu"
    (tmp_path / odd.replace("/", "_")).write_text(KERNEL % CONFLICT, encoding="utf-8")
    outcome = warplint(".", *ONLY, "--format", format)
    assert outcome.code == 1
    assert "\x1b" not in outcome.out
    if format == "junit":
        ElementTree.fromstring(outcome.out)
    if format == "github":
        assert all(line.startswith("::") for line in outcome.out.splitlines())
        assert len(outcome.out.splitlines()) == 2
    if format == "markdown":
        assert "<b>" not in outcome.out.replace(r"\<b\>", "")


def test_rules_that_are_told_once_for_each_function(warplint: Run, tree: Path) -> None:
    calls = "    v += __shfl_xor(v, 1);\n    v += __shfl_xor(v, 2);\n"
    text = f"__global__ void k(int *out) {{\n    int v = out[threadIdx.x];\n{calls}"
    (tree / "src" / "clean.cu").write_text(text + "    out[threadIdx.x] = v;\n}\n")
    outcome = warplint("src/clean.cu", "--select", "WRP005", "--format", "sarif")
    (result,) = json.loads(outcome.out)["runs"][0]["results"]
    assert [each["physicalLocation"]["region"]["startLine"] for each in result["locations"]] == [3]
    related = result["relatedLocations"]
    assert [each["physicalLocation"]["region"]["startLine"] for each in related] == [4]
    ((change,),) = [fix["artifactChanges"] for fix in result["fixes"]]
    assert len(change["replacements"]) == 4


def test_what_a_macro_makes_in_many_kernels_is_one_finding(warplint: Run, tree: Path) -> None:
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x"
    text = f"#define EACH(i, n) for ({index}; i < (n); i += blockDim.x * gridDim.x)\n"
    for name in "abc":
        text += f"__global__ void {name}(float *p, size_t n) {{ EACH(i, n) p[i] = 0; }}\n"
    text += f"__global__ void d(float *p, size_t n) {{ {index}; if (i < n) p[i] = 0; }}\n"
    (tree / "src" / "clean.cu").write_text(text)
    outcome = warplint("src/clean.cu", "--select", "GLB007", "--format", "json")
    of_macro, of_kernel = json.loads(outcome.out)["findings"]
    assert [place["line"] for place in of_macro["places"]] == [2, 3, 4]
    assert of_kernel["line"] == 5


def test_places_of_one_array_are_one_finding_and_suppressed_one_by_one(
    warplint: Run, tmp_path: Path
) -> None:
    body = "    s0[t][0] = out[t];\n    s0[t][1] = 1.0f;  // warplint: ignore[SHM001] x\n"
    text = KERNEL % (body + "    s0[t][2] = 2.0f;\n    s0[2 * t][3] = 3.0f;\n")
    (tmp_path / "k.cu").write_text(text, encoding="utf-8")
    only = ("k.cu", "--block", "32", "--select", "SHM001,SUP")
    (found,) = json.loads(warplint(*only, "--format", "json").out)["findings"]
    assert sorted(place["line"] for place in found["places"]) == [4, 6, 7]
    assert (found["array"], found["line"]) == ("s0", found["places"][0]["line"])
    assert found["message"].startswith("16-way ")  # the worst of them
    assert found["message"].endswith("; 2 more places")
    (result,) = json.loads(warplint(*only, "--format", "sarif").out)["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == found["line"]
    related = [
        each["physicalLocation"]["region"]["startLine"] for each in result["relatedLocations"]
    ]
    assert {4, 6, 7} <= {region["startLine"], *related}
    warplint("baseline", "k.cu", "--block", "32", "--select", "SHM001,SUP")
    known = warplint(*only, "--baseline", "warplint-baseline.json")
    assert "No findings.\n" in known.out
    assert "3 findings in the baseline not shown" in known.out


def test_instances_of_a_template_are_one_finding(warplint: Run, tmp_path: Path) -> None:
    launches = "".join(f"k<{n}><<<1, 32>>>(p);" for n in (8, 16, 32))
    kernel = """template <int N> __global__ void k(float *out) {
    __shared__ float tile[32][N];
    tile[threadIdx.x][0] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[0][threadIdx.x % N];
}
"""
    (tmp_path / "k.cu").write_text(kernel + f"void host(float *p) {{ {launches} }}\n")
    found = json.loads(warplint("k.cu", "--select", "SHM001", "--format", "json").out)["findings"]
    assert [(each["line"], each["kernel"]) for each in found] == [(3, "k<32>")]


def test_findings_beyond_the_most_are_counted_by_rule(warplint: Run, tree: Path) -> None:
    text = report(warplint, "full", "--max-findings", "3")
    assert text.count("error[") + text.count("warning[") == 3
    assert "10 more findings not shown; --max-findings 0 shows all:\n  10 SHM001 bank-conf" in text
    assert "Start here:\n  1. src/a,b.cu:17 SYN001 " in text
    assert report(warplint, "full").count("warning[") == 12
    assert "Start here" not in report(warplint, "full", "-q")
    assert report(warplint, "full", "-q").count("warning[") == 12


def test_order_and_least_severity(warplint: Run, tree: Path) -> None:
    def order(*more: str) -> list[tuple[str, int]]:
        found = json.loads(report(warplint, "json", *more))["findings"]
        return [(each["rule"], each["line"]) for each in found]

    conflicts = [("SHM001", line) for line in range(4, 16)]
    assert order() == [("SYN001", 17), *conflicts]
    assert order("--sort", "place") == [*conflicts, ("SYN001", 17)]
    assert order("--sort", "rule") == [*conflicts, ("SYN001", 17)]
    assert order("--min-severity", "error") == [("SYN001", 17)]
    text = report(warplint, "full", "--min-severity", "error")
    assert "12 findings below --min-severity not shown" in text


def test_the_gain_of_instances_is_that_of_the_one_that_gains_most(
    warplint: Run, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cu").write_text(
        "template <int S> __global__ void k(float *out) {\n"
        "    if constexpr (S == 8)\n        out[threadIdx.x * 8] = 1;\n"
        "    else\n        out[threadIdx.x * 4] = 1;\n}\n"
        "void run(float *out) { k<8><<<64, 256>>>(out); k<4><<<64, 256>>>(out); }\n",
        encoding="utf-8",
    )
    (found,) = json.loads(warplint("src", "--select", "GLB001", "--format", "json").out)["findings"]
    assert [place["line"] for place in found["places"]] == [3, 5]
    assert found["gain"]["share"] == (32 - 4) / 32


LITTLE = """\
__global__ void k(const float *in, float *out) {
    __shared__ float s[64];
    s[2 * threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = s[(2 * threadIdx.x + 2) % 64];
    for (int i = 0; i < 10000; i++) sum += in[i * 32 + threadIdx.x];
    out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize("format", ["github", "gitlab", "junit", "markdown"])
def test_notes_that_save_nothing_are_not_shown_beside_code(
    warplint: Run, tmp_path: Path, format: str
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cu").write_text(LITTLE, encoding="utf-8")
    asked = ("src", "--block", "32", "--select", "SHM001", "--format")
    (found,) = json.loads(warplint(*asked, "json").out)["findings"]
    assert found["severity"] == "note"
    assert found["gain"]["time"] < 0.01
    usual, all_of_it = (warplint(*asked, format, *more).out for more in ((), ("--verbose",)))
    assert ("bank conflict" in usual, "bank conflict" in all_of_it) == (False, True)
    counted = "1 note that would save less than 10 % not shown; --verbose shows all"
    assert (counted in usual) is (format == "markdown")


def test_all_formats_count_alike_what_was_copied_to_another_file(warplint: Run, tree: Path) -> None:
    copied = """__global__ void columns(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];
}
void run(float *out, float *in) { columns<<<4096, 256>>>(out, in, 4); }
"""
    for name in ("one", "two", "three"):
        (tree / "src" / f"{name}.cu").write_text(copied, encoding="utf-8")
    asked = ("src", "--select", "GLB001", "--exit-zero")
    full = warplint(*asked).out
    assert "Found 3 findings (3 " in full
    assert "; 2 of them grouped with the same in another file)." in full
    assert full.count("[GLB001]") + full.count(" GLB001 ") == 1
    assert "Found 3 findings (3 " in warplint(*asked, "--format", "concise").out
    found = json.loads(warplint(*asked, "--format", "json").out)
    assert sum(found["summary"]["findings"].values()) == len(found["findings"]) == 3
