import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";

const { initializationOptions, otherCommand, serverCommand } = createRequire(import.meta.url)(
  "../out/settings.js",
);

const settings = (values) => ({ get: (name) => values[name] });

test("what nobody set is left to the server", () => {
  assert.deepEqual(initializationOptions(settings({})), {});
  assert.deepEqual(initializationOptions(settings({ codeLens: false, command: ["x"] })), {
    codeLens: false,
  });
});

test("the first word is the program", () => {
  assert.deepEqual(serverCommand(settings({ command: ["python", "-m", "x"] })), {
    command: "python",
    args: ["-m", "x"],
  });
  assert.deepEqual(serverCommand(settings({})), { command: "warplint", args: ["server"] });
  assert.throws(() => serverCommand(settings({ command: [] })), /warplint\.command/);
});

test("other commands are of the same program", () => {
  const words = ["check", "--format", "html", "--", "a b.cu"];
  const command = ["python", "-m", "warplint", "server"];
  assert.deepEqual(otherCommand(settings({ command, isolated: true }), words), {
    command: "python",
    args: ["-m", "warplint", "check", "--isolated", "--format", "html", "--", "a b.cu"],
  });
  assert.deepEqual(otherCommand(settings({}), ["explain", "k.cu:1"]), {
    command: "warplint",
    args: ["explain", "k.cu:1"],
  });
  assert.throws(() => otherCommand(settings({ command: ["start.sh"] }), words), /does not end in/);
});
