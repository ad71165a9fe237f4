// Reports the tests of a worker to the runner: one message for each file.

import { EventEmitter } from "node:events";
import { inspect } from "node:util";
import { addCounts, type Counts, type Failure, type FileResult, type Notice, noCounts } from "./messages.ts";

/** Emits the name of each file when its suite has ended, which no hook of the suite could say: a failed one skips the rest. */
export const reportedFiles = new EventEmitter();

interface TestEvent {
  type: string;
  data: {
    name: string;
    nesting: number;
    file?: string;
    skip?: string | boolean;
    todo?: string | boolean;
    message?: string;
    details?: {
      duration_ms: number;
      type?: string;
      error?: Error & { failureType?: string; cause?: unknown };
    };
  };
}

/** A failure that only says that something below it failed. */
const failedBelow = "subtestsFailed";
const cancellations = new Set(["cancelledByParent", "testAborted", "testTimeoutFailure"]);

export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let counts = noCounts;
  let failures: Failure[] = [];
  let skipped: string[] = [];
  let lines: string[] = [];
  // The names of the suites and tests around the one that runs.
  const path: string[] = [];
  for await (const { type, data } of source) {
    if (type === "test:start") {
      path.length = data.nesting;
      path.push(data.name);
    }
    if (type === "test:diagnostic" && data.nesting > 0)
      lines.push(`${"  ".repeat(data.nesting)}ℹ ${data.message}`);
    if (
      type === "test:diagnostic" &&
      data.nesting === 0 &&
      data.file === undefined &&
      isWarning(data.message)
    )
      process.send?.({ kind: "notice", text: data.message ?? "" } satisfies Notice);
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, nesting, details } = data;
    const passed = type === "test:pass";
    const error = details?.error;
    if (nesting > 0 || !passed) {
      const suite = details?.type === "suite";
      if (nesting > 0)
        counts = addCounts(counts, countsOf(suite, passed, data.skip, data.todo, error?.failureType));
      const mark = !passed ? "✖" : data.skip !== undefined ? "﹣" : "✔";
      if (nesting > 0)
        lines.push(`${"  ".repeat(nesting)}${mark} ${name} (${Math.round(details?.duration_ms ?? 0)} ms)`);
      if (!passed && data.todo === undefined && error?.failureType !== failedBelow)
        failures.push({
          name: [...path.slice(1, nesting), ...(nesting > 0 ? [name] : [])].join(" › "),
          error: textOf(error),
        });
    }
    if (passed && typeof data.skip === "string") skipped.push(data.skip);
    if (nesting > 0) continue;
    const result: FileResult = {
      kind: "result",
      file: name,
      ms: details?.duration_ms ?? 0,
      counts,
      failures,
      skipped,
      lines,
    };
    process.send?.(result);
    reportedFiles.emit(name);
    counts = noCounts;
    failures = [];
    skipped = [];
    lines = [];
  }
  yield "";
}

function countsOf(
  suite: boolean,
  passed: boolean,
  skip: string | boolean | undefined,
  todo: string | boolean | undefined,
  failureType: string | undefined,
): Counts {
  if (suite) return { ...noCounts, suites: 1 };
  const tests = { ...noCounts, tests: 1 };
  if (skip !== undefined) return { ...tests, skipped: 1 };
  if (todo !== undefined) return { ...tests, todo: 1 };
  if (passed) return { ...tests, pass: 1 };
  return cancellations.has(failureType ?? "") ? { ...tests, cancelled: 1 } : { ...tests, fail: 1 };
}

/** The totals, which every run ends with, are not warnings. */
function isWarning(message = ""): boolean {
  return !/^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message);
}

/** The runner wraps what a test threw. */
function textOf(error: (Error & { cause?: unknown }) | undefined): string {
  const thrown = error?.cause ?? error;
  return thrown instanceof Error ? inspect(thrown, { depth: 6 }) : String(thrown);
}
