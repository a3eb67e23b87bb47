from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from warplint.analyzer.findings.finding import OtherPlace, Related, Severity
from warplint.analyzer.findings.fingerprint import line_hashes
from warplint.analyzer.findings.witness import Step, ThreadFlow
from warplint.analyzer.report.formats import sarif, sarif_flows
from warplint.analyzer.report.formats.sarif_places import find_root
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Sample

    from warplint.analyzer.engine.result import RunResult

SCHEMA = json.loads(
    (Path(__file__).parent.parent / "data" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(
    SCHEMA, format_checker=jsonschema.FormatChecker()
)


def run_of(result: RunResult, root: Path, exit_code: int = 1) -> dict[str, Any]:
    """The one run of a report that has passed the OASIS schema."""
    log = json.loads(sarif.render_sarif(result, "1.2.3", exit_code, root))
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    return run


def test_schema_refuses_what_is_wrong(sample: Sample) -> None:
    log = json.loads(sarif.render_sarif(sample.result, "1.2.3", 3, sample.root))
    log["runs"][0]["results"][0]["message"] = {}
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(log)


def test_report(sample: Sample, golden: Callable[[str, str], None]) -> None:
    run_of(sample.result, sample.root)
    text = sarif.render_sarif(sample.result, "1.2.3", 3, sample.root)
    golden("report.sarif", text.replace(sample.root.as_uri(), "file:///repository"))


def test_what_github_requires(sample: Sample) -> None:
    run = run_of(sample.result, sample.root)
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert len(rule["properties"]["tags"]) <= 10
        assert rule["properties"]["precision"] in {"very-high", "high", "medium", "low"}
        assert rule["properties"]["problem.severity"] in {"error", "warning", "recommendation"}
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region.keys() == {"startLine", "startColumn", "endLine", "endColumn"}
        assert result["partialFingerprints"]["primaryLocationLineHash"]
    assert run["automationDetails"]["id"] == "warplint/sm_90/"
    assert run["columnKind"] == "unicodeCodePoints"


def test_region_is_that_of_the_text(sample: Sample) -> None:
    run = run_of(sample.result, sample.root)
    region = run["results"][1]["locations"][0]["physicalLocation"]["region"]
    line = sample.kernel.text.split("\n")[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "__syncthreads()"


def test_fingerprint_is_that_of_the_line(sample: Sample) -> None:
    run = run_of(sample.result, sample.root)
    expected = line_hashes(sample.kernel.text, [9])[9]
    assert run["results"][1]["partialFingerprints"] == {"primaryLocationLineHash": expected}


def test_message_links_every_related_place(sample: Sample) -> None:
    run = run_of(sample.result, sample.root)
    for result in run["results"]:
        links = {int(n) for n in re.findall(r"\]\((\d+)\)", result["message"]["text"])}
        assert links == {place["id"] for place in result["relatedLocations"]}
    conflict, barrier = run["results"]
    assert "[`t < 16`](1)" in barrier["message"]["text"]
    assert r"[the value comes from \[here\]](1)" in conflict["message"]["text"]


def test_uris_are_relative_to_the_root_and_listed(sample: Sample) -> None:
    run = run_of(sample.result, sample.root)
    uris = [artifact["location"]["uri"] for artifact in run["artifacts"]]
    assert uris == ["src/reduce.cu", "src/broken.ptx", "src/helper.cuh"]
    place = run["results"][0]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "src/helper.cuh", "uriBaseId": "%SRCROOT%", "index": 2}
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == sample.root.as_uri() + "/"


def test_one_file_under_two_names_is_one_artifact(sample: Sample) -> None:
    inputs = sample.result.inputs
    other = replace(inputs[0], path="./src/../src/reduce.cu")
    run = run_of(replace(sample.result, inputs=(*inputs, other)), sample.root)
    uris = [artifact["location"]["uri"] for artifact in run["artifacts"]]
    assert uris.count("src/reduce.cu") == 1


def test_file_outside_the_root_has_an_absolute_uri(sample: Sample, tmp_path: Path) -> None:
    path = str(tmp_path.parent / "größe 1.cu")
    source = SourceText(path, "x")
    finding = replace(sample.result.findings[0], span=Span(source, 0, 1), related=(), fixes=())
    run = run_of(replace(sample.result, findings=(finding,)), sample.root)
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"].startswith("file:///")
    assert location["uri"].endswith("/gr%C3%B6%C3%9Fe%201.cu")
    assert "uriBaseId" not in location


def test_numbers_are_properties(sample: Sample) -> None:
    properties = run_of(sample.result, sample.root)["results"][0]["properties"]
    assert properties["wavefronts"] == 32
    assert properties["wavefrontsIdeal"] == 1
    assert properties["certainty"] == "possible"


def test_fix_is_an_edit_and_advice_is_not(sample: Sample) -> None:
    conflict, barrier = run_of(sample.result, sample.root)["results"]
    assert "fixes" not in barrier
    (change,) = conflict["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"] == {"text": "33"}
    region = replacement["deletedRegion"]
    line = sample.kernel.text.split("\n")[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "32"


def test_witness_is_one_code_flow_with_a_thread_flow_for_each_thread(sample: Sample) -> None:
    conflict, barrier = run_of(sample.result, sample.root)["results"]
    assert "codeFlows" not in conflict
    (flow,) = barrier["codeFlows"]
    first, second = flow["threadFlows"]
    assert [first["id"], second["id"]] == ["thread (0, 0, 0)", "thread (16, 0, 0)"]
    lines = [
        step["location"]["physicalLocation"]["region"]["startLine"] for step in first["locations"]
    ]
    assert lines == [7, 9]
    assert first["locations"][1]["location"]["message"]["text"] == "thread (0, 0, 0): waits"


def test_long_witness_keeps_its_ends(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif_flows, "MOST_STEPS", 8)
    place = sample.result.findings[1].span
    flows = tuple(
        ThreadFlow(name, tuple(Step(place, str(n)) for n in range(count)))
        for name, count in (("a", 9), ("b", 2))
    )
    finding = replace(sample.result.findings[1], flows=flows)
    run = run_of(replace(sample.result, findings=(finding,)), sample.root)
    first, second = run["results"][0]["codeFlows"][0]["threadFlows"]
    orders = [[step["executionOrder"] for step in flow["locations"]] for flow in (first, second)]
    assert orders == [[1, 2, 8, 9], [1, 2]]
    assert first["message"]["text"] == "a; 5 steps not shown"


def test_rules_refer_to_catalogues(sample: Sample) -> None:
    run = run_of(sample.result, sample.root)
    named = {}
    for rule in run["tool"]["driver"]["rules"]:
        for relation in rule.get("relationships", ()):
            target = relation["target"]
            catalogue = run["taxonomies"][target["toolComponent"]["index"]]
            entry = catalogue["taxa"][target["index"]]
            assert entry["id"] == target["id"]
            assert catalogue["guid"] == target["toolComponent"]["guid"]
            named.setdefault(rule["id"], []).append(f"{catalogue['name']} {entry['id']}")
    assert named == {"SYN001": ["CUDA C++ Guidelines 1.14", "CWE 821"]}
    assert "external/cwe/cwe-821" in run["tool"]["driver"]["rules"][1]["properties"]["tags"]


def test_problems_are_notifications(sample: Sample) -> None:
    (invocation,) = run_of(sample.result, sample.root, exit_code=3)["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 3
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["level"] == "error"
    assert notification["message"]["text"] == "unexpected end of file. close the parameter list"


def test_clean_run_has_empty_results(sample: Sample) -> None:
    run = run_of(replace(sample.result, findings=(), inputs=()), sample.root, exit_code=0)
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True


def test_too_many_results_are_cut_with_a_note(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "_MOST_RESULTS", 1)
    run = run_of(sample.result, sample.root)
    assert [result["level"] for result in run["results"]] == ["error"]
    texts = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert any(text.startswith("1 finding not included") for text in texts)


def test_a_file_that_is_too_large_is_cut_with_a_note(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = sample.result.findings[0]
    numbers = Random(9)
    many = [
        replace(first, severity=severity, verify=numbers.randbytes(2_000).hex())
        for severity in (Severity.NOTE, Severity.ERROR)
        for _ in range(20)
    ]
    monkeypatch.setattr(sarif, "_MOST_BYTES", 50_000)
    text = sarif.render_sarif(replace(sample.result, findings=tuple(many)), "1.2.3", 1, sample.root)
    assert len(gzip.compress(text.encode())) <= 50_000
    run = json.loads(text)["runs"][0]
    VALIDATOR.validate(json.loads(text))
    kept = len(run["results"])
    assert 10 < kept < 30
    assert [result["level"] for result in run["results"]].count("error") == min(20, kept)
    texts = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert any(text.startswith(f"{40 - kept} findings not included") for text in texts)


def test_a_place_in_another_kernel_is_named_with_it(sample: Sample) -> None:
    first = sample.result.findings[0]
    spans = [Span(first.span.source, at, at + 1) for at in range(2)]
    kernels = (first.kernel, "another<int>")
    places = tuple(
        OtherPlace(*each) for each in zip(spans, ("here", "there"), kernels, strict=True)
    )
    run = run_of(replace(sample.result, findings=(replace(first, places=places),)), sample.root)
    text = run["results"][0]["message"]["text"]
    assert "[here](" in text
    assert "[there in another](" in text


def test_too_many_places_are_cut_with_a_note(sample: Sample) -> None:
    first = sample.result.findings[0]
    source = first.span.source
    places = tuple(Related(Span(source, at, at + 1), f"place {at}") for at in range(130))
    run = run_of(replace(sample.result, findings=(replace(first, related=places),)), sample.root)
    (result,) = run["results"]
    assert len(result["relatedLocations"]) == 100
    left_out = 130 - 100 + sum(part.span is not None for part in first.message)
    assert f"{left_out} more places not shown" in result["message"]["text"]


def test_root_is_where_the_repository_begins(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / ".git").mkdir()
    assert find_root(tmp_path / "a" / "b") == (tmp_path / "a").resolve()
