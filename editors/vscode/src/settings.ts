/** What the user's settings say to the server; the names are those of docs/editors.md. */

/** A setting by its name, as `vscode.WorkspaceConfiguration` has it. */
export interface Settings {
  get(name: string): unknown;
}

/** How the server is started. */
export interface Command {
  command: string;
  args: string[];
}

const NAMES = [
  "configuration",
  "isolated",
  "inlayHints",
  "codeLens",
  "ruleUrl",
  "suppressionReason",
  "debounce",
] as const;

/** The initialisation options; what nobody set is left to the server. */
export function initializationOptions(settings: Settings): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = settings.get(name);
    if (value !== undefined && value !== null) {
      options[name] = value;
    }
  }
  return options;
}

/** The command of the settings; throws where there is none. */
export function serverCommand(settings: Settings): Command {
  const words = settings.get("command") ?? ["warplint", "server"];
  if (!isWords(words)) {
    throw new Error('warplint.command is to be a list of words, such as ["warplint", "server"]');
  }
  const [command, ...args] = words;
  return { command, args };
}

/** Another command of the program that the settings start as a server; throws where none is known. */
export function otherCommand(settings: Settings, words: string[]): Command {
  const { command, args } = serverCommand(settings);
  if (args[args.length - 1] !== "server") {
    throw new Error("warplint.command does not end in `server`: its other commands are not known");
  }
  const isolated = settings.get("isolated") === true ? ["--isolated"] : [];
  const [first = "", ...rest] = words;
  return { command, args: [...args.slice(0, -1), first, ...isolated, ...rest] };
}

function isWords(value: unknown): value is [string, ...string[]] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}
