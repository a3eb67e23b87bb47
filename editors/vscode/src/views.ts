/** What warplint's commands say of a saved file: the page of its kernels, and why a line is reported. */

import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

import { otherCommand, type Command } from "./settings";

const LARGEST = 64_000_000; // bytes of a page
const run = promisify(execFile);

/** Occupancy, banks and sectors of the kernels in the current file, as a page without scripts. */
export async function showReport(): Promise<void> {
  const document = await savedDocument();
  if (document === undefined) {
    return;
  }
  const page = await output(["check", "--exit-zero", "--format", "html", "--", document.fileName]);
  if (page !== undefined) {
    const title = `warplint: ${vscode.workspace.asRelativePath(document.uri)}`;
    const view = vscode.window.createWebviewPanel("warplint", title, vscode.ViewColumn.Beside, {
      enableScripts: false,
      localResourceRoots: [],
    });
    view.webview.html = page;
  }
}

/** All evidence for the findings on the line of the cursor. */
export async function explain(): Promise<void> {
  const document = await savedDocument();
  const line = (vscode.window.activeTextEditor?.selection.active.line ?? 0) + 1;
  if (document === undefined) {
    return;
  }
  const place = `${document.fileName}:${line.toString()}`;
  const text = await output(["explain", "--color", "never", "--", place]);
  if (text !== undefined) {
    const shown = await vscode.workspace.openTextDocument({ content: text, language: "plaintext" });
    await vscode.window.showTextDocument(shown, vscode.ViewColumn.Beside);
  }
}

async function savedDocument(): Promise<vscode.TextDocument | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme !== "file" || !(await document.save())) {
    void vscode.window.showInformationMessage("warplint: open a CUDA or PTX file that can be saved");
    return undefined;
  }
  return document;
}

async function output(words: string[]): Promise<string | undefined> {
  const settings = vscode.workspace.getConfiguration("warplint");
  const file = words[words.length - 1] ?? "";
  try {
    const { command, args }: Command = otherCommand(settings, words);
    const done = await run(command, args, { cwd: dirname(file), maxBuffer: LARGEST });
    return done.stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const text = said || String(error);
    void vscode.window.showErrorMessage(`warplint: ${text}`);
    return undefined;
  }
}
