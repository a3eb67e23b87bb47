/** warplint in VS Code: starts the server, hands it the settings, and shows whether it runs. */

import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions } from "vscode-languageclient/node";

import { initializationOptions, serverCommand } from "./settings";
import { explain, showReport } from "./views";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("warplint");
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right);
  status.command = "warplint.showLog";
  status.show();

  async function start(): Promise<void> {
    await client?.stop();
    client = undefined;
    const settings = vscode.workspace.getConfiguration("warplint");
    try {
      const started = newClient(settings, log);
      client = started;
      started.onDidChangeState((change) => {
        show(status, change.newState);
      });
      await started.start();
    } catch (error) {
      show(status, State.Stopped);
      const text = error instanceof Error ? error.message : String(error);
      const advice = 'Install it with `pip install "warplint[lsp]"`, or set `warplint.command`.';
      void vscode.window.showErrorMessage(`warplint does not start: ${text}. ${advice}`);
    }
  }

  context.subscriptions.push(
    log,
    status,
    vscode.commands.registerCommand("warplint.restart", start),
    vscode.commands.registerCommand("warplint.showReport", showReport),
    vscode.commands.registerCommand("warplint.explain", explain),
    vscode.commands.registerCommand("warplint.showLog", () => {
      log.show();
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("warplint.command")) {
        await start();
      } else if (change.affectsConfiguration("warplint")) {
        const settings = vscode.workspace.getConfiguration("warplint");
        await client?.sendNotification("workspace/didChangeConfiguration", {
          settings: { warplint: initializationOptions(settings) },
        });
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

function newClient(
  settings: vscode.WorkspaceConfiguration,
  log: vscode.OutputChannel,
): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "cuda-cpp" },
      { language: "cuda" },
      { language: "ptx" },
      { pattern: "**/*.{cuh,h,hh,hpp,hxx,inl}" },
    ],
    initializationOptions: initializationOptions(settings),
    outputChannel: log,
  };
  return new LanguageClient("warplint", "warplint", serverCommand(settings), options);
}

function show(status: vscode.StatusBarItem, state: State): void {
  const icon = { [State.Starting]: "loading~spin", [State.Running]: "check" }[state as number];
  status.text = `$(${icon ?? "error"}) warplint`;
  status.tooltip = state === State.Running ? "warplint is running" : "warplint is not running";
}
