// Runs the command `trunkline` for tests: the program, commands in this process, and the service beside them.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after } from "node:test";
import { runCommand } from "#command-line/run.ts";
import { childEnvironment, keepCompiled, serviceProgram } from "../child-environment.ts";

interface Run {
  code: number | null;
  out: string;
  error: string;
}

interface Service {
  base: string;
  /** What it has printed. */
  printed(): string;
  /** Waits until it has printed this. */
  prints(text: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  stop(signal: NodeJS.Signals): Promise<void>;
}

export interface Commands {
  /** Where data folders are. */
  folder: string;
  /** Runs a command with a data folder in this process, which takes a tenth of the time of `run`. */
  call(data: string, ...words: string[]): Promise<Run>;
  /** The same with more variables. */
  callWith(variables: Record<string, string>, data: string, ...words: string[]): Promise<Run>;
  /** Runs the program with a data folder to its end; each command has one such run. */
  run(data: string, ...words: string[]): Promise<Run>;
  /** The same with more variables. */
  runWith(variables: Record<string, string>, data: string, ...words: string[]): Promise<Run>;
  /** Starts a command that goes on, and hands over what it prints. */
  follow(data: string, words: string[], printed: (text: string) => void): ChildProcess;
  /** Starts the service and waits until it says where it listens. */
  serve(data: string, variables?: Record<string, string>): Promise<Service>;
}

/** Runs a command in this process, in a folder, with these lines at its input. */
export async function callIn(
  folder: string,
  environment: Record<string, string>,
  words: readonly string[],
  lines: readonly string[] = [],
): Promise<Run> {
  const result: Run = { code: null, out: "", error: "" };
  const code = await runCommand(words, {
    environment,
    folder,
    input: Readable.from(lines.map((line) => `${line}\n`)),
    output: {
      write(text) {
        result.out += text;
      },
    },
    errors: {
      write(text) {
        result.error += text;
      },
    },
    colours: false,
  });
  return { ...result, code };
}

/** A folder with all that the commands of a test file leave, which is removed after its last test. */
export function commands(): Commands {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-commands-"));
  const children = new Set<ChildProcess>();
  after(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const settings = (data: string, variables: Record<string, string>) => ({
    TRUNKLINE_DATA_DIR: join(folder, data),
    TRUNKLINE_PORT: "0",
    ...variables,
  });
  const start = (data: string, words: readonly string[], variables: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [...keepCompiled, serviceProgram(), ...words], {
      cwd: folder,
      env: childEnvironment(settings(data, variables)),
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    child.once("close", () => children.delete(child));
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    return child;
  };
  const callWith = (variables: Record<string, string>, data: string, ...words: string[]) =>
    callIn(folder, settings(data, variables), words);
  const runWith = (variables: Record<string, string>, data: string, ...words: string[]): Promise<Run> => {
    const child = start(data, words, variables);
    const result: Run = { code: null, out: "", error: "" };
    child.stdout.on("data", (text) => {
      result.out += text;
    });
    child.stderr.on("data", (text) => {
      result.error += text;
    });
    return new Promise((resolve) => child.once("close", (code) => resolve({ ...result, code })));
  };
  return {
    folder,
    callWith,
    call: (data, ...words) => callWith({}, data, ...words),
    runWith,
    run: (data, ...words) => runWith({}, data, ...words),
    follow(data, words, printed) {
      const child = start(data, words);
      child.stdout.on("data", printed);
      return child;
    },
    async serve(data, variables) {
      const child = start(data, [], variables);
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      let printed = "";
      const base = await new Promise<string>((resolve, reject) => {
        void ended.then(() => reject(new Error(`the service ended\n${printed}`)));
        const read = (text: string) => {
          printed += text;
          const [, found] = /listening on (http:\/\/[\w.:]+)/.exec(printed) ?? [];
          if (found !== undefined) resolve(found);
        };
        child.stdout.on("data", read);
        child.stderr.on("data", read);
      });
      return {
        base,
        printed: () => printed,
        prints: (text) =>
          new Promise((resolve, reject) => {
            void ended.then(() => reject(new Error(`the service ended\n${printed}`)));
            const look = () => {
              if (printed.includes(text)) resolve();
            };
            child.stdout.on("data", look);
            look();
          }),
        signal: (signal) => void child.kill(signal),
        async stop(signal) {
          child.kill(signal);
          await ended;
        },
      };
    },
  };
}
