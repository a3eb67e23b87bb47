"""The real server, asked as an editor asks."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pygls.uris import to_fs_path

from .editor import FULL, WAIT, Editor

Plain = dict[str, Any]

TILE = """__global__ void __launch_bounds__(1024) turn(const float *in, float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void run(const float *in, float *out)
{
    turn<<<1, dim3(32, 32)>>>(in, out);
}
"""
SHUFFLE = """__global__ void sum(float *data)
{
    float v = data[threadIdx.x];
    v += __shfl_down(v, 16);
    v += __shfl_down(v, 8);
    data[threadIdx.x] = v;
}

void run(float *data) { sum<<<1, 32>>>(data); }
"""


def codes(rows: list[Plain]) -> list[str]:
    return sorted(row["code"] for row in rows if "code" in row)


def test_findings_have_what_an_editor_shows(editor: Editor) -> None:
    editor.open("turn.cu", TILE)
    (row,) = [row for row in editor.diagnostics("turn.cu") if row["code"] == "SHM001"]
    assert row["range"]["start"] == {"line": 5, "character": 42}
    assert row["source"] == "warplint"
    assert row["severity"] == 2
    assert "32-way bank conflict" in row["message"]
    assert [each["location"]["uri"] for each in row["relatedInformation"]] == [
        editor.uri("turn.cu")
    ]
    assert "codeDescription" not in row


def test_each_document_shows_its_own_findings(editor: Editor) -> None:
    for name in ("one.cu", "copy_of_one.cu"):
        editor.open(name, TILE)
    for name in ("one.cu", "copy_of_one.cu"):
        assert {"SHM001", "API001"} <= set(codes(editor.diagnostics(name)))


def test_what_is_typed_counts(editor: Editor) -> None:
    editor.open("typed.cu", TILE)
    assert "SHM001" in codes(editor.diagnostics("typed.cu"))
    end = {"line": 2, "character": 32}
    editor.change(
        "typed.cu", {"range": {"start": {"line": 2, "character": 30}, "end": end}, "text": "33"}
    )
    assert "SHM001" not in codes(editor.diagnostics("typed.cu"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_are_in_the_units_of_the_client(tmp_path: Path, encoding: str) -> None:
    editor = Editor(tmp_path, {**FULL, "general": {"positionEncodings": ["weird", encoding]}})
    assert editor.initialised["capabilities"]["positionEncoding"] == encoding
    text = TILE.replace("    out[", "\t/* 😀é */ out[")
    editor.open("turn.cu", text)
    (row,) = [row for row in editor.diagnostics("turn.cu") if row["code"] == "SHM001"]
    before = "\t/* 😀é */ out[threadIdx.y * 32 + threadIdx.x] = "
    size = {"utf-8": len(before.encode()), "utf-16": len(before) + 1, "utf-32": len(before)}
    assert row["range"]["start"] == {"line": 5, "character": size[encoding]}
    editor.end()


def test_unsaved_headers_count(editor: Editor) -> None:
    (editor.root / "size.h").write_text("#define PITCH 33\n", encoding="utf-8")
    editor.open("padded.cu", '#include "size.h"\n' + TILE.replace("[32][32]", "[32][PITCH]"))
    assert "SHM001" not in codes(editor.diagnostics("padded.cu"))
    editor.open("size.h", "#define PITCH 32\n", "cpp")
    assert "SHM001" in codes(editor.diagnostics("padded.cu"))
    editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("size.h")}})
    assert "SHM001" not in codes(editor.diagnostics("padded.cu"))


def test_headers_that_are_on_no_disk_count(editor: Editor) -> None:
    editor.open("new.h", "#define NEW_PITCH 32\n", "cpp")
    editor.open("with_new.cu", '#include "new.h"\n' + TILE.replace("[32][32]", "[32][NEW_PITCH]"))
    assert "SHM001" in codes(editor.diagnostics("with_new.cu"))


def test_a_buffer_needs_no_file(editor: Editor) -> None:
    editor.open("untitled:Untitled-1", TILE, "cuda-cpp")
    assert "SHM001" in codes(editor.diagnostics("untitled:Untitled-1"))


def test_open_documents_launch_each_others_kernels(editor: Editor) -> None:
    kernel, launch = TILE.split("\nvoid run")
    editor.open("apart.cu", kernel.replace("turn", "apart"))
    editor.diagnostics("apart.cu")
    editor.open(
        "starts.cu",
        "__global__ void apart(const float *in, float *out);\n"
        "void run" + launch.replace("turn", "apart"),
    )
    (row,) = [row for row in editor.diagnostics("apart.cu") if row["code"] == "SHM001"]
    assert "32-way" in row["message"]


def test_configuration_changes_under_it(editor: Editor) -> None:
    folder = editor.root / "configured"
    folder.mkdir()
    editor.open("configured/turn.cu", TILE)
    assert "SHM001" in codes(editor.diagnostics("configured/turn.cu"))
    file = folder / "warplint.toml"

    def written(text: str) -> list[Plain]:
        file.write_text(text, encoding="utf-8")
        change = {"uri": file.as_uri(), "type": 2}
        editor.tell("workspace/didChangeWatchedFiles", {"changes": [change]})
        return editor.diagnostics("configured/turn.cu")

    assert "SHM001" not in codes(written('ignore = ["SHM001"]\n'))
    (row,) = written("arch = 3\n")
    assert row["message"].startswith("not checked: ")
    assert "warplint.toml" in row["message"]
    assert row["severity"] == 1
    assert "SHM001" in codes(written(""))


def test_no_code_of_a_workspace_is_run(editor: Editor) -> None:
    folder = editor.root / "hostile"
    (folder / "rules").mkdir(parents=True)
    (folder / "rules" / "own.py").write_text(
        "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n", encoding="utf-8"
    )
    for name in ("pygls.py", "lsprotocol.py", "warplint.py", "json.py"):
        (folder / name).write_text("raise SystemExit(77)\n", encoding="utf-8")
    (folder / "warplint.toml").write_text('rule-folders = ["rules"]\n', encoding="utf-8")
    editor.open("hostile/turn.cu", TILE)
    rows = editor.diagnostics("hostile/turn.cu")
    assert any("runs no code of a workspace" in row["message"] for row in rows)
    assert "SHM001" in codes(rows)
    assert not (folder / "rules" / "ran").exists()
    own = Editor(folder, FULL, configuration={"rule-folders": ["rules"]})
    assert "no rules of folders" in own.told("window/showMessage")["message"]
    own.open("turn.cu", TILE)
    assert "SHM001" in codes(own.diagnostics("turn.cu"))
    assert own.end() == 0
    assert not (folder / "rules" / "ran").exists()


def test_compile_commands_change_under_it(editor: Editor) -> None:
    folder = editor.root / "built"
    folder.mkdir()
    (folder / "warplint.toml").write_text(
        'compile-commands = "compile_commands.json"\n', encoding="utf-8"
    )
    editor.open("built/turn.cu", TILE.replace("[32][32]", "[32][PITCH]"))
    for pitch, found in ((32, True), (33, False)):
        command = f"nvcc -DPITCH={pitch} -c turn.cu"
        entry = f'[{{"directory": "{folder}", "file": "turn.cu", "command": "{command}"}}]'
        (folder / "compile_commands.json").write_text(entry + " " * pitch, encoding="utf-8")
        editor.tell("workspace/didChangeWatchedFiles", {"changes": []})
        assert ("SHM001" in codes(editor.diagnostics("built/turn.cu"))) is found


def test_hovers_hints_lenses_and_symbols(editor: Editor) -> None:
    editor.open("shown.cu", TILE)
    editor.diagnostics("shown.cu")
    access = editor.at("hover", "shown.cu", 5, 46)["contents"]["value"]
    assert "**32-way bank conflict**" in access
    assert "most conflicts: bank 0" in access
    variable = editor.at("hover", "shown.cu", 5, 43)["contents"]["value"]
    assert "**shared** memory" in variable
    assert "reached by all" in editor.at("hover", "shown.cu", 4, 8)["contents"]["value"]
    assert "occupancy" in editor.at("hover", "shown.cu", 0, 45)["contents"]["value"]
    assert "occupancy" in editor.at("hover", "shown.cu", 10, 6)["contents"]["value"]
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}}
    hints = editor.about("inlayHint", "shown.cu", range=place)
    assert [(each["position"]["line"], each["label"]) for each in hints] == [(5, "32-way")]
    (lens,) = editor.about("codeLens", "shown.cu")
    assert re.match(r"≈\d+ regs · 4 KB · ", lens["command"]["title"])
    (symbol,) = editor.about("documentSymbol", "shown.cu")
    assert symbol["name"] == "turn"
    (kernel,) = editor.at("definition", "shown.cu", 10, 6)
    assert kernel["range"]["start"]["line"] == 0
    context = {"includeDeclaration": False}
    (launch,) = editor.about(
        "references", "shown.cu", position={"line": 0, "character": 45}, context=context
    )
    assert launch["range"]["start"]["line"] == 10


def chosen(editor: Editor, name: str, line: int, title: str) -> list[Plain]:
    """The edits of the first action with these words."""
    action = next(each for each in editor.actions(name, line) if title in each["title"])
    edits: Plain = editor.ask("codeAction/resolve", action)["edit"]["changes"]
    return list(edits[editor.uri(name)])


def applied(editor: Editor, name: str, edits: list[Plain]) -> list[Plain]:
    """What is found in the text after edits, which an editor makes from the last one on."""
    places = sorted(edits, key=lambda edit: -edit["range"]["start"]["line"])
    editor.change(name, *({"range": e["range"], "text": e["newText"]} for e in places))
    return editor.diagnostics(name)


def test_names_are_marked_by_their_memory(editor: Editor) -> None:
    editor.open("marked.cu", TILE)
    editor.diagnostics("marked.cu")
    legend = editor.initialised["capabilities"]["semanticTokensProvider"]["legend"]
    numbers = editor.about("semanticTokens/full", "marked.cu")["data"]
    found, line, start = [], 0, 0
    for row, column, size, kind, bits in zip(*[iter(numbers)] * 5, strict=True):
        line, start = line + row, column if row else start + column
        memory = [name for bit, name in enumerate(legend["tokenModifiers"]) if bits >> bit & 1]
        name = TILE.split("\n")[line][start : start + size]
        found.append((line, name, legend["tokenTypes"][kind], *memory))
    assert found == [(line, "tile", "variable", "shared") for line in (2, 3, 5)]


def test_a_fix_is_made(editor: Editor) -> None:
    editor.open("fixed.cu", SHUFFLE)
    row = next(each for each in editor.diagnostics("fixed.cu") if each["code"] == "WRP005")
    assert row["tags"] == [2]
    edits = chosen(editor, "fixed.cu", row["range"]["start"]["line"], "Fix all WRP005")
    assert "__shfl_down_sync" in edits[0]["newText"]
    assert "WRP005" not in codes(applied(editor, "fixed.cu", edits))


def test_an_action_of_another_text_is_not_done(editor: Editor) -> None:
    editor.open("stale.cu", SHUFFLE)
    editor.diagnostics("stale.cu")
    action = next(each for each in editor.actions("stale.cu", 3) if "Suppress" in each["title"])
    editor.change("stale.cu", {"text": "\n" + SHUFFLE})
    assert "edit" not in editor.ask("codeAction/resolve", action)
    assert "changed since" in editor.told("window/showMessage")["message"]


def test_all_safe_fixes_are_one_action(editor: Editor) -> None:
    editor.open("all.cu", SHUFFLE)
    editor.diagnostics("all.cu")
    (action,) = editor.actions("all.cu", 0, ["source.fixAll"])
    edits = editor.ask("codeAction/resolve", action)["edit"]["changes"][editor.uri("all.cu")]
    assert "WRP005" not in codes(applied(editor, "all.cu", edits))


def test_findings_are_suppressed(editor: Editor) -> None:
    for name, title in (("here.cu", "SHM001 on this line"), ("file.cu", "SHM001 in this file")):
        editor.open(name, TILE)
        editor.diagnostics(name)
        edits = chosen(editor, name, 5, title)
        assert "warplint: ignore" in edits[0]["newText"]
        assert "SHM001" not in codes(applied(editor, name, edits))


def test_the_page_of_a_rule_is_shown(editor: Editor) -> None:
    editor.open("page.cu", TILE)
    editor.diagnostics("page.cu")
    command = next(
        each["command"] for each in editor.actions("page.cu", 5) if "page of" in each["title"]
    )
    arguments = {"command": command["command"], "arguments": command["arguments"]}
    page = editor.ask("workspace/executeCommand", arguments)
    assert "## Why is this bad?" in page
    shown = Path(to_fs_path(editor.told("window/showDocument")["uri"]) or "")
    assert shown.name == "SHM001.md"
    assert shown.read_text(encoding="utf-8").startswith("# SHM001 bank-conflict")


def test_a_finding_is_added_to_the_baseline(editor: Editor) -> None:
    folder = editor.root / "known"
    folder.mkdir()
    (folder / "warplint.toml").write_text('baseline = "known.json"\n', encoding="utf-8")
    empty = '{"version": 1, "findings": []}'
    (folder / "known.json").write_text(empty, encoding="utf-8")
    editor.open("known/turn.cu", TILE)
    assert "SHM001" in codes(editor.diagnostics("known/turn.cu"))
    command = next(
        each["command"]
        for each in editor.actions("known/turn.cu", 5)
        if "baseline" in each["title"]
    )
    arguments = {"command": command["command"], "arguments": command["arguments"]}
    assert editor.ask("workspace/executeCommand", arguments) is True
    assert "SHM001" not in codes(editor.diagnostics("known/turn.cu"))
    (row,) = json.loads((folder / "known.json").read_text(encoding="utf-8"))["findings"]
    assert (row["rule"], row["path"], row["count"]) == ("SHM001", "turn.cu", 1)
    assert editor.ask("workspace/executeCommand", arguments) is False  # of a text that was


def test_without_a_baseline_none_is_offered(editor: Editor) -> None:
    editor.open("new.cu", TILE)
    editor.diagnostics("new.cu")
    assert not [each for each in editor.actions("new.cu", 5) if "baseline" in each["title"]]


def test_bytes_that_are_no_text_cost_no_message(editor: Editor) -> None:
    editor.open("bytes.cu", TILE)
    assert "SHM001" in codes(editor.diagnostics("bytes.cu"))
    place = '{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}'
    params = (
        f'{{"textDocument":{{"uri":"{editor.uri("bytes.cu")}","version":7}},'
        f'"contentChanges":[{{"range":{place},"text":"// \x80\\n"}}]}}'
    )
    head = '{"jsonrpc":"2.0","method":"textDocument/didChange","params":'
    data = (head + params + "}").encode("latin-1")
    stream = editor.process.stdin
    assert stream is not None
    stream.write(f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
    stream.flush()
    (row,) = [row for row in editor.diagnostics("bytes.cu") if row["code"] == "SHM001"]
    assert row["range"]["start"]["line"] == 6


def test_what_a_client_does_not_ask_for_is_sent(tmp_path: Path) -> None:
    url = "https://example.org/{code}/{name}"
    editor = Editor(tmp_path, ruleUrl=url, suppressionReason="known", configuration={"arch": 3})
    assert "arch" in editor.told("window/showMessage")["message"]
    settings = {"warplint": {"ruleUrl": url, "suppressionReason": "known", "oops": 1}}
    editor.tell("workspace/didChangeConfiguration", {"settings": settings})
    assert "`oops`" in editor.told("window/showMessage")["message"]
    (tmp_path / "lib.cuh").write_text(TILE.partition("\nvoid")[0], encoding="utf-8")
    editor.open("turn.cu", '#include "lib.cuh"\nvoid' + TILE.partition("\nvoid")[2])
    sent = {}
    for _ in range(2):
        params = editor.told("textDocument/publishDiagnostics")
        sent[params["uri"]] = params["diagnostics"]
    (row,) = [row for row in sent[editor.uri("lib.cuh")] if row["code"] == "SHM001"]
    assert row["codeDescription"]["href"] == "https://example.org/SHM001/bank-conflict"
    assert codes(sent[editor.uri("turn.cu")]) == ["API001"]
    editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("turn.cu")}})
    assert editor.told("textDocument/publishDiagnostics")["diagnostics"] == []
    assert editor.end() == 0


def test_it_goes_on_when_the_analysis_dies(editor: Editor) -> None:
    editor.open("dies.cu", TILE)
    before = editor.diagnostics("dies.cu")
    for child in _children(editor.process.pid):
        os.kill(child, signal.SIGKILL)
    editor.change("dies.cu", {"text": TILE + "\n"})
    assert editor.diagnostics("dies.cu") == before


def test_it_ends_with_its_pipe(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    editor.open("turn.cu", TILE)
    editor.told("textDocument/publishDiagnostics")
    children = _children(editor.process.pid)
    editor.close()
    assert children
    assert not any(map(_lives, children))


def test_it_ends_with_its_client(tmp_path: Path) -> None:
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    editor = Editor(tmp_path, follows=client.pid)
    client.send_signal(signal.SIGKILL)
    client.wait()
    assert editor.process.wait(WAIT) == 1
    editor.close()


def _children(process: int) -> list[int]:
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def _lives(process: int) -> bool:
    """Whether a process goes on; it is given a moment to end."""
    try:
        for _ in range(200):
            os.kill(process, 0)
            with open(f"/proc/{process}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return False
            time.sleep(0.02)
    except OSError:
        return False
    return True
