"""Rules of users: of an installed distribution, of a folder, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest
from documents import marked_blocks

from warplint.rules import api, plugins
from warplint.rules.plugins import FOLDERS, PluginCheck, PluginError, available_rules, use_folders

if TYPE_CHECKING:
    from pathlib import Path

FILES = marked_blocks("docs/rule_api.md", "file")
KERNEL = """__global__ void widen(const float *in, double *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}
"""
RULE = FILES["acme_rules/doubled_access.py"]
ENTRY_POINTS = "[warplint.rules]\nacme = acme_rules\n"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, "")


def folder_of_rules(tmp_path: Path, text: str = RULE) -> Path:
    folder = tmp_path / "lint"
    folder.mkdir()
    for name, content in FILES.items():
        if name.startswith("acme_rules/"):
            (folder / name.partition("/")[2]).write_text(content, encoding="utf-8")
    (folder / "doubled_access.py").write_text(text, encoding="utf-8")
    return folder


def distribution(tmp_path: Path) -> Path:
    """The package of the documentation as a wheel."""
    path = tmp_path / "acme_rules-1.0-py3-none-any.whl"
    info = "acme_rules-1.0.dist-info"
    files = {name: text for name, text in FILES.items() if name.startswith("acme_rules/")}
    files |= {
        "acme_rules/__init__.py": "",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": ENTRY_POINTS,
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return path


def run(
    *words: str, cwd: Path, path: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables, "WARPLINT_CACHE_DIR": str(cwd / "cache")}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    code = "import sys; from warplint.analyzer.cli.main import run; sys.argv[0] = 'warplint'; run()"
    command = [sys.executable, "-P", "-c", code, *words]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def rules_of(text: str) -> list[tuple[str, int]]:
    return [(found["rule"], found["line"]) for found in json.loads(text)["findings"]]


def test_an_installed_distribution_is_found_and_its_rule_works(tmp_path: Path) -> None:
    target = tmp_path / "target"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    wheel = str(distribution(tmp_path))
    subprocess.run([*pip, "--target", str(target), wheel], check=True, capture_output=True)
    (tmp_path / "widen.cu").write_text(KERNEL, encoding="utf-8")
    words = ("check", "--isolated", "--format", "json", "--select", "ACM001", "widen.cu")
    found = run(*words, cwd=tmp_path, path=target)
    assert found.returncode == 1, found.stderr
    assert rules_of(found.stdout) == [("ACM001", 3)]
    again = run(*words, cwd=tmp_path, path=target)  # nothing stored stands in the way
    assert rules_of(again.stdout) == [("ACM001", 3)]
    listed = run("rules", cwd=tmp_path, path=target)
    assert "ACM001  doubled-access" in listed.stdout
    page = run("rule", "doubled-access", cwd=tmp_path, path=target)
    assert "Our data is single precision." in page.stdout
    without = run(*words, cwd=tmp_path)
    assert without.returncode == 2
    assert "unknown rule `ACM001`" in without.stderr


def test_a_folder_that_the_command_line_names(tmp_path: Path) -> None:
    folder_of_rules(tmp_path)
    (tmp_path / "widen.cu").write_text(
        KERNEL + "// another\n" + KERNEL.replace("widen", "again"), encoding="utf-8"
    )
    (tmp_path / "second.cu").write_text(KERNEL, encoding="utf-8")
    words = ("--rule-folder", "lint", "--isolated", "--format", "json", "--select", "ACM")
    found = run("check", *words, "--jobs", "2", "widen.cu", "second.cu", cwd=tmp_path)
    assert rules_of(found.stdout) == [("ACM001", 3), ("ACM001", 3), ("ACM001", 8)]
    named = {FOLDERS: str(tmp_path / "lint")}
    by_variable = run("check", *words[2:], "second.cu", cwd=tmp_path, **named)
    assert rules_of(by_variable.stdout) == [("ACM001", 3)]


def test_a_folder_that_only_the_configuration_names_needs_consent(tmp_path: Path) -> None:
    mark = tmp_path / "was_run"
    folder_of_rules(tmp_path, f"open({str(mark)!r}, 'w').close()\n{RULE}")
    (tmp_path / "warplint.toml").write_text('rule-folders = ["lint"]\n', encoding="utf-8")
    (tmp_path / "widen.cu").write_text(KERNEL, encoding="utf-8")
    refused = run("check", "widen.cu", cwd=tmp_path)
    assert refused.returncode == 2
    assert "rules in lint, which are programs" in refused.stderr
    assert "--allow-rule-folders" in refused.stderr
    without = run("check", "--no-rule-folders", "--format", "json", "widen.cu", cwd=tmp_path)
    assert "ACM001" not in without.stdout
    for word in ("rules", "config show", "explain widen.cu:3"):
        run(*word.split(), cwd=tmp_path)
    assert not mark.exists()


def test_a_folder_of_the_configuration_with_consent(tmp_path: Path) -> None:
    folder_of_rules(tmp_path)
    (tmp_path / "warplint.toml").write_text(
        'rule-folders = ["lint"]\n[severity]\nACM001 = "error"\n', encoding="utf-8"
    )
    (tmp_path / "widen.cu").write_text(KERNEL, encoding="utf-8")
    words = ("check", "--allow-rule-folders", "--format", "json", "widen.cu")
    found = run(*words, cwd=tmp_path)
    assert ("ACM001", 3) in rules_of(found.stdout), found.stderr
    (tmp_path / "widen.cu").write_text(
        KERNEL.replace("];\n", "];  // warplint: ignore[ACM001] a table of doubles\n"),
        encoding="utf-8",
    )
    quiet = run(*words, cwd=tmp_path)
    assert [rule for rule, _ in rules_of(quiet.stdout) if rule in ("ACM001", "SUP001")] == []


def test_distributions_in_the_analysed_tree_are_not_looked_for(tmp_path: Path) -> None:
    mark = tmp_path / "was_run"
    package = tmp_path / "evil_rules"
    package.mkdir()
    (package / "__init__.py").write_text(f"open({str(mark)!r}, 'w').close()", encoding="utf-8")
    info = tmp_path / "evil_rules-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[warplint.rules]\nx = evil_rules\n", encoding="utf-8")
    (tmp_path / "widen.cu").write_text(KERNEL, encoding="utf-8")
    for path in (None, tmp_path):  # an entry of PYTHONPATH that leads here is none
        run("check", "widen.cu", cwd=tmp_path, path=path)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (RULE.replace("RULE_API = 1", ""), "does not say RULE_API: this warplint has version 1"),
        (RULE.replace("RULE_API = 1", "RULE_API = 2"), "is for rule API 2"),
        (RULE.replace('code="ACM001"', 'code="ACME1"'), "not three letters"),
        (RULE.replace('code="ACM001"', 'code="SHM001"'), "SHM001 is already a rule of warplint"),
        (RULE.replace('"doubled-access"', '"bank-conflict"'), "bank-conflict is already a rule"),
        (RULE.replace("def check", "def look"), "define check"),
        (RULE + "\nimport no_such_module\n", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    folder = folder_of_rules(tmp_path, text)
    use_folders([str(folder)])
    with pytest.raises(PluginError, match=complaint) as caught:
        available_rules()
    assert "doubled_access" in caught.value.message
    assert caught.value.advice


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    use_folders([str(tmp_path / "nowhere")])
    with pytest.raises(PluginError, match="nowhere"):
        available_rules()


def test_the_check_is_found_again_by_its_names(tmp_path: Path) -> None:
    use_folders([str(folder_of_rules(tmp_path))])
    rule = available_rules()["ACM001"]
    assert isinstance(rule.check, PluginCheck)
    assert rule.check.folder == str(tmp_path / "lint")
    assert list(rule.sections) == [
        *("What it does", "Why is this bad?", "Example", "Use instead", "Known problems")
    ]


def test_the_api_has_the_version_that_rules_are_asked_for() -> None:
    assert plugins._API == api.VERSION
    assert all(hasattr(api, name) for name in api.__all__)
