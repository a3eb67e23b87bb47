/** A recorded session, with the messages of the library that the extension is made of. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const { createProtocolConnection } = require("vscode-languageserver-protocol/node");
const { StreamMessageReader, StreamMessageWriter } = require("vscode-jsonrpc/node");
const { initializationOptions } = require("../out/settings.js");

const KERNEL = `__global__ void sum(float *data)
{
    float v = data[threadIdx.x];
    v += __shfl_down(v, 16);
    data[threadIdx.x] = v;
}
`;

test("a session finds, explains and fixes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warplint-"));
  const uri = pathToFileURL(join(folder, "sum.cu")).href;
  const server = spawn(process.env.WARPLINT ?? "warplint", ["server"], { cwd: folder });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const values = { inlayHints: true, debounce: 10 };
  const { capabilities } = await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {
      textDocument: {
        diagnostic: {},
        codeAction: { resolveSupport: { properties: ["edit"] } },
      },
    },
    initializationOptions: initializationOptions({ get: (name) => values[name] }),
  });
  assert.equal(capabilities.textDocumentSync.change, 2);
  await connection.sendNotification("initialized", {});
  const textDocument = { uri };
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "cuda-cpp", version: 1, text: KERNEL },
  });
  const { items } = await connection.sendRequest("textDocument/diagnostic", { textDocument });
  const found = items.find((item) => item.code === "WRP005");
  assert.equal(found.range.start.line, 3);
  const hover = await connection.sendRequest("textDocument/hover", {
    textDocument,
    position: { line: 3, character: 4 },
  });
  assert.match(hover.contents.value, /register/);
  const actions = await connection.sendRequest("textDocument/codeAction", {
    textDocument,
    range: found.range,
    context: { diagnostics: [found] },
  });
  const fix = actions.find((action) => action.title.startsWith("Fix all WRP005"));
  const { edit } = await connection.sendRequest("codeAction/resolve", fix);
  assert.match(edit.changes[uri][0].newText, /__shfl_down_sync/);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  assert.equal(await ended, 0);
  connection.dispose();
});
