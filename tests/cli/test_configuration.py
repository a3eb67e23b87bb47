"""Configuration files as users write them, through the installed command."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome

    Run = Callable[..., Outcome]

KERNEL = """\
MY_KERNEL void column(float *out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    tile[t][0] = out[t * STRIDE];
    __syncthreads();
    out[t] = tile[0][t];
}
"""
ALL_KEYS = """\
arch = "sm_80"
blocks = { "col*" = [32], "*" = "16,2" }
defines = ["STRIDE=8"]
undefines = ["DEBUG"]
include-paths = ["inc"]
qualifier-macros = { MY_KERNEL = "__global__" }
select = ["SHM", "GLB"]
extend-select = ["SYN001"]
ignore = ["SYN001"]
per-file-ignores = { "sub/" = ["GLB001"] }
severity = { GLB001 = "error", bank-conflict = "note" }
thresholds = { SHM001 = 4 }
kernel-size = 200000
certainty = "definite"
fail-on = "note"
exclude = ["third_party"]
force-exclude = false
respect-gitignore = true
jobs = 1
rule-folders = []
extensions = [".cpp"]
python = true
"""


def report(outcome: Outcome) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(outcome.out)
    return loaded


def brief(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(f["path"], f["rule"], f["severity"]) for f in report(outcome)["findings"]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.cu", "sub/b.cu", "third_party/c.cu"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(KERNEL, encoding="utf-8")
    (tmp_path / "warplint.toml").write_text(ALL_KEYS, encoding="utf-8")
    return tmp_path


def test_every_key_is_heard(warplint: Run, tree: Path) -> None:
    outcome = warplint(".", "--format", "json")
    assert brief(outcome) == [
        ("a.cu", "GLB001", "error"),
        ("a.cu", "SHM001", "note"),
        ("sub/b.cu", "SHM001", "note"),
    ]
    first = report(outcome)["findings"][0]
    assert first["arch"] == "sm_80"
    blocks = [item for item in first["assumptions"] if item["name"] == "block"]
    assert blocks == [{"name": "block", "value": [32, 1, 1], "origin": "configuration"}]


def test_more_suffixes_are_searched_for(warplint: Run, tree: Path) -> None:
    (tree / "host.cpp").write_text(
        "int main() { int n = 9; float *h = new float[n], *d; cudaMalloc(&d, n * 4);\n"
        "cudaMemcpy(d, h, n * 4, cudaMemcpyDeviceToHost); return 0; }\n",
        encoding="utf-8",
    )
    words = (".", "--format", "json", "--select", "API002")
    assert brief(warplint(*words)) == [("host.cpp", "API002", "error")]
    assert brief(warplint(*words, "--isolated")) == []
    asked = warplint(*words, "--isolated", "--extension", ".cpp", "-D", "MY_KERNEL=__global__")
    assert brief(asked) == [("host.cpp", "API002", "error")]
    wrong = warplint(*words, "--extension", ".py")
    assert (wrong.code, "'.py' is not one of" in wrong.err) == (2, True)


def test_command_line_wins(warplint: Run, tree: Path) -> None:
    assert brief(warplint("a.cu", "--format", "json", "-D", "STRIDE=1", "--select", "GLB")) == []
    more = warplint("a.cu", "--format", "json", "--select", "GLB", "--extend-select", "SHM001")
    assert [rule for _, rule, _ in brief(more)] == ["GLB001", "SHM001"]
    selected = warplint("a.cu", "--format", "json", "--select", "SYN,SHM", "--arch", "sm_90")
    assert report(selected)["summary"]["rules"][0].startswith("SHM")
    assert report(selected)["summary"]["rules"][-1].startswith("SYN")
    assert report(selected)["summary"]["arch"] == "sm_90"
    assert [f[1] for f in brief(warplint("a.cu", "--format", "json", "--ignore", "SHM"))] == [
        "GLB001"
    ]
    isolated = report(warplint("a.cu", "--format", "json", "--isolated"))
    assert isolated["summary"]["arch"] == "sm_90"
    both = warplint("a.cu", "--isolated", "--config", "warplint.toml")
    assert (both.code, "cannot be combined" in both.err) == (2, True)


def test_nearest_file_wins_and_may_extend(warplint: Run, tree: Path) -> None:
    sub = tree / "sub" / "pyproject.toml"
    sub.write_text("[tool.other]\nwarplint = 1\n", encoding="utf-8")
    assert ("sub/b.cu", "SHM001", "note") in brief(warplint("sub", "--format", "json"))
    sub.write_text('[tool.warplint]\nselect = ["SHM"]\n', encoding="utf-8")
    assert brief(warplint("sub", "--format", "json")) == []  # MY_KERNEL is unknown here
    sub.write_text(
        '[tool.warplint]\nextend = "../warplint.toml"\nseverity = { SHM001 = "warning" }\n',
        encoding="utf-8",
    )
    # The patterns of the extended file count from the folder of the one that extends it.
    assert brief(warplint("sub", "--format", "json")) == [
        ("sub/b.cu", "GLB001", "error"),
        ("sub/b.cu", "SHM001", "warning"),
    ]
    shown = report(warplint("config", "show", "sub", "--format", "json"))
    assert shown["file"] == "sub/pyproject.toml"
    assert shown["settings"]["severity"]["SHM001"] == "warning"
    assert shown["rules"][0] == "GLB001"


@pytest.mark.parametrize(
    ("text", "error", "advice"),
    [
        ('selct = ["SHM"]', "unknown key `selct`", "did you mean `select`?"),
        ('include_paths = ["x"]', "unknown key `include_paths`", "did you mean `include-paths`?"),
        ("arch = 90", "key `arch`: `90` is not an architecture", "quotes"),
        ('arch = "sm_1"', "key `arch`: unknown architecture `sm_1`", "sm_90"),
        ('select = "SHM"', "key `select`: `'SHM'` is not a list", '["SHM"]'),
        ('ignore = ["SHM9"]', "unknown rule `SHM9`", "`warplint rules`"),
        ('severity = { SHM001 = "high" }', "key `severity`: `SHM001`: `high`", "error, warning"),
        ("severity = { SHM9 = 'note' }", "unknown rule `SHM9`", ""),
        ("thresholds = { SHM001 = -1 }", "key `thresholds`: `SHM001`: `-1`", "unquoted"),
        ("thresholds = { SHM001 = nan }", "key `thresholds`: `SHM001`: `nan`", "unquoted"),
        ("blocks = [1]", "key `blocks`: `[1]` is not a table", "kernel name"),
        ("blocks = { a = [33, 32] }", "key `blocks`: `a`: block `33,32` has 1056", "1024"),
        ("jobs = 0", "key `jobs`: `0` is not a whole number of 1 or more", ""),
        ("force-exclude = 1", "key `force-exclude`: `1` is neither true nor false", ""),
        ("select = [", "not TOML: ", "--isolated"),
        ('extend = "warplint.toml"', "`extend` forms a cycle through warplint.toml", "cycle"),
        ('extend = "none.toml"', "none.toml: cannot be read: No such file", ""),
        ('compile-commands = "nowhere"', "nowhere", ""),
        ("x = " + "[" * 5000, "not TOML: ", ""),
        (".".join(["a"] * 50_000) + " = 1", "not TOML: a key of more than 64 parts", ""),
        ("x = { " + '"a b" . ' * 100 + "c = 1 }", "not TOML: a key of more than 64 parts", ""),
        ("kernel-size = " + "9" * 5000, "not TOML: ", ""),
        ("kernel-size = 0x" + "f" * 5000, "`a number of very many digits` is too large", "1,000,"),
        ("thresholds = { SHM001 = 0x" + "f" * 5000 + " }", "is too large", ""),
        ("thresholds = { SHM001 = inf }", "`inf` is too large", ""),
        ("blocks = { a = 0x" + "f" * 5000 + " }", "block `too large` is not a shape", ""),
        ("jobs = 100000", "key `jobs`: `100000` is too large", "it is 256 at most"),
        ('extend = "a\\u0000b"', "holds a NUL character", "leave it out"),
        ('include-paths = ["a\\u0000b"]', "holds a NUL character", "leave it out"),
        ('"a\\u0000b" = 1', "unknown key", ""),
    ],
)
def test_mistakes(warplint: Run, tree: Path, text: str, error: str, advice: str) -> None:
    (tree / "warplint.toml").write_text(text + "\n", encoding="utf-8")
    outcome = warplint("a.cu")
    assert (outcome.code, outcome.out) == (2, "")
    first, *rest = outcome.err.splitlines()
    assert first.startswith("error: ")
    assert error in first
    assert advice in "".join(rest)


def test_show_says_what_the_file_says(warplint: Run, tree: Path) -> None:
    shown = warplint("config", "show").out
    assert shown.startswith("# from warplint.toml\n")
    again, first = tomllib.loads(shown), tomllib.loads(ALL_KEYS)
    assert again.keys() == first.keys()
    assert again["select"] == first["select"]
    (tree / "warplint.toml").write_text(shown, encoding="utf-8")
    assert warplint("config", "show").out == shown
    over = warplint("config", "show", "--arch", "sm_75", "--format", "json")
    assert report(over)["settings"]["arch"] == "sm_75"


def test_schema(warplint: Run, tree: Path) -> None:
    schema = json.loads(warplint("config", "schema").out)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    check = validator(schema)
    check.validate(tomllib.loads(ALL_KEYS))
    for wrong in ({"selct": []}, {"jobs": 0}, {"certainty": "maybe"}, {"blocks": {"a": []}}):
        with pytest.raises(jsonschema.ValidationError):
            check.validate(wrong)


def test_init_writes_a_file_that_says_nothing_yet(warplint: Run, tree: Path) -> None:
    (tree / "warplint.toml").unlink()
    assert warplint("config", "init").code == 0
    text = (tree / "warplint.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {}
    again = warplint("config", "init")
    assert (again.code, "already exists" in again.err) == (2, True)
    # Every example of it is a line that can be used as it is.
    examples = [line[2:] for line in text.splitlines() if line[2:].split(" = ")[0] in schema_keys()]
    assert len(examples) == len(schema_keys())
    for line in examples:
        if not line.startswith(("extend", "compile-commands", "baseline", "rule-folders")):
            (tree / "warplint.toml").write_text(line + "\n", encoding="utf-8")
            assert warplint("config", "show").code == 0


def schema_keys() -> set[str]:
    from warplint.analyzer.config.keys import BY_NAME

    return set(BY_NAME)


def test_completions(warplint: Run) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_WARPLINT_COMPLETE" in warplint("completions", shell).out
    words = warplint(_WARPLINT_COMPLETE="bash_complete", COMP_WORDS="warplint ch", COMP_CWORD="1")
    assert words.out.splitlines() == ["plain,check"]
    typed = "warplint check --select SYN001,bank"
    rules = warplint(_WARPLINT_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD="3")
    assert rules.out.splitlines()[0] == "plain,SYN001,bank-conflict"


@pytest.mark.parametrize("pattern", ["[z-a]", "[", "a\\\\", "[!]", "**/**", "/", "a*" * 60 + "b"])
def test_patterns_that_are_like_nothing(warplint: Run, tree: Path, pattern: str) -> None:
    (tree / "warplint.toml").write_text(
        f'exclude = ["{pattern}"]\nblocks = {{ "{pattern}" = 64 }}\n'
        f'per-file-ignores = {{ "{pattern}" = ["GLB"] }}\n',
        encoding="utf-8",
    )
    outcome = warplint(".", "--format", "json")
    every = pattern == "**/**"
    assert (bool(report(outcome)["inputs"][0]["problems"]), outcome.err != "") == (every, every)
